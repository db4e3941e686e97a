/** What pasting and dropping bring, as a browser gives it. */
export interface Brought { files: ArrayLike<File>; getData(type: string): string }

/**
 * filesOf returns the files that are brought. Beside html they count only where that is one picture and no word, as a
 * browser copies it: a text program brings a picture of its words along, which is not meant.
 */
export function filesOf(data: Brought | null): File[] {
  const files = [...Array.from(data?.files ?? [])];
  if (files.length === 0) return files;
  const html = data!.getData("text/html");
  const bare = html.replace(/<!--[^]*?-->|<(style|title)\b[^]*?<\/\1>/gi, "");
  return html === "" || ((bare.match(/<img\b/gi) ?? []).length === 1 && /^\s*$/.test(bare.replace(/<[^>]*>|&nbsp;/g, ""))) ? files : [];
}
