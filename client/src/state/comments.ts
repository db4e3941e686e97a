import { passageIn } from "../text/passage.ts";
import { sayComments } from "../text/opencomments.ts";
import { comments as say, told } from "../text/strings.ts";
import type { ModelChoice } from "./dialog.ts";
import type { OpenDoc } from "./doc.ts";
import { Outgoing } from "./outgoing.ts";
import { announce } from "./toast.ts";

/** Comments is the one message of all open comments of the doc in view. */
export class Comments extends Outgoing {
  constructor(doc: OpenDoc, choose: () => Promise<ModelChoice>, private readonly sent: (id: string) => void) { super(doc, choose, say); }

  /** send sends the comments, each with its passage. They stay in the text until they are done. */
  async send(): Promise<void> {
    const id = await this.goOut(() => {
      const { text, etag } = this.doc.file, all = sayComments(text);
      if (all === null) throw new Error(say.none);
      return { prompt: all.prompt, on: all.on.map((r) => passageIn(this.doc.name, etag, text, r)) };
    });
    if (id === null) return;
    announce(told.sent);
    this.sent(id);
  }
}
