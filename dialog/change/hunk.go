package change

import (
	"slices"
	"strconv"
	"strings"

	"vibey/dialog"
)

// Hunk is a run of lines that a call changed in a file, as large as it can be: the lines
// From to To of the file as the call left it, counted from 1, stand where OldFrom to OldTo
// stood. To is From-1 where the call only took lines out, and OldTo is OldFrom-1 where it
// only put some in.
type Hunk struct{ From, To, OldFrom, OldTo int }

// Hunks returns how after differs from before, from the top on. A line is what stands
// between line feeds. A last line with another end, with a line feed or without, is another
// line only if no hunk reaches it.
func Hunks(before, after string) []Hunk {
	a, b := linesOf(before), linesOf(after)
	all := runs(a.lines, b.lines)
	if n, m := len(a.lines), len(b.lines); n > 0 && m > 0 && a.feed != b.feed {
		switch last := len(all) - 1; {
		case last >= 0 && (all[last].a1 == n || all[last].b1 == m):
		case last >= 0 && all[last].a1 == n-1 && all[last].b1 == m-1:
			all[last].a1, all[last].b1 = n, m
		default:
			all = append(all, run{n - 1, n, m - 1, m})
		}
	}
	out := make([]Hunk, len(all))
	for i, r := range all {
		out[i] = Hunk{r.b0 + 1, r.b1, r.a0 + 1, r.a1}
	}
	return out
}

// FindHunk returns the hunk of those lines.
func FindHunk(before, after string, part Part) (h Hunk, ok bool) {
	for _, h := range Hunks(before, after) {
		if h.From == part.From && h.To == part.To {
			return h, true
		}
	}
	return h, false
}

// TakeBack returns the text now without the hunk h of what a call made of before: where
// the hunk's lines stand, those of before stand again, and all else stays. now is what has
// become of after, which the call left. ok is false if the hunk's lines were changed, or
// something was put where the call took lines out.
func (h Hunk) TakeBack(before, after, now string) (text string, ok bool) {
	a, b, c := linesOf(before), linesOf(after), linesOf(now)
	from, to := h.From-1, h.To
	since := runs(b.lines, c.lines)
	at, ok := place(since, from, to)
	if !ok {
		if at, ok = moved(since, b.lines, c.lines, from, to); !ok {
			return "", false
		}
	}
	end := at + to - from
	if a.feed != b.feed && len(a.lines) > 0 && to == len(b.lines) && end == len(c.lines) {
		c.feed = a.feed
	}
	c.lines = slices.Concat(c.lines[:at], a.lines[h.OldFrom-1:h.OldTo], c.lines[end:])
	text = c.String()
	return text, text != now
}

// Stands reports whether the hunk's lines of before stand in now, as if it was taken back.
func (h Hunk) Stands(before, now string) bool {
	a, c := linesOf(before).lines, linesOf(now).lines
	_, ok := place(runs(a, c), h.OldFrom-1, h.OldTo)
	return ok
}

// place returns where the lines from up to to of a text begin in another one, which differs
// from it by runs; ok is false if one of these touches them.
func place(runs []run, from, to int) (at int, ok bool) {
	shift := 0
	for _, r := range runs {
		switch put := r.a0 == r.a1; {
		case from == to && put && r.a0 == from:
			return 0, false
		case r.a1 <= from:
			shift = r.b1 - r.a1
		case r.a0 >= to:
			return from + shift, true
		default:
			return 0, false
		}
	}
	return from + shift, true
}

// moved returns where lines begin that were put elsewhere as they are: they stand once in
// either text. One line alone, without a neighbour that came along, is another one if its
// place is taken: somebody changed it, and wrote one like it anew.
func moved(runs []run, was, is []string, from, to int) (at int, ok bool) {
	if from == to {
		return 0, false
	}
	at, n := find(is, was[from:to])
	_, before := find(was, was[from:to])
	if n != 1 || before != 1 {
		return at, false
	}
	end := at + to - from
	above := from > 0 && at > 0 && was[from-1] == is[at-1]
	below := to < len(was) && end < len(is) && was[to] == is[end]
	taken := slices.ContainsFunc(runs, func(r run) bool { return r.a0 < to && from < r.a1 && r.b0 < r.b1 })
	return at, above || below || to-from > 1 || !taken
}

// find returns where some lines stand last in a text, and how often they do; two is often.
func find(in, lines []string) (at, n int) {
	all, some := "\n"+strings.Join(in, "\n")+"\n", "\n"+strings.Join(lines, "\n")+"\n"
	for from := 0; n < 2 && len(in) >= len(lines); n++ { // in one walk, also where a million lines are equal
		i := strings.Index(all[from:], some)
		if i < 0 {
			break
		}
		at = strings.Count(all[:from+i], "\n")
		from += i + 1
	}
	return at, n
}

// text is a text's lines, without their line feeds. feed reports that the last one has one.
type text struct {
	lines []string
	feed  bool
}

func linesOf(s string) text {
	if s == "" {
		return text{}
	}
	rest, feed := strings.CutSuffix(s, "\n")
	return text{strings.Split(rest, "\n"), feed}
}

func (t text) String() string {
	s := strings.Join(t.lines, "\n")
	if t.feed && len(t.lines) > 0 {
		s += "\n"
	}
	return s
}

// Part names a hunk of a call in a file of the project.
type Part struct {
	Path     string
	From, To int
}

// hunkKey is the line of a Note that says which part of a call an undo took back.
const hunkKey = "Hunk"

// Field returns that line.
func (p Part) Field() dialog.Field {
	return dialog.Field{Key: hunkKey, Value: p.Path + " " + p.Lines()}
}

// Lines is the part's lines, as "3-5".
func (p Part) Lines() string { return strconv.Itoa(p.From) + "-" + strconv.Itoa(p.To) }

// PartOf returns what the Note of an undo took back a part of; ok is false for one that took
// back all.
func PartOf(s *dialog.Section) (p Part, ok bool) {
	value := s.Meta.Get(hunkKey)
	i := strings.LastIndexByte(value, ' ')
	if i < 0 {
		return p, false
	}
	from, to, _ := strings.Cut(value[i+1:], "-")
	p.Path = value[:i]
	var err error
	if p.From, err = strconv.Atoi(from); err == nil {
		p.To, err = strconv.Atoi(to)
	}
	return p, err == nil
}
