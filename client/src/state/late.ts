/** Late is code that is loaded when it is used for the first time. */
export class Late<M> {
  #code: Promise<M> | null = null;
  #uses = 0;

  constructor(private readonly load: () => Promise<M>) {}

  /** asked reports whether the code was asked for: what it does may have to be ended. */
  get asked(): boolean { return this.#code !== null; }

  /** use calls f with the code, unless use or cancel is called before that is loaded. Where it can't be loaded, the next use tries again. */
  use(f: (code: M) => void): void {
    const mine = ++this.#uses;
    this.#code ??= this.load();
    this.#code.then((code) => { if (mine === this.#uses) f(code); }, () => { this.#code = null; });
  }

  /** cancel drops the use that waits for the code. */
  cancel(): void { this.#uses++; }
}
