// What is put off; null where nothing is.
let waiting: (() => void)[] | null = null;

/** wordsFirst puts off what `afterwards` is given until wordsStand is called, 3 s at most. */
export function wordsFirst(): void {
  waiting = [];
  setTimeout(wordsStand, 3000);
}

/** wordsStand is called once the text that the address names can be written in, or can't be had. */
export function wordsStand(): void {
  const all = waiting ?? [];
  waiting = null;
  setTimeout(() => { for (const f of all) f(); }); // the text is drawn first
}

/** afterwards calls f once no words are waited for: what is asked for before makes them come later. */
export function afterwards(f: () => void): void {
  if (waiting === null) f();
  else waiting.push(f);
}
