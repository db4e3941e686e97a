/** statusWords returns words for a refused request where the server sent none. */
export function statusWords(status: number): string {
  if (status === 401) return "The server wants the code again.";
  if (status === 404) return "It is not there any more.";
  if (status === 409) return "Something changed since you looked.";
  if (status === 413) return "That is more than the server takes at once (16 MiB).";
  if (status >= 500) return "The server could not do it. Nothing was changed.";
  return `The server refused (${status}).`;
}
