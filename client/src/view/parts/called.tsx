import { besideTitle } from "../../text/names.ts";

/** Called shows what people call a thing, and dim beside it its name where that says something else. */
export function Called({ title, name }: { title: string; name: string }) {
  const dim = besideTitle(title, name);
  return <span class="name"><span dir="auto">{title}</span>{dim !== "" && <> <span class="as">{dim}</span></>}</span>;
}
