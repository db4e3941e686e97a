import type { DialogInfo } from "../types.ts";
import { needsYou, statusWord } from "../text/group.ts";
import { Icon, type IconName } from "./icon.tsx";

type Standing = Pick<DialogInfo, "status" | "needs">;

/** StatusMark is a status as shape, colour and, for those who see neither, word. */
export function StatusMark({ d, word = false }: { d: Standing; word?: boolean }) {
  const [icon, tone]: [IconName, string] =
    d.status === "active" ? ["ring", "writing"] : d.status === "done" ? ["check", "finished"] : needsYou(d) ? ["pause", "needs"] : ["dots", "reply"];
  return (
    <span class={`status ${tone}`} title={statusWord(d)}>
      <Icon name={icon} class={icon === "ring" ? "turning" : ""} />
      <span class={word ? "" : "unseen"}>{statusWord(d)}</span>
    </span>
  );
}
