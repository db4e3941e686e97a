import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { lastPressed } from "../../state/pressed.ts";
import { showAlone } from "../../state/toast.ts";
import { uncovered, useSettled } from "./still.ts";

/** Modal shows a question that must be answered first; what its paragraphs say, as what would be lost, is said with it. Escape gives its harmless answer. */
export function Modal({ title, children, onClose }: { title: string; children: ComponentChildren; onClose: () => void }) {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  // The second click of a double click must not answer the question that the first one opened.
  const { settled, onClickCapture } = useSettled(box);
  useEffect(() => {
    const at = document.activeElement as HTMLElement | null;
    const before = at === null || at === document.body ? lastPressed() : at; // a button is off while its work is done
    showAlone(box.current!);
    return () => {
      uncovered();
      before?.focus?.();
    };
  }, []);
  const [about, setAbout] = useState("");
  useLayoutEffect(() => {
    const said = [...box.current!.querySelectorAll(":scope > div > p")];
    said.forEach((p, i) => (p.id = `${id}-${i}`));
    setAbout(said.map((p) => p.id).join(" "));
  });
  return (
    <dialog ref={box} class="modal" aria-labelledby={id} aria-describedby={about || undefined} onCancel={(e) => { e.preventDefault(); onClose(); }}>
      <h2 id={id}>{title}</h2>
      <div role="group" aria-disabled={!settled} onClickCapture={onClickCapture}>{children}</div>
    </dialog>
  );
}
