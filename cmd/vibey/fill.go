package main

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"vibey/dialog"
)

// unknownModel is the provider and the model of a dialog that names none. A message to it
// has to name those that are asked.
const unknownModel = "none"

// filler adds to a hand-written dialog the ids and times that it lacks, and sets the
// header's lines that follow from the file's name. It changes nothing else.
type filler struct {
	d          *dialog.Dialog
	ids, times int
	head       []string // the header's lines that were set
}

func (f *filler) header(id string, st dialog.Status) {
	h := &f.d.Header
	set := func(name, old, now string) bool {
		if old == now {
			return false
		}
		f.head = append(f.head, name+" set to "+now)
		return true
	}
	if set("DialogId", h.DialogID, id) {
		h.DialogID = id
	}
	if set("Status", string(h.Status), string(st)) {
		h.Status = st
	}
	provider, model := f.d.Model()
	if h.Provider == "" {
		h.Provider = cmp.Or(provider, unknownModel)
		set("Provider", "", h.Provider)
	}
	if h.Model == "" {
		h.Model = cmp.Or(model, unknownModel)
		set("Model", "", h.Model)
	}
	if h.Started == "" {
		if at, err := time.Parse("20060102-150405", id[:len("20060102-150405")]); err == nil {
			h.Started = dialog.FormatTime(at)
			set("Started", "", h.Started)
		}
	}
}

func (f *filler) sections() {
	count := map[dialog.Role]int{}
	var open []string // calls without a result
	last := f.d.Header.Started
	for i := range f.d.Sections {
		s := &f.d.Sections[i]
		if s.Lost() {
			continue // it stays as it is
		}
		if s.Time == "" {
			s.Time = last + " - " + last
			f.times++
		}
		last = s.End()
		if s.ID == "" {
			s.ID = f.id(s, count[s.Role], open)
			f.ids++
		}
		count[s.Role]++
		switch s.Role {
		case dialog.ToolRequest:
			open = append(open, s.ID)
		case dialog.ToolResult:
			open = slices.DeleteFunc(open, func(id string) bool { return id == s.ID })
		}
	}
}

// id is a fresh id for the n-th section of its role; a result gets that of the
// first call that has none yet.
func (f *filler) id(s *dialog.Section, n int, open []string) string {
	if s.Role == dialog.ToolResult && len(open) > 0 {
		return open[0]
	}
	if s.Role == dialog.ToolRequest || s.Role == dialog.ToolResult {
		for k := n + 1; ; k++ {
			id := "call_" + strconv.Itoa(k)
			if f.d.Find(s.Role, id) < 0 {
				return id
			}
		}
	}
	at, _ := time.Parse(time.RFC3339, s.Start()) // an invalid time gives an id of the year 1
	return f.d.NextID(s.Role, at, n-f.d.Count(s.Role))
}

// told returns what was added, in words.
func (f *filler) told() []string {
	out := slices.Clone(f.head)
	if f.ids > 0 {
		out = append(out, strconv.Itoa(f.ids)+" ids put in")
	}
	if f.times > 0 {
		out = append(out, strconv.Itoa(f.times)+" times put in")
	}
	return append(out, "written canonically")
}
