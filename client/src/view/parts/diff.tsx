import { useMemo, useState } from "preact/hooks";
import type { DiffLine } from "../../text/diff.ts";
import { clipRows, rowsOf, type DiffPart, type Row } from "../../text/part.ts";
import { isChanged, type Paragraph, type Words } from "../../text/prosediff.ts";
import { changes as say } from "../../text/strings.ts";
import { memo } from "./memo.ts";
import { Reveal } from "./reveal.tsx";

interface Props {
  /** its key is its name among the parts that must have been in view, its label the file, where more than one is shown */
  part: DiffPart;
  open?: boolean;
  onOpen?: (open: boolean) => void;
}

/** SIGN is what stands before a line. */
export const SIGN = { same: " ", del: "−", add: "+" };

/** Diff shows what changes: of prose the words that go struck and those that come set in, else removed lines in red and added ones in green, with what stands around each or all. */
export const Diff = memo(function Diff({ part, open, onOpen }: Props) {
  const { key: name, label, prose, whole, endOnly, why } = part;
  const [full, setFull] = useState(false);
  const [own, setOwn] = useState(false);
  const isOpen = open ?? own;
  const setOpen = onOpen ?? setOwn;
  const rows = useMemo(() => rowsOf(part, full), [part, full]);
  const cut = useMemo(() => clipRows(rows), [rows]);
  const folds = useMemo(() => rowsOf(part, false).some((r) => "fold" in r), [part]);
  const shown = isOpen ? rows : cut.rows;
  const digits = whole && !prose ? String(part.lines.at(-1)?.at ?? 0).length : 0;
  return (
    <figure class="diff" data-opened={(cut.more !== "" && isOpen) || undefined} {...(label === "" ? { role: "none" as const } : { "aria-label": label })}>
      {label !== "" && <figcaption data-read={`${name} label`}><Reveal text={label} /></figcaption>}
      {why !== "" && <p class="why-bare">{why}</p>}
      <div class={`rows${prose ? " in-words" : ""}`} role="group" tabIndex={0} aria-label={label === "" ? say.name : say.lines} style={digits > 0 ? { "--digits": digits } : undefined}>
        {numbered(shown).map(([row, n], i) => <DiffRow key={i} row={row} name={`${name} ${n}`} prose={prose !== null} numbers={digits > 0} />)}
        {endOnly && <div class="row fold" data-read={`${name} end`}>{say.end}</div>}
      </div>
      {cut.more !== "" && (
        <button type="button" class="expand" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? say.less : cut.more}
        </button>
      )}
      {folds && (
        <button type="button" class="expand" aria-expanded={full} onClick={() => setFull(!full)}>
          {full ? say.changesOnly : say.full}
        </button>
      )}
    </figure>
  );
});

// A row keeps its number when lines before it are folded away.
function numbered(rows: Row[]): [Row, number][] {
  let n = 0;
  return rows.map((row) => {
    const at = n;
    n += "fold" in row ? row.fold : 1;
    return [row, at];
  });
}

function DiffRow({ row, name, prose, numbers }: { row: Row; name: string; prose: boolean; numbers: boolean }) {
  if ("fold" in row) return <div class="row fold" data-read={`${name} fold`}>{(prose ? say.sameProse : say.same)(row.fold)}</div>;
  if ("words" in row) return <ProseRow row={row} name={name} />;
  return (
    <div class={`row ${row.kind}`}>
      {numbers && <span class="at" aria-hidden="true" data-at={row.at} />}
      <span class="sign" aria-hidden="true">{SIGN[row.kind]}</span>
      <span class="unseen">{say.sign[row.kind]}</span>
      <code dir="auto" data-read={name}><Marked row={row} /></code>
    </div>
  );
}

/** ProseRow shows a paragraph of both texts at once; name is its name among the parts that must have been in view. What goes and what comes is told by the sheet, which no copy takes along. */
export function ProseRow({ row, name }: { row: Paragraph; name?: string }) {
  const words = trimmed(row.words);
  return (
    <p class={`row words${isChanged(row) ? "" : " same"}`} dir="auto" data-read={name}>
      {words.map((w) => w.kind === "same" ? <Reveal text={w.text} /> : w.kind === "del" ? <del data-before={say.words.del[0]} data-after={say.words.del[1]}><Breaks text={w.text} /></del> : <ins data-before={say.words.add[0]} data-after={say.words.add[1]}><Breaks text={w.text} /></ins>)}
    </p>
  );
}

// The line breaks around a paragraph are seen where they alone come or go.
function trimmed([first, ...others]: Words[]): Words[] {
  const words = [first!.kind === "same" ? { ...first!, text: first!.text.replace(/^[\r\n]+/, "") } : first!, ...others];
  const last = words.at(-1)!;
  if (last.kind === "same") return [...words.slice(0, -1), { ...last, text: last.text.replace(/[\r\n]+$/, "") }];
  return words.length > 1 || last.text.trim() === "" ? words : [{ ...last, text: last.text.replace(/^[\r\n]+|[\r\n]+$/g, "") }];
}

// A line break that comes or goes is drawn.
function Breaks({ text }: { text: string }) {
  return <>{text.split("\n").map((line, i) => i === 0 ? <Reveal text={line} /> : <><span class="break" role="img" aria-label={say.lineBreak} /><Reveal text={`\n${line}`} /></>)}</>;
}

/** Marked is the text of a line, with the words marked that changed. */
export function Marked({ row }: { row: DiffLine }) {
  if (row.marks.length === 0) return <Reveal text={row.text} />;
  const out = [];
  let at = 0;
  for (const [from, to] of row.marks) {
    const end = Math.min(to, row.text.length);
    if (from > at) out.push(<Reveal text={row.text.slice(at, from)} />);
    out.push(<mark><Reveal text={row.text.slice(from, end)} /></mark>);
    at = end;
  }
  if (at < row.text.length) out.push(<Reveal text={row.text.slice(at)} />);
  return <>{out}</>;
}
