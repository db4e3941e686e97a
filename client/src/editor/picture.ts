import type { Range } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";
import { Decoration, EditorView, WidgetType } from "@codemirror/view";

/** PictureOptions is what pictures need from the window. */
export interface PictureOptions {
  /** picture returns what shows a local picture in an img; null where the window shows none of that address */
  picture: (address: string) => Draw | null;
  noPicture: (address: string) => string;
  /** pictureAt is what stands at a picture of another host, which is never fetched */
  pictureAt: (host: string) => string;
}

type Draw = (img: HTMLImageElement) => Promise<void>;

// Where a picture was shown before, its room is kept until it has come again.
const heights = new Map<string, number>();

class Picture extends WidgetType {
  constructor(readonly address: string, readonly alt: string, readonly draw: Draw, readonly failed: string) { super(); }
  override eq(o: Picture): boolean { return o.address === this.address && o.alt === this.alt; }
  toDOM(view: EditorView): HTMLElement {
    const box = document.createElement("span");
    box.className = "md-picture";
    const img = document.createElement("img");
    img.alt = this.alt;
    const room = heights.get(this.address);
    if (room) box.style.minHeight = `${room}px`;
    img.onload = () => {
      box.style.minHeight = "";
      heights.set(this.address, box.offsetHeight);
      view.requestMeasure();
    };
    const fail = () => {
      box.textContent = this.failed;
      box.classList.add("failed");
      view.requestMeasure();
    };
    img.onerror = fail;
    this.draw(img).catch(fail);
    box.append(img);
    return box;
  }
  override ignoreEvent(): boolean { return false; }
}

/** picture puts a local picture below the words that name it, which are its caption. It reports whether there is one. */
export function picture(n: SyntaxNode, address: string, alt: string, out: Range<Decoration>[], o: PictureOptions): boolean {
  const draw = o.picture(address);
  if (draw === null) return false;
  out.push(Decoration.widget({ widget: new Picture(address, alt, draw, o.noPicture(address)), side: 1 }).range(n.to));
  return true;
}

class Host extends WidgetType {
  constructor(readonly words: string, readonly alone: boolean) { super(); }
  override eq(o: Host): boolean { return o.words === this.words && o.alone === this.alone; }
  toDOM(): HTMLElement {
    const el = document.createElement("span");
    el.className = `chip md-host${this.alone ? " md-link" : ""}`;
    el.textContent = this.words;
    return el;
  }
  override ignoreEvent(): boolean { return false; }
}

/** elsewhere puts the host of a picture behind the words that name it, or in their place: it would learn who reads what, and is shown nothing. It reports whether there is a host. */
export function elsewhere(n: SyntaxNode, address: string, alone: boolean, out: Range<Decoration>[], o: PictureOptions): boolean {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return false;
  out.push(Decoration.widget({ widget: new Host(o.pictureAt(new URL(address).host), alone), side: 1 }).range(n.to));
  return true;
}
