const FIRST = 1000, MOST = 30_000;

/** pauseAfter returns how long to wait, in ms, before what failed n times in a row is tried again. */
export function pauseAfter(n: number): number { return Math.min(MOST, FIRST * 2 ** (n - 1)); }
