import { Prec, StateEffect, type ChangeSet, type Text } from "@codemirror/state";
import { EditorView, keymap, ViewPlugin } from "@codemirror/view";
import type { Range } from "../text/critic.ts";
import { mayMark } from "../text/criticbegins.ts";
import type { DrawOptions } from "./critic.ts";
import { beginsIn } from "./criticbegins.ts";

/** CriticOptions is what CriticMarkup needs from the window. */
export interface CriticOptions extends DrawOptions {
  /** is called by the key for a comment, where something is selected */
  comment: () => void;
}

type Code = typeof import("./critic.ts");

/** Later is the code that draws CriticMarkup, in one editor: it is loaded with the first mark in the text. */
class Later {
  #code: Promise<Code> | null = null;
  #drawn: Code | null = null;
  #noted = true;
  #gone = false;

  constructor(readonly view: EditorView, readonly o: CriticOptions) {
    setTimeout(() => { if (!this.#gone && mayMark(view.state.doc.toString())) this.load().catch(() => undefined); });
  }

  update(u: { docChanged: boolean; changes: ChangeSet; state: { doc: Text } }): void {
    if (u.docChanged && this.#code === null && beginsIn(u.changes, u.state.doc)) this.load().catch(() => undefined);
  }

  load(): Promise<Code> {
    this.#code ??= import("./critic.ts").then((code) => {
      if (this.#gone) return code;
      this.view.dispatch({ effects: StateEffect.appendConfig.of(code.critic(this.o)) });
      this.#drawn = code;
      this.setNoted(this.#noted);
      return code;
    }, (e: unknown) => {
      this.#code = null;
      throw e;
    });
    return this.#code;
  }

  setNoted(on: boolean): void {
    this.#noted = on;
    if (this.#drawn) this.view.dispatch({ effects: this.#drawn.setNoted.of(on) });
  }

  destroy(): void { this.#gone = true; }
}

/** criticLater draws CriticMarkup once there is some, and lets a key comment on what is selected. */
export function criticLater(o: CriticOptions) {
  const plugin = ViewPlugin.define((view) => new Later(view, o));
  return {
    extension: [plugin, Prec.high(keymap.of([{ key: "Mod-Alt-m", run: (view) => !view.state.selection.main.empty && !view.state.readOnly && (o.comment(), true), preventDefault: true }]))],
    /** comment puts a comment on a passage, by way of o.onAct, and reports whether one can stand there */
    comment: async (view: EditorView, passage: () => Range | null, words: string): Promise<boolean> => {
      const code = await view.plugin(plugin)?.load(), at = passage();
      let stands = false;
      if (code && at) o.onAct(() => (stands = code.putComment(view, at, words)));
      return stands;
    },
    setNoted: (view: EditorView, on: boolean) => view.plugin(plugin)?.setNoted(on),
  };
}
