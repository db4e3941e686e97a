import type { Passage } from "../types.ts";
import { findPassage, passageIn } from "../text/passage.ts";
import { behind } from "../text/queue.ts";
import { passage as say, told } from "../text/strings.ts";
import type { OpenDoc } from "./doc.ts";
import type { ModelChoice } from "./dialog.ts";
import { Outgoing } from "./outgoing.ts";
import { announce } from "./toast.ts";
import { Draft } from "./unsent.ts";

/** Ask is a question about a passage of the doc in view: its words, and the dialog that they go to. */
export class Ask extends Outgoing {
  readonly words: Draft;
  #asked = { from: 0, text: "" };

  /** choose tells who answers in a new dialog. */
  constructor(doc: OpenDoc, choose: () => Promise<ModelChoice>) {
    super(doc, choose, say);
    this.words = new Draft(doc.project, `?on:${doc.name}`);
  }

  /** begin takes the passage that is marked in the text. */
  begin(): void {
    const at = this.doc.editor!.asked()!;
    this.#asked = { from: at.from, text: this.doc.text.slice(at.from, at.to) };
    this.rest();
    this.toLast();
  }

  /** leave closes the field; focus and selection are given back. */
  leave(): void {
    this.rest();
    this.doc.asking.value = false;
    const { editor } = this.doc, at = editor?.asked();
    if (!editor || !at) return;
    editor.ask(null);
    editor.select(at);
  }

  /** send saves what is unsaved, and sends the question with its passage. Where it does not go out, the words stay. */
  async send(): Promise<void> {
    const prompt = this.words.text.peek();
    if (prompt.trim() === "") return;
    this.trouble.value = this.words.files.holds();
    if (this.trouble.peek() !== "") return;
    const sent = await this.goOut(() => ({ prompt, on: [this.#on()] }));
    if (sent === null) return;
    // What was written meanwhile was not sent.
    const more = behind(this.words.text.peek(), sent.prompt);
    this.words.write(more);
    this.doc.asking.value = more !== "";
    announce(told.sent);
    const at = this.doc.editor?.asked();
    if (!at) return;
    this.doc.question.value = { dialog: sent.id, ...at };
    if (more !== "") return this.toLast();
    this.doc.editor!.ask(null);
    this.doc.editor!.select({ from: at.to, to: at.to }); // what is typed next takes the place of nothing
  }

  // The passage in the file as it was read or saved last.
  #on(): Passage {
    const { text, etag } = this.doc.file, at = this.doc.editor?.asked() ?? null;
    const { text: words, from } = this.#asked;
    const range = at !== null && text.slice(at.from, at.to) === words ? at : findPassage(text, words, at?.from ?? from);
    if (range === null) throw new Error(say.changed);
    if (at?.from !== range.from || at.to !== range.to) this.doc.editor?.ask(range);
    return passageIn(this.doc.name, etag, text, range);
  }

  override close(): void {
    super.close();
    this.words.close();
  }
}
