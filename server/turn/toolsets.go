package turn

import (
	"slices"
	"strings"
	"sync"

	"vibey/dialog"
	"vibey/tools"
)

// toolSets keeps one value for each combination of sets, so that asking for a
// dialog's tools costs nothing.
type toolSets struct {
	mu   sync.Mutex
	made map[string]*tools.Set
	mark map[string]string // set -> what the tools of a System section have if the set is in it
}

// of are the four tools that are always there, and those of the named sets.
func (s *toolSets) of(names []string) *tools.Set {
	names = slices.Clone(names)
	slices.Sort(names)
	key := strings.Join(names, " ")
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made == nil {
		s.made = map[string]*tools.Set{}
	}
	set := s.made[key]
	if set == nil {
		set = tools.NewSet(names...)
		s.made[key] = set
	}
	return set
}

// told are the tools that a dialog's model was told of, as its System section
// says; before there is one, the four.
func (s *toolSets) told(d *dialog.Dialog) *tools.Set {
	var names []string
	if text := d.Tools(); text != "" {
		for name, mark := range s.marks() {
			if strings.Contains(text, mark) {
				names = append(names, name)
			}
		}
	}
	return s.of(names)
}

func (s *toolSets) marks() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mark == nil {
		s.mark = map[string]string{}
		always := len(tools.NewSet().Specs())
		for _, name := range tools.Sets() {
			if specs := tools.NewSet(name).Specs(); len(specs) > always {
				s.mark[name] = `"name":"` + specs[always].Name + `"`
			}
		}
	}
	return s.mark
}
