package crash

import (
	"strings"

	"vibey/dialog"
)

// state is one thing that a crash may leave, and what must hold of it.
type state struct {
	tree tree
	told *told
	cut  bool // by a power cut: what was never synced may be gone
	// safe is how many bytes of each dialog were synced: what a cut may have torn
	// lies behind them.
	safe  map[string]int
	truth map[string]*dialog.Dialog // each dialog as it became in the end
}

// damaged reports whether a line of a dialog's repaired file is one that the cut may
// have torn. All lines before and after must be in order.
func (s *state) damaged(id string, line int) bool {
	text, ok := s.text(id)
	if !ok || !s.cut {
		return false
	}
	from := 1 + strings.Count(text[:min(len(text), s.safe[id])], "\n")
	return line >= from && line <= 2+strings.Count(text, "\n")
}

// besideDamage reports whether the section that begins in this line is the last one
// that was synced, which is followed by what a cut tore.
func (s *state) besideDamage(id string, line int) bool {
	text, ok := s.text(id)
	if !ok || !s.cut || s.safe[id] >= len(text) {
		return false
	}
	d := dialog.Parse(text[:s.safe[id]])
	return len(d.Sections) > 0 && d.Line(len(d.Sections)-1) == line
}

// renewed reports whether a file was changed since its last hash was sent, by a call
// whose result was not sent yet.
func (s *state) renewed(name string) bool {
	versions := s.told.versions[projectName+"/"+name]
	return len(versions) > 0 && versions[len(versions)-1] != s.told.files[projectName+"/"+name]
}

// holed reports whether pages of a dialog are lost, and later ones are there.
func (s *state) holed() bool {
	for id := range s.truth {
		if text, ok := s.text(id); ok && holed(text) {
			return true
		}
	}
	return false
}

// text is a dialog's file as the crash left it.
func (s *state) text(id string) (string, bool) {
	for _, st := range []dialog.Status{dialog.Active, dialog.Waiting, dialog.Done} {
		if text, ok := s.tree[projectName+"/"+dialog.Filename(id, st)]; ok {
			return text, true
		}
	}
	return "", false
}
