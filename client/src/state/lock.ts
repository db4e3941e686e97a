const HELD = 20_000;
// What one tab writes to localStorage reaches another some time later: over 80 ms on a busy machine.
const SETTLE = 250;
const me = Math.random().toString(36).slice(2);

/**
 * exclusively runs f while no other tab of this browser runs one under that name; it
 * waits for the lock. Browsers offer locks only in secure contexts, such as pages
 * from this computer; elsewhere localStorage serves.
 */
export async function exclusively(name: string, f: () => Promise<void>): Promise<void> {
  // TypeScript takes navigator.locks as always there; on an http page of another host it is not.
  const locks = navigator.locks as LockManager | undefined;
  if (locks) return void (await locks.request(name, f));
  for (;;) {
    const [by, until] = (localStorage.getItem(name) ?? "").split(" ");
    if (by === undefined || by === me || !(Number(until) > Date.now())) {
      localStorage.setItem(name, `${me} ${Date.now() + HELD}`);
      await pause(); // where two tabs wrote at once, the last one has the lock
      if (localStorage.getItem(name)?.startsWith(me + " ")) break;
    }
    await pause();
  }
  try {
    await f();
  } finally {
    localStorage.removeItem(name);
  }
}

/**
 * claim takes a name for this tab, until the returned function is called or the tab is
 * closed; it returns null if another tab has it, and still has it `wait` ms later. A lock
 * alone is not enough, since a write of one tab to localStorage may reach another only
 * after the lock did. Without the browser's locks every tab gets the name.
 */
export function claim(name: string, wait = 0): Promise<(() => void) | null> {
  const locks = navigator.locks as LockManager | undefined;
  if (!locks) return Promise.resolve(() => undefined);
  return new Promise((given, failed) => {
    locks.request(name, wait > 0 ? { signal: AbortSignal.timeout(wait) } : { ifAvailable: true }, (got) => new Promise<void>((release) => {
      given(got && release);
      if (!got) release();
    })).catch((e: Error) => (e.name === "TimeoutError" ? given(null) : failed(e)));
  });
}

/** heldNames lists the names that tabs of this browser hold; none without the browser's locks. */
export async function heldNames(): Promise<string[]> {
  const locks = navigator.locks as LockManager | undefined;
  return ((await locks?.query())?.held ?? []).map((l) => l.name ?? "");
}

function pause(): Promise<void> { return new Promise((ok) => setTimeout(ok, SETTLE)); }
