import { server as say } from "./strings.ts";

/** statusWords returns words for a refused request where the server sent none. */
export function statusWords(status: number): string {
  if (status === 401) return say.code;
  if (status === 404) return say.gone;
  if (status === 409) return say.changed;
  if (status === 413) return say.tooMuch;
  if (status >= 500) return say.failed;
  return say.refused(status);
}
