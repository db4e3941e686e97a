import { signal, type Signal } from "@preact/signals";

/**
 * Stretches decides when the stretches of a log are drawn: those near the view at once, and
 * the others when the browser has nothing else to do, from the end upwards. Before that a
 * stretch is its bare text.
 */
export class Stretches {
  #drawn = new Map<number, Signal<boolean>>();
  #at = new WeakMap<Element, number>();
  #near: IntersectionObserver | null = null;
  #idle = 0;

  /** drawn tells whether the stretch that begins at a section is drawn. */
  drawn(at: number, now: boolean): Signal<boolean> {
    let s = this.#drawn.get(at);
    if (s === undefined) {
      s = signal(now);
      this.#drawn.set(at, s);
    } else if (now && !s.peek()) s.value = true;
    if (!s.peek()) this.#later();
    return s;
  }

  /** watch draws a stretch when its element comes near the view. */
  watch(el: Element, at: number): () => void {
    this.#near ??= new IntersectionObserver((all) => {
      for (const e of all) if (e.isIntersecting) this.draw(this.#at.get(e.target)!);
    }, { root: el.closest(".scroll"), rootMargin: "150% 0px" });
    this.#at.set(el, at);
    this.#near.observe(el);
    return () => this.#near?.unobserve(el);
  }

  draw(at: number): void {
    const s = this.#drawn.get(at);
    if (s !== undefined) s.value = true;
  }

  all(): void { for (const s of this.#drawn.values()) s.value = true; }

  close(): void {
    this.#near?.disconnect();
    cancelIdle(this.#idle);
  }

  #later(): void { this.#idle ||= whenIdle(this.#next); }

  #next = (): void => {
    this.#idle = 0;
    const left = [...this.#drawn].filter(([, s]) => !s.peek()).map(([at]) => at);
    if (left.length === 0) return;
    this.draw(Math.max(...left));
    this.#later();
  };
}

const whenIdle: (f: () => void) => number = typeof requestIdleCallback === "function" ? (f) => requestIdleCallback(f, { timeout: 100 }) : (f) => setTimeout(f, 50);
const cancelIdle: (id: number) => void = typeof cancelIdleCallback === "function" ? (id) => cancelIdleCallback(id) : (id) => clearTimeout(id);
