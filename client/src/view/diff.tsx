import { useMemo, useState } from "preact/hooks";
import type { DiffLine } from "../text/diff.ts";
import { clipRows, rowsOf, type Row } from "../text/parts.ts";
import { number } from "../text/time.ts";
import { memo } from "./memo.ts";
import { Reveal } from "./reveal.tsx";

interface Props {
  lines: DiffLine[];
  endOnly?: boolean;
  open?: boolean;
  onOpen?: (open: boolean) => void;
}

const SIGN = { same: " ", del: "−", add: "+" };
const WORD = { same: "", del: "removed: ", add: "added: " };

/** Diff shows what goes in red and what comes in green, with three lines of context, or all of them. */
export const Diff = memo(function Diff({ lines, endOnly = false, open, onOpen }: Props) {
  const [full, setFull] = useState(false);
  const [own, setOwn] = useState(false);
  const isOpen = open ?? own;
  const setOpen = onOpen ?? setOwn;
  const rows = useMemo(() => rowsOf(lines, full), [lines, full]);
  const cut = useMemo(() => clipRows(rows), [rows]);
  const folds = useMemo(() => rowsOf(lines, false).some((r) => "fold" in r), [lines]);
  const shown = isOpen ? rows : cut.rows;
  return (
    <figure class="diff" aria-label="change">
      <div class="rows" role="group" tabIndex={0} aria-label="changed lines">
        {shown.map((row, i) => <DiffRow key={i} row={row} />)}
        {endOnly && <div class="row fold">The line break at the end changes.</div>}
      </div>
      {cut.more !== "" && (
        <button type="button" class="expand" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Show less" : cut.more}
        </button>
      )}
      {folds && (
        <button type="button" class="expand" aria-expanded={full} onClick={() => setFull(!full)}>
          {full ? "Show changes only" : "Show full diff"}
        </button>
      )}
    </figure>
  );
});

function DiffRow({ row }: { row: Row }) {
  if ("fold" in row) return <div class="row fold">{row.fold === 1 ? "1 line unchanged" : `${number(row.fold)} lines unchanged`}</div>;
  return (
    <div class={`row ${row.kind}`}>
      <span class="sign" aria-hidden="true">{SIGN[row.kind]}</span>
      <span class="unseen">{WORD[row.kind]}</span>
      <code dir="auto">{marked(row)}</code>
    </div>
  );
}

function marked(row: DiffLine) {
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
  return out;
}
