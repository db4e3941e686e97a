const HELD = 20_000;
const SETTLE = 80;
const me = Math.random().toString(36).slice(2);

/**
 * exclusively runs f while no other tab of this browser runs one under that name, and
 * waits for its turn. The browser's own locks are there only on pages that it
 * holds for secure, this computer's among them.
 */
export async function exclusively(name: string, f: () => Promise<void>): Promise<void> {
  // The type says that it is always there; on a plain http page from elsewhere it is not.
  const locks = navigator.locks as LockManager | undefined;
  if (locks) return void (await locks.request(name, f));
  for (;;) {
    const [by, until] = (localStorage.getItem(name) ?? "").split(" ");
    if (by === undefined || by === me || !(Number(until) > Date.now())) {
      localStorage.setItem(name, `${me} ${Date.now() + HELD}`);
      await pause(); // of two tabs that came at once the last one has its name there
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
 * claim takes a name until the function that it gives is called, or this tab goes; null
 * means that another tab has it. What one tab writes to localStorage another may read
 * later than it gets a lock that the first has let go: a claim does not depend on that.
 * Without the browser's locks every tab gets it.
 */
export function claim(name: string): Promise<(() => void) | null> {
  const locks = navigator.locks as LockManager | undefined;
  if (!locks) return Promise.resolve(() => undefined);
  return new Promise((given, failed) => {
    locks.request(name, { ifAvailable: true }, (got) => new Promise<void>((release) => {
      given(got && release);
      if (!got) release();
    })).catch(failed);
  });
}

function pause(): Promise<void> { return new Promise((ok) => setTimeout(ok, SETTLE)); }
