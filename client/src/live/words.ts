// What a tab and the switchboard say to each other. Both are plain objects: they pass
// through a worker's port or a BroadcastChannel.

/** What a tab says. */
export type Said =
  | { do: "token"; token: string }
  /** follow something from a position on; `what` is "projects", "project/NAME" or "dialog/NAME/ID" */
  | { do: "watch"; key: string; what: string; at: string }
  | { do: "leave"; key: string }
  /** try the connection at once */
  | { do: "now" }
  /** the tab is still open; the answer says that the switchboard is there */
  | { do: "here" }
  | { do: "bye" };

/** What a tab hears. */
export type Heard =
  | { is: "frames"; key: string; frames: Told[] }
  /** since when the connection is lost, in epoch ms; null: it stands */
  | { is: "line"; lost: number | null }
  /** the server does not take this tab's token */
  | { is: "refused"; token: string }
  | { is: "here" }
  /** say again what you follow: it is not known here */
  | { is: "who" };

/** One frame of something that is followed, and the position behind it, or "". */
export interface Told {
  at: string;
  frame: { type: string; [more: string]: unknown };
}
