package dialog

import "strings"

// index is what a dialog knows of its sections beyond their order. It is
// extended with each section, so that a dialog of any length grows in time
// that does not depend on its length.
type index struct {
	counts  map[Role]int
	ids     map[Role]map[string]int // id -> place of the first section that has it
	auths   []int                   // the Authorizations
	open    []int                   // the Tool Requests without a Tool Result
	started map[string]bool         // ids of calls of which a Note says that they started
	crlf    bool
	bom     bool
}

func (ix *index) add(i int, s *Section) {
	if ix.counts == nil {
		ix.counts = make(map[Role]int, 8)
		ix.ids = make(map[Role]map[string]int, 8)
	}
	ix.counts[s.Role]++
	switch {
	case s.Role == Authorization:
		ix.auths = append(ix.auths, i)
	case s.Role == Note && s.Kind() == "started":
		if ix.started == nil {
			ix.started = make(map[string]bool)
		}
		ix.started[s.Meta.Get("Parent")] = true
	}
	if s.ID == "" || s.Torn {
		return
	}
	m := ix.ids[s.Role]
	if m == nil {
		m = make(map[string]int)
		ix.ids[s.Role] = m
	}
	if _, taken := m[s.ID]; taken {
		return
	}
	m[s.ID] = i
	switch s.Role {
	case ToolRequest:
		if _, answered := ix.ids[ToolResult][s.ID]; !answered {
			ix.open = append(ix.open, i)
		}
	case ToolResult:
		ix.answer(s.ID)
	}
}

// answer takes the request with that id off the open ones. Few are open at a
// time, so the walk is short.
func (ix *index) answer(id string) {
	place, ok := ix.ids[ToolRequest][id]
	if !ok {
		return
	}
	for k, i := range ix.open {
		if i == place {
			ix.open = append(ix.open[:k], ix.open[k+1:]...)
			return
		}
	}
}

// Append extends d by one section, as Parse would have read it at the end of
// the file. The caller has written it to the file before.
func (d *Dialog) Append(s Section) {
	s.off, s.end = 0, 0
	d.Sections = append(d.Sections, s)
	if s.marksTorn() {
		d.reindex()
		return
	}
	d.index.add(len(d.Sections)-1, &d.Sections[len(d.Sections)-1])
}

// reindex marks torn sections and makes the index anew.
func (d *Dialog) reindex() {
	for i := 1; i < len(d.Sections); i++ {
		if d.Sections[i].marksTorn() {
			d.Sections[i-1].Torn = true
		}
	}
	d.index = index{crlf: d.index.crlf, bom: d.index.bom}
	for i := range d.Sections {
		d.index.add(i, &d.Sections[i])
	}
}

// Find returns the place of the first section of that role with that id, or -1.
func (d *Dialog) Find(r Role, id string) int {
	if i, ok := d.index.ids[r][id]; ok {
		return i
	}
	return -1
}

// Count tells how many sections have that role.
func (d *Dialog) Count(r Role) int { return d.index.counts[r] }

// CRLF tells whether the file's lines end in CR LF; what is appended must too.
func (d *Dialog) CRLF() bool { return d.index.crlf }

// Line is the number of the line at which section i begins, counted from 1,
// or 0 for a section that was appended after parsing.
func (d *Dialog) Line(i int) int {
	if d.Sections[i].end == 0 {
		return 0
	}
	return 1 + strings.Count(d.src[:d.Sections[i].off], "\n")
}

// Cumulative is the sum of the resources of all sections.
func (d *Dialog) Cumulative() Resources {
	var r Resources
	for i := range d.Sections {
		if !d.Sections[i].Torn {
			r = r.Plus(d.Sections[i].Resources)
		}
	}
	return r
}

// End is how many bytes of the file stand before and in section i, 0 for one
// that was appended after parsing.
func (d *Dialog) End(i int) int {
	if d.index.bom {
		return d.Sections[i].end + len(bom)
	}
	return d.Sections[i].end
}
