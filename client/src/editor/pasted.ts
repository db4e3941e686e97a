import type { EditorState } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { linkable } from "../text/links.ts";
import { pasted as say } from "../text/strings.ts";
import { takeNotes } from "./pastednotes.ts";
import { tidy } from "./tidy.ts";
export { styleless } from "./tidy.ts";

/** pasteForm pastes html, parsed, as markdown: its words at the cursor, which stands behind them, its footnotes at the text's end. Where nothing is in it, `text` is pasted. */
export function pasteForm(view: EditorView, root: DocumentFragment, text: string): void {
  const made = markdownOf(root, notesIn(view.state)), { notes } = made, parts = made.parts.length === 0 && notes === "" ? [text] : made.parts, words = parts.join("\n\n");
  const { state } = view, put = state.selection.ranges.length > 1 ? state.replaceSelection(state.toText(words)) : within(state, words, made.parts);
  const { newDoc } = state.update(put), end = newDoc.length, tail = newDoc.sliceString(Math.max(0, end - 2));
  const gap = tail === "" || tail.endsWith("\n\n") ? "" : tail.endsWith("\n") ? "\n" : "\n\n";
  const atEnd = notes === "" ? {} : { changes: { from: end, insert: state.toText(gap + notes + (tail.endsWith("\n") ? "\n" : "")) }, sequential: true };
  view.dispatch(put, atEnd, { userEvent: "input.paste", scrollIntoView: true });
}

// What makes a line a quotation, a list's item or a footnote.
const MARKS = /^(?:[ \t]*(?:>[ \t]?|(?:[-*+]|\d{1,9}[.)]|\[\^[^\]\s[]{1,60}\]:)[ \t]+))*[ \t]*/;
const ITEM = /(?:[-*+]|\d{1,9}[.)])[ \t]+$/;

const GAP = "\n\n"; // between blocks

// A block of its own, and one that what is typed right behind it would break. No paragraph begins so, for there these are escaped.
const BLOCK = /^(?:#{1,6} |>|[-*+] |\d{1,9}[.)] |\| |---$|`{3,}[^`\n]*\n)/, CLOSED = /^(?:\| |---$|`{3,}[^`\n]*\n)/;

// Words in several lines stay in the quotation, the list's item or the footnote into which they come; a list goes on with an empty item. Blocks stand apart from the words before and behind them.
function within(state: EditorState, words: string, parts: string[]) {
  const { main } = state.selection, before = state.sliceDoc(state.doc.lineAt(main.from).from, main.from);
  let marks = MARKS.exec(before)![0], { from, to } = main;
  const own = before.slice(marks.length), behind = state.sliceDoc(to, state.doc.lineAt(to).to), last = parts.at(-1) ?? "";
  const item = marks === before && /^(?:[-*+]|\d{1,9}[.)]) /.test(words) ? ITEM.exec(marks)?.[0] ?? "" : "";
  if (item !== "") {
    marks = marks.slice(0, -item.length);
    from -= item.length;
  }
  const on = marks.replace(/\[.*\]:[ \t]+/, "    ").replace(/[-*+]|\d+[.)]/g, (m) => " ".repeat(m.length));
  const lines = (text: string) => text.split("\n").map((l, i) => (i === 0 ? l : l === "" ? on.trimEnd() : on + l)).join("\n");
  if (BLOCK.test(parts[0] ?? "") && own.trim() !== "") {
    words = GAP + words;
    from -= own.length - own.trimEnd().length;
  }
  const put = state.toText(lines(words));
  const apart = BLOCK.test(last) && behind.trim() !== "" || CLOSED.test(last);
  if (apart) to += behind.length - behind.trimStart().length;
  const insert = apart ? put.append(state.toText(`\n${on.trimEnd()}\n${on}`)) : put;
  return { changes: { from, to, insert }, selection: { anchor: from + (behind.trim() === "" ? insert : put).length } };
}

// The names of the footnotes that the text has.
function notesIn(state: EditorState): Set<string> {
  return new Set([...state.doc.toString().matchAll(/\[\^([^\]\s]{1,80})\]/g)].map((m) => m[1]!));
}

/*
 * markdownOf makes markdown of html that was copied from a page or a text program: headings, emphasis, links, lists,
 * tables, quotations, code, pictures of the web; and apart, for the text's end, the footnotes. Nothing else of it is kept, no style
 * and no address that could run something. `taken` are the names that the text's own footnotes have. `root` is the content of a template, and is changed.
 */
function markdownOf(root: DocumentFragment, taken: Set<string>): { parts: string[]; notes: string } {
  tidy(root);
  const notes = takeNotes(root, taken).map(({ name, at }) => indent(blocks(at).join("\n\n"), `[^${name}]: `, 4));
  return { parts: blocks(root), notes: notes.join("\n\n") };
}

const BLOCKS = new Set("ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY CENTER DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM H1 H2 H3 H4 H5 H6 HEADER HR HTML LI MAIN NAV OL P PRE SECTION SUMMARY TABLE TBODY TD TFOOT TH THEAD TR UL".split(" "));

// What is in an element as blocks of markdown: words that stand beside a block are a paragraph.
function blocks(at: Node): string[] {
  const out: string[] = [];
  let words = "";
  const end = () => {
    const p = paragraph(words);
    if (p !== "") out.push(p);
    words = "";
  };
  for (const n of at.childNodes) {
    if (!(n instanceof Element) || !holdsBlocks(n)) words += inline(n);
    else {
      end();
      out.push(...block(n));
    }
  }
  end();
  return out;
}

const holdsBlocks = (el: Element): boolean => BLOCKS.has(el.tagName) || [...el.children].some(holdsBlocks);

function block(el: Element): string[] {
  const heading = /^H([1-6])$/.exec(el.tagName);
  if (heading) {
    const words = oneLine(inlines(el));
    return words === "" ? [] : ["#".repeat(Number(heading[1])) + " " + words];
  }
  switch (el.tagName) {
    case "HR": return ["---"];
    case "PRE": return [fenced(el)];
    case "BLOCKQUOTE": return [blocks(el).join("\n\n").replace(/^/gm, "> ").replace(/^> $/gm, ">")];
    case "UL": case "OL": return [list(el)];
    case "TABLE": return [table(el as HTMLTableElement)];
    default: return blocks(el);
  }
}

function fenced(el: Element): string {
  const code = (el.textContent ?? "").replace(/\n$/, "");
  const fence = "`".repeat(Math.max(3, ...[...code.matchAll(/`+/g)].map((m) => m[0].length + 1)));
  return `${fence}${/\blang(?:uage)?-([\w+#-]+)/.exec(el.className + " " + (el.querySelector("code")?.className ?? ""))?.[1] ?? ""}\n${code}\n${fence}`;
}

function list(el: Element): string {
  let n = Number(el.getAttribute("start") ?? "1") || 1;
  const items = [...el.children].map((li) => {
    const mark = el.tagName === "OL" ? `${n++}. ` : "- ";
    // An inner list stands right below its words.
    const parts = blocks(li), tight = parts.length === 2 && /^(-|\d+\.) /.test(parts[1]!);
    return indent(parts.join(tight ? "\n" : "\n\n"), mark, mark.length);
  });
  return items.join("\n");
}

function indent(text: string, first: string, by: number): string { return first + text.replace(/\n(?=[^\n])/g, "\n" + " ".repeat(by)); }

function table(el: HTMLTableElement): string {
  const rows = [...el.rows].map((r) => [...r.cells].map((c) => oneLine(inlines(c)).replace(/\\?\|/g, "\\|")));
  const most = Math.max(...rows.map((r) => r.length));
  const line = (cells: string[]) => `| ${[...cells, ...Array<string>(most - cells.length).fill("")].join(" | ")} |`;
  const [head, ...rest] = rows;
  return [line(head!), line(Array<string>(most).fill("---")), ...rest.map(line)].join("\n");
}

const inlines = (at: Node): string => [...at.childNodes].map((n) => inline(n) + (n instanceof Element && BLOCKS.has(n.tagName) ? " " : "")).join("");

function inline(n: Node): string {
  if (n.nodeType === Node.TEXT_NODE) return escape((n.nodeValue ?? "").replace(/[\s\u00a0]+/g, " "));
  if (!(n instanceof Element)) return "";
  const note = n.getAttribute("data-note");
  if (note !== null) return `[^${note}]`;
  switch (n.tagName) {
    case "BR": return "\\\n";
    case "B": case "STRONG": return marked("**", inlines(n));
    case "I": case "EM": return marked("*", inlines(n));
    case "S": case "DEL": case "STRIKE": return marked("~~", inlines(n));
    case "CODE": case "KBD": case "SAMP": case "TT": return code(n.textContent ?? "");
    case "SUP": return raised("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ", "^", inlines(n));
    case "SUB": return raised("₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₙᵢ", "_", inlines(n));
    case "IMG": return picture(n);
    case "A": return link(n);
    default: return inlines(n);
  }
}

// A mark stands beside a letter: blanks at the ends stay outside.
function marked(mark: string, words: string): string {
  const [, before, inner, behind] = /^(\s*)([^]*?)((?:\s|\\\n)*)$/.exec(words)!;
  return inner === "" ? words : before! + mark + inner + mark + behind!;
}

function code(text: string): string {
  const fence = "`".repeat(Math.max(0, ...[...text.matchAll(/`+/g)].map((m) => m[0].length)) + 1);
  const blank = /^`|`$/.test(text) ? " " : "";
  return text.trim() === "" ? text : fence + blank + text.replace(/\s+/g, " ") + blank + fence;
}

// A raised number says another thing than one in the line: it becomes letters of that form, or stands in parentheses. "19th" needs neither.
function raised(letters: string, mark: string, words: string): string {
  const at = [...words].map((c) => "0123456789+-−=()ni".indexOf(c));
  if (!at.includes(-1)) return at.map((i) => [...letters][i]).join("");
  return /^[\p{L}\p{N}+−\-=()., ]*\d/u.test(words) && /^[\p{L}\p{N}+−\-=()., ]+$/u.test(words) ? `${mark}(${words})` : words;
}

function picture(el: Element): string {
  const src = el.getAttribute("src") ?? "", words = escape(oneLine(el.getAttribute("alt") ?? "")).replace(/[[\]]/g, "\\$&");
  if (/^https?:\/\/[^\s<>]+$/i.test(src)) return `![${words}](${linkable(src)})`;
  return src === "" ? words : say.noPicture(words);
}

function link(el: Element): string {
  const href = el.getAttribute("href") ?? "", words = inlines(el);
  return words.trim() !== "" && /^(https?:|mailto:)[^\s<>]+$/i.test(href) ? words.replace(/^(\s*)([^]*?)(\s*)$/, (_, a, w, b) => `${a}[${w}](${linkable(href)})${b}`) : words;
}

const oneLine = (text: string) => text.replace(/\\?\n/g, " ").replace(/\s+/g, " ").trim();

// Only what would be a mark is escaped.
function escape(text: string): string {
  return text.replace(/[\\`*]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|~(?=~)|<(?=[a-z/!])|\[(?=\^|[^\]]*\][(:[])|\{(?=\+\+|--|~~|>>|==)/giu, "\\$&");
}

// What a line would be by its first letters, too.
function paragraph(words: string): string {
  return words.replace(/^(?:\s|\\\n)+|(?:\s|\\\n)+$/g, "").replace(/ {2,}/g, " ").split("\n").map((l) => l.trim().replace(/^(#{1,6}(?=\s)|[-+](?=\s)|>|={2,}$|-{2,}$)/, "\\$1").replace(/^(\d{1,9})([.)])(?=\s)/, "$1\\$2")).join("\n");
}
