import { useRef } from "preact/hooks";
import { durable, health, sandbox } from "../state/project.ts";
import { toast } from "../state/toast.ts";
import { aroundCommands as say, walls } from "../text/strings.ts";
import { wallsWords } from "../text/walls.ts";
import { Modal } from "./parts/modal.tsx";

/** Walls says what stands around commands, why nothing stronger does, which commands change that, that none can be tried, and what the disk forgets. */
export function Walls({ onClose }: { onClose: () => void }) {
  const text = useRef<HTMLPreElement>(null);
  const { sandboxWhy: why = "", sandboxRemedy: remedy = "" } = health.value ?? {};
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(remedy);
      toast(say.copied);
    } catch {
      getSelection()?.selectAllChildren(text.current!); // a page that came without https has no clipboard
      toast(say.selected);
    }
  };
  return (
    <Modal title={walls.words(sandbox.value, durable.value)} onClose={onClose}>
      <p>{wallsWords(sandbox.value, false)}</p>
      {why !== "" && <p>{why}</p>}
      {remedy !== "" && <><p class="quiet">{say.run}</p><pre class="remedy" ref={text} tabIndex={0} aria-label={say.commands}>{remedy}</pre></>}
      <p class="quiet">{say.level(sandbox.value)}</p>
      {health.value?.layers === false && <p>{say.untried}</p>}
      {!durable.value && <p>{say.forgets}</p>}
      <div class="actions">
        {remedy !== "" && <button onClick={() => void copy()}>{remedy.includes("\n") ? say.copyAll : say.copy}</button>}
        <button autofocus onClick={onClose}>{say.close}</button>
      </div>
    </Modal>
  );
}
