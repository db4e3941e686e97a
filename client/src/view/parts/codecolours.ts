const MOST = 64 * 1024; // characters of a block: more of them take some 30 ms to put into the page

const waiting: HTMLElement[] = [];
let working = false;
let observer: IntersectionObserver | null = null;

/**
 * colourCode gives the words of the code below an element their colours, once they come
 * into view and the browser has nothing else to do. Nothing of it moves the page.
 */
export function colourCode(below: Element): void {
  for (const code of below.querySelectorAll(`pre > code[class*="${PREFIX}"]`)) {
    observer ??= new IntersectionObserver(seen);
    observer.observe(code);
  }
}

const PREFIX = "md-language-";

function seen(entries: IntersectionObserverEntry[]): void {
  for (const e of entries) {
    if (!e.isIntersecting) continue;
    observer!.unobserve(e.target);
    waiting.push(e.target as HTMLElement);
  }
  if (!working && waiting.length > 0) void work();
}

async function work(): Promise<void> {
  working = true;
  for (let code = waiting.shift(); code !== undefined; code = waiting.shift()) {
    // Without its colours, as where a chunk does not come, code is still code.
    await colour(code).catch(() => undefined);
  }
  working = false;
}

async function colour(code: HTMLElement): Promise<void> {
  const name = [...code.classList].find((c) => c.startsWith(PREFIX))?.slice(PREFIX.length) ?? "";
  const text = code.textContent ?? "";
  if (text.length > MOST) return;
  let time = await idle();
  const { highlight } = await import("../../editor/highlight.ts");
  const pieces = await highlight(text, name, async () => {
    if (time() < 2) time = await idle();
  });
  if (pieces === null) return;
  time = await idle();
  if (!code.isConnected || code.textContent !== text || marked(code)) return;
  code.replaceChildren(...pieces.map((p) => {
    if (p.class === "") return p.text;
    const span = document.createElement("span");
    span.className = p.class;
    span.textContent = p.text;
    return span;
  }));
}

/** idle waits for a time in which the browser has nothing to do, and returns how many milliseconds of it are left. */
function idle(): Promise<() => number> {
  return new Promise((ok) => {
    if (typeof requestIdleCallback === "function") requestIdleCallback((d) => ok(() => d.timeRemaining()), { timeout: 2000 });
    else setTimeout(() => { const end = performance.now() + 8; ok(() => end - performance.now()); }, 50);
  });
}

/** marked reports whether somebody has marked text in an element, which new nodes would undo. */
function marked(el: Element): boolean {
  const s = getSelection();
  return s !== null && !s.isCollapsed && s.containsNode(el, true);
}
