// Lines that go are left empty, so that those below keep their numbers.
const emptied = (text: string) => text.replace(/[^\n]+/g, "");

/** uncommented returns a text without CriticMarkup: a comment goes, a passage stays, and so does what is there before a suggestion holds. */
export function uncommented(text: string): string {
  const now = text.replace(/\{>>(?:(?!\{>>)[^])*?<<\}|\{\+\+(?:(?!\{\+\+)[^])*?\+\+\}/g, emptied)
    .replace(/\{(==|--)((?:(?!\{\1|\1\})[^])*)\1\}/g, "$2")
    .replace(/\{~~((?:(?!\{~~|~>)[^])*)(~>(?:(?!\{~~|~~\})[^])*)~~\}/g, (_, old: string, now: string) => old + emptied(now));
  return now === text ? text : uncommented(now);
}
