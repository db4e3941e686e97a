package view

import (
	"encoding/json"
	"sync"

	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/tools"
)

// toolSets finds the tools of a dialog by what its System section says of them. It
// keeps one value for each such text, since a turn asks for it at every step.
type toolSets struct {
	mu     sync.Mutex
	byText map[string]*tools.Set // by the tools/json of a System section
}

// setsMost is how many texts are kept: nearly all dialogs have one of a few, each
// of some 6 KB.
const setsMost = 64

// of returns the tools of a dialog by its System section; before there is one, the four that
// are always there.
func (s *toolSets) of(d *dialog.Dialog) *tools.Set {
	text := history.Tools(d)
	s.mu.Lock()
	defer s.mu.Unlock()
	set := s.byText[text]
	if set == nil {
		var specs []history.ToolSpec
		json.Unmarshal([]byte(text), &specs) // Tools returns no text that can't be read
		set = tools.SetOf(specs)
		if s.byText == nil || len(s.byText) >= setsMost {
			s.byText = map[string]*tools.Set{}
		}
		s.byText[text] = set
	}
	return set
}
