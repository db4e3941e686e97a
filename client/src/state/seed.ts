// An example that the human chose: it is put into the doc once that is open, unsaved.
let seed: { project: string; file: string; text: string } | null = null;

export function setSeed(project: string, file: string, text: string): void { seed = { project, file, text }; }

/** takeSeed returns the text for a doc, once. */
export function takeSeed(project: string, file: string): string | null {
  if (seed === null || seed.project !== project || seed.file !== file) return null;
  const { text } = seed;
  seed = null;
  return text;
}
