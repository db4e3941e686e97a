import { useLayoutEffect, useRef } from "preact/hooks";
import { clean } from "./html.ts";
import { memo } from "./memo.ts";

/** Rich shows markdown that the server rendered; without html, the text as it is. */
export const Rich = memo(function Rich({ html, text, project }: { html: string | undefined; text: string; project: string }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (html !== undefined && html !== "") box.current!.replaceChildren(clean(html, project));
  }, [html, project]);
  if (html === undefined || html === "") return <div class="prose plain" dir="auto">{text}</div>;
  return <div class="prose" dir="auto" ref={box} />;
});
