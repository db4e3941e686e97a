/** How often a tab asks whether the switchboard is there, in ms. */
export const BEAT = 4000;
const PATIENCE = 2;

/**
 * Pulse tells a switchboard that is dead from one that is slow. It counts questions and
 * not time: a tab that was frozen gets the answers only after it has asked again.
 */
export class Pulse {
  #unanswered = 0;

  /** answered is called with each answer. */
  answered(): void { this.#unanswered = 0; }

  /** ask counts a question. It reports whether those before it had no answer, and then begins anew. */
  ask(): boolean {
    const dead = this.#unanswered === PATIENCE;
    this.#unanswered = dead ? 0 : this.#unanswered + 1;
    return dead;
  }
}
