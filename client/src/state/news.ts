import { nameOf } from "../text/names.ts";
import type { News } from "../text/group.ts";
import { list } from "../text/strings.ts";
import { notify } from "./notify.ts";
import { announce } from "./toast.ts";

/** tellNews tells a screen reader what happened in dialogs, and the system's notices what needs a human. */
export function tellNews(news: News[]): void {
  if (news.length > 0) announce(news.map((n) => list.news(nameOf(n.d), n.is)).join(". "));
  notify(news);
}
