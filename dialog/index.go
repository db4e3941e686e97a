package dialog

import (
	"iter"
	"slices"
	"strings"
)

// index answers questions about a dialog's sections without a walk over them. It
// is extended with each section, so that to append one costs the same in a dialog
// of any length.
type index struct {
	counts    []int            // of sections, a number for each of roles
	ids       map[string]int32 // id -> the first section that has it; Section.same leads on
	auths     []int            // sections that grants depend on: Authorizations, what is left of them, marks that void them
	systems   []int            // the System sections that are not torn
	summaries []int            // Summaries with a range, and Notes that undo one
	open      []int32          // the Tool Requests without a Tool Result, and some answered ones
	waiting   int              // how many of open have no result
	started   map[string]bool  // ids of calls that started, by a Note
	tried     map[string]int32 // those of them that are tried -> the Note of the effect, 0 for none, -1 where it is damaged
	lost      int              // 1 + the index of the last section that may have lost such a Note
	crlf      bool
	bom       bool
	version   int // how often the index was made anew
}

// indexSection takes in section i. It is the last one that was added.
func (d *Dialog) indexSection(i int) {
	ix, s := &d.index, &d.Sections[i]
	if ix.counts == nil {
		ix.counts = make([]int, len(roles))
	}
	if r := s.Role.find(); r >= 0 {
		ix.counts[r]++
	}
	if s.Role == Authorization || s.Voids() || d.LeftOver(i) {
		ix.auths = append(ix.auths, i)
	}
	if s.coversAnything() {
		ix.summaries = append(ix.summaries, i)
	}
	if s.lost {
		ix.lost = i + 1
	}
	switch s.Role {
	case System:
		if !s.Torn {
			ix.systems = append(ix.systems, i)
		}
	case Note:
		// A torn Note counts too, and one whose Kind or Parent is damaged: rather is a
		// call that never ran called interrupted than one run twice.
		parent := s.Meta.Get("Parent")
		if s.Kind() == StartedNote && !d.has(ToolRequest, parent) {
			ix.lost = i + 1
		} else if parent != "" && s.Kind() != "mistake" && s.Kind() != UndoNote {
			d.indexTried(i, parent)
			if ix.started == nil {
				ix.started = make(map[string]bool)
			}
			ix.started[parent] = true
		}
	}
	if s.Torn && s.Role == ToolResult {
		delete(ix.tried, s.ID) // it came to its end, and the file no longer says to which
	}
	if s.ID == "" || s.Torn || !d.learn(i) {
		return
	}
	switch s.Role {
	case ToolRequest:
		// A request without its end can't be approved, and one whose id can't be
		// written in a result can't be answered.
		if !d.has(ToolResult, s.ID) && !s.unclosed && OneLine(s.ID) {
			ix.open = append(ix.open, int32(i))
			ix.waiting++
		} else {
			s.answered = true
		}
	case ToolResult:
		if k := d.Find(ToolRequest, s.ID); k >= 0 && !d.Sections[k].answered {
			d.Sections[k].answered = true
			ix.waiting--
			d.tidyOpen()
		}
	}
}

// learn makes section i findable by its id. It returns false where an earlier
// section of its role has that id.
func (d *Dialog) learn(i int) bool {
	s := &d.Sections[i]
	at, taken := d.index.ids[s.ID]
	if !taken {
		d.index.ids[s.ID] = int32(i)
		return true
	}
	for {
		o := &d.Sections[at]
		if o.Role == s.Role {
			return false
		}
		if o.same == 0 {
			o.same = int32(i)
			return true
		}
		at = o.same
	}
}

// tidyOpen drops answered requests from the open ones when they are most of
// them, so that answering costs the same however many are open.
func (d *Dialog) tidyOpen() {
	ix := &d.index
	if ix.waiting == 0 {
		ix.open = ix.open[:0]
		return
	}
	if len(ix.open) < 2*ix.waiting+32 {
		return
	}
	ix.open = slices.DeleteFunc(ix.open, func(i int32) bool { return d.Sections[i].answered })
}

// Append extends d by one section, as Parse would have read it at the end of the
// file. The caller has written it to the file.
func (d *Dialog) Append(s Section) {
	s.off, s.end, s.same = 0, 0, 0
	s.Torn, s.Void, s.answered, s.unclosed, s.inner, s.lost, s.half, s.bare, s.noResources = false, false, false, false, false, false, false, false, false
	d.Sections = append(d.Sections, s)
	i := len(d.Sections) - 1
	if s.marksTorn() && i > 0 && !d.Sections[i-1].Torn {
		d.Sections[i-1].Torn = true
		d.reindex()
		return
	}
	if d.index.ids == nil {
		d.index.ids = make(map[string]int32)
	}
	d.indexSection(i)
}

// reindex makes the index anew, after a section that was in it became torn.
func (d *Dialog) reindex() {
	d.index = index{crlf: d.index.crlf, bom: d.index.bom, version: d.index.version + 1}
	for i := range d.Sections {
		d.Sections[i].same, d.Sections[i].answered = 0, false
	}
	d.index.ids = make(map[string]int32, len(d.Sections))
	for i := range d.Sections {
		d.indexSection(i)
	}
}

// has reports whether Find finds such a section.
func (d *Dialog) has(r Role, id string) bool { return d.Find(r, id) != -1 }

// Find returns the index of the first section of that role with that id, or -1.
// Torn sections are not found.
func (d *Dialog) Find(r Role, id string) int {
	at, ok := d.index.ids[id]
	for ok {
		s := &d.Sections[at]
		if s.Role == r {
			return int(at)
		}
		at, ok = s.same, s.same != 0
	}
	return -1
}

// First returns the index of the first section with that id, whatever its role. Torn
// sections are not found.
func (d *Dialog) First(id string) (i int, ok bool) {
	at, ok := d.index.ids[id]
	return int(at), ok
}

// Requested reports whether a call with that id stands before section i.
func (d *Dialog) Requested(id string, i int) bool {
	k := d.Find(ToolRequest, id)
	return k >= 0 && k < i
}

// Open returns the indexes of the Tool Requests that are calls without a Tool Result. A
// request that was cut off, or whose id an earlier one has, is no call.
func (d *Dialog) Open() []int {
	open := make([]int, 0, d.index.waiting)
	for _, i := range d.index.open {
		if !d.Sections[i].answered {
			open = append(open, int(i))
		}
	}
	return open
}

// Started reports whether the call with that id started, by a Note.
func (d *Dialog) Started(id string) bool { return d.index.started[id] }

// LostBehind reports whether text was lost behind section i that may have been a Note that
// a call started.
func (d *Dialog) LostBehind(i int) bool { return d.index.lost > i }

// Authorizations returns the indexes of the sections on which grants depend: those that are
// Authorizations, that hold what is left of one (LeftOver), or that void those above them
// (Section.Voids). The caller must not change them.
func (d *Dialog) Authorizations() []int { return d.index.auths }

// Systems returns the indexes of the System sections that are not torn. The caller must not
// change them.
func (d *Dialog) Systems() []int { return d.index.systems }

// Summaries returns the indexes of the sections on which history.Covers depends: Summaries
// with a range, and Notes that undo one. The caller must not change them.
func (d *Dialog) Summaries() []int { return d.index.summaries }

// Count returns how many sections have that role.
func (d *Dialog) Count(r Role) int {
	if i := r.find(); i >= 0 && d.index.counts != nil {
		return d.index.counts[i]
	}
	return 0
}

// CRLF reports whether the file's lines end in CR LF; what is appended must too.
func (d *Dialog) CRLF() bool { return d.index.crlf }

// Line returns the number of the line at which section i begins, counted from 1,
// or 0 for a section that was appended after parsing.
func (d *Dialog) Line(i int) int {
	if d.Sections[i].end == 0 {
		return 0
	}
	return 1 + strings.Count(d.src[:d.Sections[i].off], "\n")
}

// Forward yields the sections that are not torn, with their indexes.
func (d *Dialog) Forward() iter.Seq2[int, *Section] {
	return func(yield func(int, *Section) bool) {
		for i := range d.Sections {
			if s := &d.Sections[i]; !s.Torn && !yield(i, s) {
				return
			}
		}
	}
}

// Backward is Forward from the last section on.
func (d *Dialog) Backward() iter.Seq2[int, *Section] {
	return func(yield func(int, *Section) bool) {
		for i := len(d.Sections) - 1; i >= 0; i-- {
			if s := &d.Sections[i]; !s.Torn && !yield(i, s) {
				return
			}
		}
	}
}

// LastPrompt returns the index of the last User section that is not torn, or -1.
func (d *Dialog) LastPrompt() int {
	for i, s := range d.Backward() {
		if s.Role == User {
			return i
		}
	}
	return -1
}

// Cumulative returns the sum of what the sections that are not torn spent.
func (d *Dialog) Cumulative() (r Resources) {
	for _, s := range d.Forward() {
		r = r.Plus(s.Spent())
	}
	return r
}

// Appended reports whether section i was appended after parsing.
func (d *Dialog) Appended(i int) bool { return d.Sections[i].end == 0 }

// HasPrompt reports whether d has a message of the user that is not torn.
func (d *Dialog) HasPrompt() bool { return d.LastPrompt() >= 0 }
