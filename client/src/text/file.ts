import type { FileTarget } from "../types.ts";
import { bytes } from "./time.ts";

/** targetWord returns the word of an approval that binds it to the file which the call would write, as it was shown; "" where the server told none. */
export function targetWord(t: FileTarget | undefined): string {
  if (!t) return "";
  if (!t.exists) return "target:none";
  return t.sha256 ? `target:${t.sha256}` : "";
}

/** fileWords says what the file holds that a call would write, or "" where there is nothing to say. */
export function fileWords(tool: string, t: FileTarget | undefined): string {
  if (tool === "edit_file") return t && !t.exists ? "There is no such file now, so this will fail." : "";
  if (tool !== "write_file") return "";
  if (!t) return "What the file held before is replaced.";
  return t.exists ? `It replaces what stands there now (${bytes(t.bytes)}).` : "It makes a new file.";
}
