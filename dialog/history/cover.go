package history

import (
	"slices"
	"strings"

	"vibey/dialog"
)

// Cover is a range of sections for which a Summary stands in the history: a model
// reads the Summary in its place.
type Cover struct {
	From, To int // indexes of the first section and of the last
	By       int // of the Summary
}

// Covered returns the range that section i, a Summary, names in "> Covers: a - b", the
// ids of its first and its last section. A call and its result have one id: as the last
// one it names the result, so that no range parts the two. ok is false where the Summary
// names no range that stands before it, and where it is torn.
func Covered(d *dialog.Dialog, i int) (c Cover, ok bool) {
	s := &d.Sections[i]
	if s.Role != dialog.Summary || s.Torn {
		return c, false
	}
	a, b, _ := strings.Cut(s.Meta.Get("Covers"), " - ")
	from, ok1 := d.First(strings.TrimSpace(a))
	to, ok2 := d.First(strings.TrimSpace(b))
	if k := d.Find(dialog.ToolResult, strings.TrimSpace(b)); k > to && k < i {
		to = k
	}
	return Cover{from, to, i}, ok1 && ok2 && from <= to && to < i && a != "" && b != ""
}

// Covers returns the ranges that Summaries stand for, in their order. A later Summary
// counts before an earlier one whose range it overlaps, and one that was undone (a Note
// of Kind summary-undone names it as its Parent) counts for nothing.
func Covers(d *dialog.Dialog) []Cover {
	if len(d.Summaries()) == 0 {
		return nil
	}
	undone := map[string]bool{}
	var all []Cover
	for _, i := range d.Summaries() {
		if s := &d.Sections[i]; s.Role == dialog.Note {
			undone[s.Meta.Get("Parent")] = true
		}
	}
	for _, i := range d.Summaries() {
		c, ok := Covered(d, i)
		if !ok || undone[d.Sections[i].ID] {
			continue
		}
		all = slices.DeleteFunc(all, func(o Cover) bool { return o.From <= c.To && c.From <= o.To })
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b Cover) int { return a.From - b.From })
	return all
}
