import { passageIn } from "../text/passage.ts";
import { sayComments } from "../text/opencomments.ts";
import { sentKeys, unsentNotes, withoutNew } from "../text/sentcomments.ts";
import { comments as say, told } from "../text/strings.ts";
import type { ModelChoice } from "./dialog.ts";
import type { OpenDoc } from "./doc.ts";
import { Outgoing } from "./outgoing.ts";
import { keepSent, readSent } from "./sentcomments.ts";
import { announce } from "./toast.ts";

/** Comments is the one message of all open comments of the doc in view. */
export class Comments extends Outgoing {
  constructor(doc: OpenDoc, choose: () => Promise<ModelChoice>, private readonly gone: (id: string) => void) {
    super(doc, choose, say);
    addEventListener("storage", this.#stored);
  }

  // The names of those that the last try had.
  #tried: string[] = [];

  // What another tab sent is sent.
  #stored = (): void => {
    const now = readSent(this.doc.project, this.doc.name);
    if (now.join() !== this.doc.sentComments.peek().join()) this.doc.sentComments.value = now;
  };

  /** left counts the comments of the text that were not sent. */
  left(): number { return unsentNotes(this.doc.text, this.doc.sentComments.value).length; }

  /** wrote takes a comment that was just written for one that was not sent. */
  wrote(before: string): void { this.#keep(withoutNew(this.doc.sentComments.peek(), before, this.doc.text)); }

  #keep(keys: string[]): void {
    this.doc.sentComments.value = keys;
    keepSent(this.doc.project, this.doc.name, keys);
  }

  /** send sends the comments that were not sent, each with its passage. They stay in the text until they are done. */
  async send(): Promise<void> {
    const sent = await this.goOut(() => {
      const { text, etag } = this.doc.file, all = sayComments(text, this.doc.sentComments.peek());
      this.#tried = sentKeys(text);
      if (all === null) throw new Error(say.none);
      return { prompt: all.prompt, on: all.on.map((r) => passageIn(this.doc.name, etag, text, r)) };
    });
    if (sent === null) return;
    this.#keep(this.#tried);
    this.turnTo(sent.id);
    announce(told.sent);
    this.gone(sent.id);
  }

  override close(): void {
    super.close();
    removeEventListener("storage", this.#stored);
  }
}
