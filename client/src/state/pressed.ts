// A button that is pressed by a key may be off while its work is done, or go when it is
// done, and the browser drops the focus then: the next key would go to the page.

// How long after the key that is looked for, and how often, in ms.
const LONG = 3000, OFTEN = 60;

const FOCUSABLE = "button:not(:disabled), a[href], input:not(:disabled), summary, [tabindex='0']";

let last: { button: HTMLElement; around: HTMLElement[] } | null = null;
let timer: ReturnType<typeof setInterval> | undefined;

/** lastPressed returns the button that was pressed by a key last, as long as it is there. */
export function lastPressed(): HTMLElement | null { return last?.button.isConnected ? last.button : null; }

/** startPressed begins to keep the focus with what stands where a button was pressed by a key. */
export function startPressed(): void {
  addEventListener("keydown", (e) => {
    if (e.key !== "Enter" && e.key !== " ") return stop();
    const button = (e.target as Element | null)?.closest?.<HTMLElement>("button, a[href], summary");
    if (!button) return stop();
    const around: HTMLElement[] = [];
    for (let at = button.parentElement; at !== null && at !== document.body; at = at.parentElement) around.push(at);
    last = { button, around };
    clearInterval(timer);
    const end = performance.now() + LONG;
    timer = setInterval(() => { if (performance.now() > end) clearInterval(timer); else look(); }, OFTEN);
  }, { capture: true });
  addEventListener("pointerdown", stop, { capture: true });
}

function stop(): void {
  clearInterval(timer);
  last = null;
}

function look(): void {
  if (last === null || (document.activeElement !== null && document.activeElement !== document.body)) return;
  const { button, around } = last;
  if (button.isConnected && button.matches(":disabled")) return; // its work is being done
  if (button.isConnected) return button.focus();
  for (const at of around) {
    const near = at.isConnected ? at.querySelector<HTMLElement>(FOCUSABLE) : null;
    if (near) return near.focus();
  }
}
