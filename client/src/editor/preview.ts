import { syntaxTree } from "@codemirror/language";
import type { Range } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, WidgetType, type DecorationSet, type ViewUpdate } from "@codemirror/view";

class Bullet extends WidgetType {
  override eq(): boolean { return true; }
  toDOM(): HTMLElement {
    const el = document.createElement("span");
    el.className = "md-bullet";
    el.textContent = "•";
    return el;
  }
}

class Box extends WidgetType {
  constructor(readonly done: boolean) { super(); }
  override eq(o: Box): boolean { return o.done === this.done; }
  toDOM(view: EditorView): HTMLElement {
    const el = document.createElement("input");
    el.type = "checkbox";
    el.className = "md-box";
    el.checked = this.done;
    el.setAttribute("aria-label", "task");
    el.onmousedown = (e) => e.preventDefault();
    el.onclick = () => {
      const pos = view.posAtDOM(el);
      view.dispatch({ changes: { from: pos + 1, to: pos + 2, insert: this.done ? " " : "x" } });
    };
    return el;
  }
  override ignoreEvent(): boolean { return true; }
}

const HIDE = Decoration.replace({});
const BULLET = Decoration.replace({ widget: new Bullet() });
const CODE = Decoration.mark({ class: "md-inline-code" });
const LINK = Decoration.mark({ class: "md-link" });
const DASH = Decoration.mark({ class: "md-dash" });
const NUMBER = Decoration.mark({ class: "md-number" });

/**
 * livePreview hides the marks of markdown on every line but the cursor's, so that the
 * text reads like a page and is edited as markdown.
 */
export const livePreview = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) { this.decorations = build(view); }
    update(u: ViewUpdate): void {
      if (u.docChanged || u.viewportChanged || u.selectionSet || u.focusChanged || syntaxTree(u.startState) !== syntaxTree(u.state)) {
        this.decorations = build(u.view);
      }
    }
  },
  { decorations: (v) => v.decorations },
);

function build(view: EditorView): DecorationSet {
  const { state } = view;
  const lines = new Set<number>();
  for (const r of state.selection.ranges) {
    const last = state.doc.lineAt(r.to).number;
    for (let n = state.doc.lineAt(r.from).number; n <= last; n++) lines.add(n);
  }
  const here = (from: number, to: number) => {
    const last = state.doc.lineAt(to).number;
    for (let n = state.doc.lineAt(from).number; n <= last; n++) if (lines.has(n)) return true;
    return false;
  };
  const out: Range<Decoration>[] = [];
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(state).iterate({
      from, to,
      enter: (n) => {
        const on = here(n.from, n.to);
        switch (n.name) {
          case "InlineCode":
            out.push(CODE.range(n.from, n.to));
            break;
          case "Link":
            out.push(LINK.range(n.from, n.to));
            break;
          case "HeaderMark": {
            if (on || n.node.parent?.name.startsWith("Setext")) break;
            const blank = state.sliceDoc(n.to, n.to + 1) === " " ? 1 : 0;
            out.push(HIDE.range(n.from, n.to + blank));
            break;
          }
          case "EmphasisMark":
          case "StrikethroughMark":
            if (!on) out.push(HIDE.range(n.from, n.to));
            break;
          case "CodeMark":
            if (!on && n.node.parent?.name === "InlineCode") out.push(HIDE.range(n.from, n.to));
            break;
          case "QuoteMark":
            if (!on) out.push(HIDE.range(n.from, n.to + (state.sliceDoc(n.to, n.to + 1) === " " ? 1 : 0)));
            break;
          case "LinkMark":
          case "URL":
          case "LinkTitle":
            // A link without a text of its own keeps its address in view.
            if (!on && n.node.parent?.name === "Link" && hasText(n.node.parent)) out.push(HIDE.range(n.from, n.to));
            break;
          case "ListMark":
            if (/^[-*+]$/.test(state.sliceDoc(n.from, n.to))) {
              if (on) {
                out.push(DASH.range(n.from, n.to));
                break;
              }
              const task = n.node.parent?.getChild("Task");
              out.push(task ? HIDE.range(n.from, task.from) : BULLET.range(n.from, n.to));
            } else out.push(NUMBER.range(n.from, n.to));
            break;
          case "TaskMarker":
            if (!on) out.push(Decoration.replace({ widget: new Box(/x/i.test(state.sliceDoc(n.from, n.to))) }).range(n.from, n.to));
            break;
        }
      },
    });
  }
  return Decoration.set(out, true);
}

function hasText(link: { getChildren(name: string): { from: number; to: number }[]; getChild(name: string): unknown }): boolean {
  const [open, close] = link.getChildren("LinkMark");
  return open !== undefined && close !== undefined && close.from > open.to && link.getChild("URL") !== null;
}
