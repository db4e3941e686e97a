package brief

import (
	"encoding/json"
	"sync"

	"vibey/dialog"
	"vibey/tools"
)

// ToolSets finds the tools of a dialog by what its model was told of them. It
// keeps one value for each such text, since a turn asks for it at every step.
type ToolSets struct {
	mu   sync.Mutex
	told map[string]*tools.Set // by the tools/json of a System section
}

// toldMost is how many texts are kept: nearly all dialogs have one of a few, each
// of some 6 KB.
const toldMost = 64

// Of returns the tools that a dialog's model was told of, as its System section
// says; before there is one, the four that are always there.
func (s *ToolSets) Of(d *dialog.Dialog) *tools.Set {
	text := d.Tools()
	s.mu.Lock()
	defer s.mu.Unlock()
	set := s.told[text]
	if set == nil {
		var specs []dialog.ToolSpec
		json.Unmarshal([]byte(text), &specs) // Tools returns no text that can't be read
		set = tools.SetOf(specs)
		if s.told == nil || len(s.told) >= toldMost {
			s.told = map[string]*tools.Set{}
		}
		s.told[text] = set
	}
	return set
}
