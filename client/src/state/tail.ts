/**
 * Tail is the text of the open response. It is kept outside of the rendered tree, so
 * that a token costs one text node a frame, however long the dialog is.
 */
export class Tail {
  text = "";
  #node: Text | null = null;
  #due = false;
  #onFlush: (() => void) | null = null;

  /** show binds the tail to an element; onFlush is called after each frame in which it grew. */
  show(el: HTMLElement | null, onFlush: (() => void) | null): void {
    this.#onFlush = onFlush;
    if (el === null) {
      this.#node = null;
      return;
    }
    this.#node = document.createTextNode(this.text);
    el.replaceChildren(this.#node);
  }

  push(piece: string): void {
    this.text += piece;
    this.#flushSoon();
  }

  clear(): void {
    this.text = "";
    if (this.#node) this.#node.data = "";
  }

  #flushSoon(): void {
    if (this.#due) return;
    this.#due = true;
    requestAnimationFrame(() => {
      this.#due = false;
      if (this.#node && this.#node.data !== this.text) {
        this.#node.appendData(this.text.slice(this.#node.data.length));
        this.#onFlush?.();
      }
    });
  }
}
