const BEGINS = /\{(?:\+\+|--|~~|>>|==)/;

/** mayMark reports whether a text has what begins a mark of CriticMarkup. */
export function mayMark(text: string): boolean { return BEGINS.test(text); }
