import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Call } from "../../types.ts";
import type { OpenDialog } from "../../state/dialog.ts";
import { useDiffer } from "../../state/differ.ts";
import { alone, focusByHand, focusedByHand, letters, single } from "../../state/keys.ts";
import { health, sandbox } from "../../state/project.ts";
import { targetOf } from "../../state/target.ts";
import { toast } from "../../state/toast.ts";
import type { Draft } from "../../state/unsent.ts";
import { sidesOf } from "../../state/tried.ts";
import { allows, decisionsOf } from "../../text/control.ts";
import { QUIET } from "../../text/hands.ts";
import { callKey } from "../../text/callkey.ts";
import { lastId } from "../../text/items.ts";
import { clashes, fails, questionOf, type Before } from "../../text/file.ts";
import { isKey } from "../../text/keymap.ts";
import { leftOut, linesIn } from "../../text/part.ts";
import { partsOf } from "../../text/parts.ts";
import { answers, app, asking, tried, write } from "../../text/strings.ts";
import { networkAllowed } from "../../text/network.ts";
import { neverRuled } from "../../text/standing.ts";
import { partsIn, shownOf, type Shown } from "../../text/tried.ts";
import { allowedBy, type Answers, type Opened } from "./answers.ts";
import { CallView } from "./callview.tsx";
import { useAct } from "../parts/act.ts";
import { toComposer } from "../parts/focus.ts";
import { shortcut } from "../parts/kbd.tsx";
import { Icon } from "../parts/icon.tsx";
import { OneAnswer } from "./oneanswer.tsx";
import { ManyAnswers } from "./manyanswers.tsx";
import { WhyOff } from "./whyoff.tsx";
import { useRead } from "./read.ts";
import { useKey } from "../parts/usekey.ts";
import { headOf, refuse, scrollerOf, shownIn, STILL, useStill, type Still } from "../parts/still.ts";

function refused(words: string): false {
  toast(words);
  return false;
}

// What is ticked to allow all that was opened, also what was not in view.
const ALL = "all";

interface Props {
  dialog: OpenDialog;
  calls: Call[];
  /** scrolls to the card, or to its head where it is taller than the view */
  show: () => void;
  /** gives the focus on where the card goes, or is left by its key; to the message box by default */
  leave?: () => void;
  /** set where the one call's change is drawn in the text that it is about: the card has the rest */
  inText?: InText;
  /** what is written to tell the agent why not; that of the dialog by default */
  why?: Draft;
  /** which of several cards of the page it is, in words; "" for the only one */
  nth?: string;
  /** of several cards of the page it is the one that single letters answer */
  named?: boolean;
  /** is told whether each call may be allowed: all of it was in view */
  onWhole?: (whole: boolean) => void;
}

/** InText is a change that stands in a text, and not in its card. */
export interface InText {
  /** whether all of it was in view there */
  seen: boolean;
  /** scrolls to it */
  show: () => void;
  /** which words it changes, above the question; nothing for the only one */
  words: ComponentChildren;
  /** what more can be done with it, below the answers */
  more: ComponentChildren;
}

/** ApprovalCard asks about the calls that wait in a dialog. It shows their exact input; only what was opened and in view can be allowed. */
export function ApprovalCard({ dialog, calls, show, leave = toComposer, inText, why = dialog.why, nth = "", named = true, onWhole }: Props) {
  const [opened, setOpened] = useState<Opened>(new Set());
  const { act: send, busy: sending } = useAct();
  // What the human has seen when the questions came: what comes later is not decided with them.
  const [seen] = useState(() => lastId(dialog.sections.peek()));
  const box = useRef<HTMLElement>(null);
  const about = useId();
  const still = useStill(box, "", QUIET, askedAt);
  const read = useRead(box, dialog);
  const hands = useHands(box, still, show, leave, onWhole !== undefined);
  const refined = useDiffer();
  const sides = calls.map((c) => (c.effect ? sidesOf(dialog, c) : null));
  const reads = sides.map((s) => s?.read.value ?? 0);
  const shown = useMemo(() => calls.map((c, i) => (sides[i] === null ? [] : shownOf(c, sides[i]!.side))), [calls, refined, ...reads]);
  const targets = calls.map((c) => targetOf(dialog, c));
  const befores = targets.map((t) => t.before.value);
  const drawn = useLast(calls, befores);
  const inputs = useMemo(() => calls.map((c, i) => {
    const before = drawn[i]!;
    const input = inText ? { parts: [], warning: "" } : partsOf(c.tool, c.inputText, before.is === "text" ? before.text : undefined, before.is === "text" || before.is === "reading" || c.target?.exists === false ? "" : write.around[before.is]);
    if (c.effect) return { ...input, parts: input.parts.map((p) => (p.label === "" ? { ...p, label: tried.command } : p)) };
    return before.is === "reading" ? { ...input, parts: input.parts.filter((p) => p.key !== "content" && p.kind !== "diff") } : input;
  }), [calls, refined, inText === undefined, ...drawn]);
  const reading = befores.some((b) => b.is === "reading") || shown.some((all) => all.some((s) => s.is === "reading"));
  const coming = useComing(reading || (!refined && inputs.some((i) => i.parts.some((p) => p.kind === "diff"))));
  const cuts = inputs.map(({ parts }, i) => [...partsIn(shown[i]!), ...parts].map((p) => ({ key: p.key, left: leftOut(p) })).filter((cut) => cut.left !== ""));
  const off = new Map<string, string>();
  calls.forEach((c, i) => {
    const left = cuts[i]!.find((cut) => !opened.has(`${c.id}/${cut.key}`))?.left;
    const is = (what: Shown["is"]) => shown[i]!.some((s) => s.is === what);
    if (drawn[i]!.is === "reading") off.set(c.id, write.reading);
    else if (is("failed")) off.set(c.id, tried.notRead);
    else if (is("reading")) off.set(c.id, tried.firstRead);
    else if (shown[i]!.some((s) => s.is === "unseen" && !opened.has(`${c.id}/${s.key}`))) off.set(c.id, tried.tick);
    else if (left !== undefined) off.set(c.id, asking.openFirst(left));
    else if (inText?.seen === false) off.set(c.id, asking.unread);
    else if ((read.unread?.has(callKey(c)) ?? true) && !(opened.has(`${c.id}/${ALL}`) && read.opened.has(callKey(c)))) off.set(c.id, read.unread === null ? "" : asking.unread);
    else if (befores[i]!.is === "reading") off.set(c.id, write.reading);
  });
  const whole = off.size === 0;
  useEffect(() => onWhole?.(whole), [whole]);
  const answer = (a: Answers): boolean => {
    if (sending.value) return refused(answers.sending);
    const allowed = allowedBy(calls, a);
    // A standing permission releases the other waiting calls that it covers, too.
    const unseen = calls.find((c) => off.has(c.id) && (a.verdicts.get(c.id) ?? (allowed.some((s) => allows(s, c)) ? "approve" : "deny")) === "approve");
    if (unseen !== undefined) return refused(off.get(unseen.id) || asking.tooSoon);
    void send(() => dialog.decide(decisionsOf(calls, a.verdicts, allowed, (c) => !off.has(c.id)), allowed, seen, a.text));
    return true;
  };
  const toggle = (id: string, key: string) => (open: boolean) => {
    const next = new Set(opened);
    if (open) next.add(`${id}/${key}`);
    else next.delete(`${id}/${key}`);
    setOpened(next);
  };
  const offered = calls.filter((c) => c.tool === "run_command" && !c.effect && (c.input as { network?: unknown } | null)?.network !== true);
  const offers = health.value?.layers === true && dialog.earlier.value === 0 && neverRuled(dialog.sections.value);
  const vain = new Set(calls.filter((c, i) => fails(c, drawn[i]!)));
  const view = (c: Call, level: "alone" | "row") => {
    const i = calls.indexOf(c);
    return (
      <>
        <CallView call={c} about={`${about}-${i}`} level={level} {...inputs[i]!} before={drawn[i]!} vain={vain.has(c)} clash={clashes(c, dialog.pending.value, drawn[i]!)} readAgain={sides[i]?.again ?? targets[i]!.again} shown={shown[i]!} opened={opened} toggle={toggle} network={networkAllowed(dialog.sections.value)} />
        {offers && c === offered[0] && <p class="try-first"><button type="button" data-decides disabled={sending.value} onClick={() => void send(() => dialog.tryFirst(new Set(offered.map((c) => c.id))))}>{tried.offer}</button> <span class="quiet">{tried.offerAbout}</span></p>}
      </>
    );
  };
  const readOn = (c: Call) => {
    if (inText?.seen === false) inText.show();
    else read.reveal(callKey(c));
    focusByHand(box.current);
    box.current!.focus({ preventScroll: true });
  };
  const whyOff = (c: Call, id: string) => {
    const i = calls.indexOf(c), unread = !!read.unread?.has(callKey(c));
    const all = { lines: linesIn([...partsIn(shown[i]!), ...inputs[i]!.parts].filter((p) => leftOut(p) !== "")), ticked: opened.has(`${c.id}/${ALL}`), tick: toggle(c.id, ALL) };
    const why = off.get(c.id) ?? (unread ? asking.notSeen : "");
    return <WhyOff id={id} words={why === write.reading && drawn[i]!.is !== "reading" ? "" : why /* for a moment: other words would move what stands around */} onReadOn={unread || inText?.seen === false ? () => readOn(c) : undefined} all={read.opened.has(callKey(c)) ? all : undefined} />;
  };
  const common = { calls, off, whyOff, answer, view, why, vain };
  const one = calls.length === 1;
  return (
    <section
      ref={box} class={`card approval${inText ? " in-text" : ""}${still.wasReady ? "" : " fresh"}${hands.here ? " here" : ""}`} tabIndex={-1} aria-keyshortcuts={shortcut("Ctrl J")} data-call={one ? callKey(calls[0]!) : undefined}
      aria-label={`${asking.needed(calls.map((c) => questionOf(c, sandbox.value)))} ${nth}`.trim()} aria-describedby={calls.flatMap((_, i) => [`${about}-${i}-effect`, `${about}-${i}-file`]).join(" ")} data-reading={reading || undefined} data-coming={coming || undefined} data-settling={!still.ready || sending.value || undefined} data-testid="approval" {...hands.listeners}
    >
      {inText?.words}
      {!one && <h2><Icon name="pause" /> {asking.atOnce(calls.length)}</h2>}
      {one ? <OneAnswer {...common} call={calls[0]!} keys={hands.keys} named={named} others={dialog.pending.value.filter((c) => c.id !== calls[0]!.id).length} /> : <ManyAnswers {...common} chosen={dialog.chosen} unread={calls.find((c) => read.unread?.has(callKey(c)))} readOn={readOn} />}
      {inText?.more}
    </section>
  );
}

// useLast returns what the files of calls hold, and of one that is being read what it held before, so that nothing moves meanwhile.
function useLast(calls: Call[], befores: Before[]): Before[] {
  const last = useRef(new Map<string, Before>());
  return befores.map((b, i) => {
    if (b.is !== "reading") last.current.set(calls[i]!.id, b);
    return last.current.get(calls[i]!.id) ?? b;
  });
}

// How long in ms a card waits for what it shows, so that it does not grow under the eyes.
const WAITS = 1000;

/** useComing reports whether a card that reads for the first time is not to be seen yet. */
function useComing(reading: boolean): boolean {
  const [waits, setWaits] = useState(reading);
  useEffect(() => {
    if (!waits) return;
    const timer = setTimeout(() => setWaits(false), WAITS);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => { if (!reading) setWaits(false); }, [reading]);
  return waits && reading;
}

/**
 * useHands guards the card against accidental decisions. A key decides only while the
 * human has put the focus into the card, and at least a second after any other key; a
 * click only once the card has stood still. Elements that decide are marked with
 * data-decides.
 */
function useHands(box: RefObject<HTMLElement | null>, still: Still, show: () => void, leave: () => void, oneOfSeveral: boolean) {
  const [here, setHere] = useState(false);
  const keys = useRef<((key: string) => void) | null>(null);
  const byKey = useRef(false);
  const look = () => setHere(focusedByHand(box.current));
  useKey("question", () => {
    if (box.current!.contains(document.activeElement)) return leave();
    focusByHand(box.current);
    box.current!.focus({ preventScroll: true });
    show();
    look();
  }, oneOfSeveral);
  // An answered question disappears, and the focus would be lost with it.
  useLayoutEffect(() => () => { if (box.current?.contains(document.activeElement)) leave(); }, []);
  const decides = (e: Event) => (e.target as Element).closest<HTMLElement>("[data-decides]");
  const mayDecide = (e: KeyboardEvent) => e.isTrusted && alone() && focusedByHand(box.current) && still.stood(e) >= QUIET;
  const listeners = {
    onPointerDownCapture: (e: PointerEvent) => focusByHand(still.stood(e) >= STILL ? box.current : null),
    onClickCapture: (e: MouseEvent) => {
      const on = decides(e) ?? (e.target as Element).closest("label, input");
      if (on !== null && !byKey.current && still.stood(e) < QUIET) refuse(e, asking.tooSoon);
      // What leads elsewhere decides nothing, but a click may have been meant for what stood there before; one by a key has no detail.
      else if (on === null && e.detail > 0 && (e.target as Element).closest("a") !== null && still.stood(e) < STILL) refuse(e, app.moved);
    },
    // Enter and the space bar are checked here, at keydown; the browser's click comes too late for that.
    onKeyDownCapture: (e: KeyboardEvent) => {
      const button = e.key === "Enter" || e.key === " " ? decides(e) : null;
      if (button === null) return;
      if (!mayDecide(e)) return e.repeat ? e.preventDefault() : refuse(e, asking.typedOn);
      e.preventDefault();
      byKey.current = true;
      button.click();
      byKey.current = false;
    },
    onKeyUpCapture: (e: KeyboardEvent) => { if (e.key === " " && decides(e) !== null) e.preventDefault(); },
    onKeyDown: (e: KeyboardEvent) => {
      if (!keys.current || !letters.peek() || !(isKey("allow", e) || isKey("deny", e)) || e.repeat) return;
      if ((e.target as Element).closest("input, textarea, select") !== null) return;
      e.preventDefault();
      if (!single(e) || !mayDecide(e)) return toast(asking.typedOn);
      if (!inView(box.current!)) return show();
      keys.current(e.key);
    },
    onFocusIn: look,
    onFocusOut: () => setHere(false),
  };
  return { here, keys, listeners };
}

// What is asked, what of it is opened, and where it begins. What is chosen is no part of it,
// so that no answer is refused for the one before it.
function askedAt(card: Element): string {
  const asked = [...card.querySelectorAll(":scope > :not(.ask, .answers, .tell-why), .ask > :not(.answers)")];
  const pictures = [...card.querySelectorAll("img")].map((i) => i.offsetHeight);
  return [headOf(card), card.querySelectorAll("details[open]").length, ...pictures, ...asked.map((el) => el.textContent)].join("\n");
}

// A key decides only what is in view: all of the card, or half a view of a taller one.
function inView(card: HTMLElement): boolean {
  const a = shownIn(scrollerOf(card)!), r = card.getBoundingClientRect();
  const shown = Math.min(r.bottom, a.bottom) - Math.max(r.top, a.top);
  return shown >= (r.height <= a.height ? r.height - 1 : a.height / 2);
}
