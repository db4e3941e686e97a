// What a tab and the switchboard send each other: plain objects, which pass
// through a worker's port or a BroadcastChannel.

/** A message of a tab. */
export type TabMessage =
  | { do: "token"; token: string }
  /** follow something from a position on; `what` is "projects", "project/NAME" or "dialog/NAME/ID" */
  | { do: "watch"; key: string; what: string; at: string }
  | { do: "leave"; key: string }
  /** try the connection at once */
  | { do: "now" }
  /** the tab is still open; the answer says that the switchboard is there */
  | { do: "here" }
  | { do: "bye" };

/** A message of the switchboard. */
export type BoardMessage =
  | { is: "frames"; key: string; frames: Delivery[] }
  /** since when nothing was heard of the server, in epoch ms; null: the connection stands */
  | { is: "line"; lost: number | null }
  /** the server does not take this tab's token */
  | { is: "refused"; token: string }
  | { is: "here" }
  /** the switchboard does not know this tab: what it follows must be sent again */
  | { is: "who" };

/** One frame of something that is followed, and the position behind it, or "". */
export interface Delivery {
  at: string;
  frame: { type: string; [more: string]: unknown };
}
