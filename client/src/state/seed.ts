// A text that is to be put into a doc as soon as it is open: an example that
// the writer chose. It is not saved by that.
let seed: { project: string; file: string; text: string } | null = null;

export function setSeed(project: string, file: string, text: string): void { seed = { project, file, text }; }

/** takeSeed gives the text for a doc, once. */
export function takeSeed(project: string, file: string): string | null {
  if (seed === null || seed.project !== project || seed.file !== file) return null;
  const { text } = seed;
  seed = null;
  return text;
}
