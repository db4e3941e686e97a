import type { DialogInfo } from "../../types.ts";
import { needsYou, statusWord } from "../../text/group.ts";
import { Icon, type IconName } from "./icon.tsx";

/** StatusMark shows a status as a shape, a colour and a word; the word is for screen readers unless `word` is set. */
export function StatusMark({ d, word = false }: { d: Pick<DialogInfo, "status" | "needs">; word?: boolean }) {
  const [icon, tone]: [IconName, string] =
    d.status === "active" ? ["ring", "writing"] : d.status === "done" ? ["check", "finished"] : needsYou(d) ? ["pause", "needs"] : ["dots", "reply"];
  return (
    <span class={`status ${tone}`} title={statusWord(d)}>
      <Icon name={icon} class={icon === "ring" ? "turning" : ""} />
      <span class={word ? "" : "unseen"}>{statusWord(d)}</span>
    </span>
  );
}
