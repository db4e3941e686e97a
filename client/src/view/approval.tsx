import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Call } from "../types.ts";
import type { OpenDialog } from "../state/dialog.ts";
import { toast } from "../state/toast.ts";
import { plural } from "../text/time.ts";
import { leftOut, partsOf } from "../text/parts.ts";
import { CallView, type Opened } from "./callview.tsx";
import { Icon } from "./icon.tsx";
import { OneAnswer } from "./oneanswer.tsx";
import { ManyAnswers } from "./manyanswers.tsx";

/** Answers is what the card collects: a verdict by call, the tools that need not ask again, and words. */
export interface Answers {
  verdicts: Map<string, "approve" | "deny">;
  always: Set<string>;
  text: string;
}

// A key or a click meant for what stood here before must not fall on a new question.
const ARM_MS = 400;

/** ApprovalCard asks for what a dialog wants to do. It shows the exact input, and lets nothing pass that was not opened. */
export function ApprovalCard({ dialog, calls }: { dialog: OpenDialog; calls: Call[] }) {
  const [opened, setOpened] = useState<Opened>(new Set());
  const [armed, setArmed] = useState(false);
  const [sending, setSending] = useState(false);
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    const t = setTimeout(() => setArmed(true), ARM_MS);
    return () => clearTimeout(t);
  }, []);
  const cuts = useMemo(() => calls.map(cutsOf), [calls]);
  const closed = new Map(calls.map((c, i) => [c.id, cuts[i]!.find((cut) => !opened.has(`${c.id}/${cut.key}`))?.left ?? ""]));
  const answer = async (a: Answers) => {
    setSending(true);
    try {
      const decided = calls.filter((c) => a.verdicts.has(c.id));
      const tools = calls.filter((c) => a.verdicts.get(c.id) === "approve" && a.always.has(c.tool)).map((c) => c.tool);
      await dialog.decide(decided.map((call) => ({ call, verdict: a.verdicts.get(call.id)! })), tools, a.text);
    } catch (e) {
      toast((e as Error).message);
    } finally {
      setSending(false);
    }
  };
  const toggle = (id: string, key: string) => (open: boolean) => {
    const next = new Set(opened);
    if (open) next.add(`${id}/${key}`);
    else next.delete(`${id}/${key}`);
    setOpened(next);
  };
  const view = (c: Call, level: "alone" | "row") => <CallView call={c} level={level} opened={opened} toggle={toggle} />;
  const ready = armed && !sending;
  const common = { calls, closed, ready, answer, view };
  const one = calls.length === 1;
  return (
    <section ref={box} class="card approval" aria-label={one ? "Permission needed" : `${calls.length} permissions needed`} data-testid="approval">
      {!one && <h2><Icon name="pause" /> {plural(calls.length, "question")} at once</h2>}
      {one ? <OneAnswer {...common} call={calls[0]!} inView={() => inView(box.current)} /> : <ManyAnswers {...common} />}
    </section>
  );
}

/** cutsOf lists the parts of a call that are not whole before they are opened, and what each leaves out. */
function cutsOf(c: Call): { key: string; left: string }[] {
  return partsOf(c.tool, c.inputText).parts.map((p) => ({ key: p.key, left: leftOut(p) })).filter((cut) => cut.left !== "");
}

// A key decides only what its reader has before his eyes.
function inView(el: HTMLElement | null): boolean {
  if (!el) return false;
  const r = el.getBoundingClientRect();
  if (r.bottom <= innerHeight && r.top < innerHeight) return true;
  el.scrollIntoView({ block: "end" });
  return false;
}

