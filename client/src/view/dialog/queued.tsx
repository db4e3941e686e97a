import type { OpenDialog } from "../../state/dialog.ts";
import { sendNow, takeBack, waitingIn } from "../../state/queue.ts";
import { split } from "../../text/added.ts";
import { withoutHashes } from "../../text/review.ts";
import { queue as say } from "../../text/strings.ts";
import { FilesShown } from "../parts/files.tsx";
import { toComposer } from "../parts/focus.ts";

/** QueuedMessages shows the waiting messages: when each is sent, and a button that takes it back. */
export function QueuedMessages({ dialog: d }: { dialog: OpenDialog }) {
  const all = waitingIn(d);
  if (all.length === 0) return null;
  return (
    <ul class="queued" aria-label={say.list}>
      {all.map(({ message: m, wait, words }) => (
        <li key={m.id} class={wait === "failed" ? "bad" : ""}>
          <Text project={d.project} text={withoutHashes(m.text)} />
          <div class="when">
            <span class={wait === "failed" ? "error" : "quiet"}>{words}</span>
            <span class="spread" />
            {(wait === "failed" || wait === "held" || wait === "stopped") && <button type="button" onClick={() => sendNow(d, m.id)}>{wait === "failed" ? say.again : say.sendNow}</button>}
            <button type="button" onClick={() => void takeBack(d, m.id).then(toComposer)}>{say.takeBack}</button>
          </div>
        </li>
      ))}
    </ul>
  );
}

function Text({ project, text }: { project: string; text: string }) {
  const { files, words } = split(text);
  return (
    <>
      <FilesShown project={project} all={files} />
      {words !== "" && <p class="text" dir="auto">{words}</p>}
    </>
  );
}
