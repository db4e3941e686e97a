import { useLayoutEffect, useRef } from "preact/hooks";
import type { OpenDialog } from "../../state/dialog.ts";
import { colourCode } from "./codecolours.ts";
import { clean } from "./html.ts";
import { memo } from "./memo.ts";

interface Least { wrote: OpenDialog["wrote"] }

/**
 * Rich shows markdown that the server rendered; without html, the text as it is. `least` is
 * the dialog of an answer: one that was just written is as tall as it was
 * while it was, and what was selected stays so.
 */
export const Rich = memo(function Rich({ html, text, project, least }: { html: string | undefined; text: string; project: string; least?: Least }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (html === undefined || html === "") return;
    box.current!.replaceChildren(clean(html, project));
    colourCode(box.current!);
  }, [html, project]);
  useLayoutEffect(() => {
    const wrote = least?.wrote;
    if (!wrote || !box.current) return;
    least.wrote = null;
    wrote.select()?.(box.current);
    if (wrote.width === box.current.offsetWidth) box.current.style.minBlockSize = `${wrote.height}px`;
  }, []);
  if (html === undefined || html === "") return <div class="prose plain" dir="auto">{text}</div>;
  return <div class="prose" dir="auto" ref={box} />;
});
