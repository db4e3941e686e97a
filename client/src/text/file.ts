import type { FileTarget } from "../types.ts";
import { bytes } from "./time.ts";

/** targetWord names the file that a call would write, as it was shown: what an approval is bound to beside the input. "" where the server told none. */
export function targetWord(t: FileTarget | undefined): string {
  if (!t) return "";
  if (!t.exists) return "target:none";
  return t.sha256 ? `target:${t.sha256}` : "";
}

/** fileWords says what stands where a call would write, or "" where nothing more is to be said. */
export function fileWords(tool: string, t: FileTarget | undefined): string {
  if (tool === "edit_file") return t && !t.exists ? "There is no such file now, so this will fail." : "";
  if (tool !== "write_file") return "";
  if (!t) return "What the file held before is replaced.";
  return t.exists ? `It replaces what stands there now (${bytes(t.bytes)}).` : "It makes a new file.";
}
