import { useMemo, useState } from "preact/hooks";
import type { DiffLine } from "../../text/diff.ts";
import { clipRows, rowsOf, type Row } from "../../text/part.ts";
import { changes as say } from "../../text/strings.ts";
import { memo } from "./memo.ts";
import { Reveal } from "./reveal.tsx";

interface Props {
  lines: DiffLine[];
  /** the file, where more than one is shown */
  label?: string;
  /** its name among the parts that must have been in view */
  name?: string;
  endOnly?: boolean;
  open?: boolean;
  onOpen?: (open: boolean) => void;
}

/** SIGN is what stands before a line. */
export const SIGN = { same: " ", del: "−", add: "+" };

/** Diff shows removed lines in red and added ones in green, with three lines of context or all. */
export const Diff = memo(function Diff({ lines, label = "", name = "diff", endOnly = false, open, onOpen }: Props) {
  const [full, setFull] = useState(false);
  const [own, setOwn] = useState(false);
  const isOpen = open ?? own;
  const setOpen = onOpen ?? setOwn;
  const rows = useMemo(() => rowsOf(lines, full), [lines, full]);
  const cut = useMemo(() => clipRows(rows), [rows]);
  const folds = useMemo(() => rowsOf(lines, false).some((r) => "fold" in r), [lines]);
  const shown = isOpen ? rows : cut.rows;
  return (
    <figure class="diff" data-opened={(cut.more !== "" && isOpen) || undefined} {...(label === "" ? { role: "none" as const } : { "aria-label": label })}>
      {label !== "" && <figcaption data-read={`${name} label`}><Reveal text={label} /></figcaption>}
      <div class="rows" role="group" tabIndex={0} aria-label={label === "" ? say.name : say.lines}>
        {numbered(shown).map(([row, n], i) => <DiffRow key={i} row={row} name={`${name} ${n}`} />)}
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

function DiffRow({ row, name }: { row: Row; name: string }) {
  if ("fold" in row) return <div class="row fold" data-read={`${name} fold`}>{say.same(row.fold)}</div>;
  return (
    <div class={`row ${row.kind}`}>
      <span class="sign" aria-hidden="true">{SIGN[row.kind]}</span>
      <span class="unseen">{say.sign[row.kind]}</span>
      <code dir="auto" data-read={name}><Marked row={row} /></code>
    </div>
  );
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
