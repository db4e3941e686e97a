import { signal } from "@preact/signals";
import { login as say } from "../text/strings.ts";

const KEY = "vibey.token";

/** The bearer token, "" where this browser has none yet. It lives in localStorage, never in a cookie. */
export const token = signal(localStorage.getItem(KEY) ?? "");

/** Why the login page is shown, in words; "" at a first visit. */
export const loginReason = signal("");

/** login trades a one-time code for the token. It reports whether that is another than this browser had, and throws an Error whose message is for the human. */
export async function login(code: string): Promise<boolean> {
  let res: Response;
  try {
    res = await fetch("/login", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ code: code.trim() }),
    });
  } catch {
    throw new Error(say.silent);
  }
  if (!res.ok) {
    throw new Error(say.refused);
  }
  const body = (await res.json()) as { token: string };
  const fresh = body.token !== token.peek();
  localStorage.setItem(KEY, body.token);
  loginReason.value = "";
  token.value = body.token;
  return fresh;
}

/** endSession drops the token that the server refused, where no tab has signed in with another since. */
export function endSession(reason: string, refused: string): void {
  if (token.peek() !== refused) return;
  const kept = localStorage.getItem(KEY) ?? "";
  if (kept !== "" && kept !== refused) {
    token.value = kept;
    return;
  }
  localStorage.removeItem(KEY);
  loginReason.value = reason;
  token.value = "";
}

/** renewed reports whether this tab has another token by now than the one that was used: what was refused by that is asked for again. */
export function renewed(used: string): boolean { return token.peek() !== "" && token.peek() !== used; }

/** codeFromAddress takes the code out of the address, so that no history and no bookmark keeps it. */
export function codeFromAddress(): string {
  const m = /^#code=(.+)$/.exec(location.hash);
  if (!m) return "";
  history.replaceState(null, "", location.pathname + "#/projects");
  try {
    return decodeURIComponent(m[1]!);
  } catch {
    return m[1]!; // not a code; the server will say so
  }
}

// A login in one tab logs all tabs in.
addEventListener("storage", (e) => {
  if (e.key === KEY) token.value = e.newValue ?? "";
});
