package turn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider"
)

// notesOf lists the texts of a kind of Note.
func notesOf(d *dialog.Dialog, kind string) (all []string) {
	for i := range d.Sections {
		if s := &d.Sections[i]; s.Role == dialog.Note && s.Kind() == kind {
			all = append(all, s.Text())
		}
	}
	return all
}

// The model is told what the deed holds: in the System section first, then before the
// next prompt where that is another text, once for each change.
func TestCodebase(t *testing.T) {
	var answers [][]provider.Event
	for range 8 {
		answers = append(answers, text("ok"))
	}
	w := newWorld(t, &script{answers: answers})
	deed := func(name string) string { return filepath.Join(w.dir, "root", "p", "deed", name) }
	id, _ := w.start("go")
	if sys := w.script.reqs[0].History.System; !strings.Contains(sys, "[CODEBASE — deed/]\nEmpty; ready for a first file.\n") {
		t.Errorf("told first:\n%s", sys)
	}
	for _, step := range []struct {
		what string
		do   func() error
		told string // part of the new Note, "" for none
	}{
		{"nothing", func() error { return nil }, ""},
		{"a first file", func() error { return os.WriteFile(deed("index.html"), []byte("1"), 0o644) }, "deed/index.html (home page)"},
		{"nothing since", func() error { return nil }, ""},
		{"its content", func() error { return os.WriteFile(deed("index.html"), []byte("22"), 0o644) }, ""},
		{"a restart", func() error { w.restart(); return nil }, ""},
		{"the deed is gone", func() error { return os.RemoveAll(deed("")) }, "Empty; ready for a first file."},
		{"still gone", func() error { return nil }, ""},
	} {
		before := len(notesOf(w.view(id).Dialog, "codebase"))
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		w.put(Input{DialogID: id, Prompt: &Prompt{Text: "on"}})
		d := w.view(id).Dialog
		notes := notesOf(d, "codebase")
		switch {
		case step.told == "" && len(notes) != before:
			t.Errorf("%s: a Note\n%s", step.what, notes[before])
		case step.told != "" && (len(notes) != before+1 || !strings.Contains(notes[before], step.told) || !strings.HasPrefix(notes[before], "[CODEBASE CHANGED]")):
			t.Errorf("%s: Notes %q", step.what, notes[before:])
		}
		last := w.script.reqs[len(w.script.reqs)-1].History
		if last.System != w.script.reqs[0].History.System {
			t.Errorf("%s: the system text changed", step.what)
		}
	}
}

// Where damage took the System section's text or tools, what the model knows of the
// deed is still known, or told again.
func TestCodebaseToldAnew(t *testing.T) {
	for _, edit := range [][2]string{{`"name":"run_command",`, ""}, {"You are an agent in Vibey", ""}, {"əəəsystem/markdown", "əəəsystem/markdowm"}, {"> Codebase: ", "> Codebas: "}} {
		w := newWorld(t, &script{answers: [][]provider.Event{text("one"), text("two"), text("three")}})
		id, _ := w.start("go")
		w.edit(id, edit[0], edit[1])
		w.put(Input{DialogID: id, Prompt: &Prompt{Text: "on"}})
		w.put(Input{DialogID: id, Prompt: &Prompt{Text: "on"}})
		want := 0
		if strings.HasPrefix(edit[0], "> Codebase") {
			want = 1 // a dialog of before: told once
		}
		if n := len(notesOf(w.view(id).Dialog, "codebase")); n != want {
			t.Errorf("%q: %d Notes", edit[0], n)
		}
	}
}
