/** uncommented returns a line without CriticMarkup: a comment goes, a passage stays, and so does what is there before a suggestion holds. */
export function uncommented(line: string): string {
  const now = line.replace(/\{>>.*?<<\}|\{\+\+.*?\+\+\}/g, "").replace(/\{(==|--)((?:(?!\{\1|\1\}).)*)\1\}/g, "$2").replace(/\{~~(.*?)~>.*?~~\}/g, "$1");
  return now === line ? line : uncommented(now);
}
