package project

import (
	"os"
	"testing"

	"vibey/dialog"
)

// A kill while a dialog is made leaves a file that is no dialog; the next
// dialog of that name is whole.
func TestNewDialogAfterAKill(t *testing.T) {
	p := testProject(t)
	id := dialog.NewID(then, "half", 1)
	write(t, p.path(newName(id)), "# Dialog\n> Dialo")
	if infos, err := p.Dialogs(); err != nil || len(infos) != 0 {
		t.Fatalf("half a dialog is listed: %v %v", infos, err)
	}
	f, err := p.NewDialog("half", then, dialog.Header{Provider: "claude", Model: "m", Status: dialog.Waiting}, nil)
	must(t, err)
	defer f.Close()
	if f.ID() != id || f.Dialog().Header.Provider != "claude" {
		t.Errorf("made %s: %+v", f.ID(), f.Dialog().Header)
	}
	b, err := os.ReadFile(p.path(f.Filename()))
	must(t, err)
	if d := dialog.Parse(string(b)); d.Header.DialogID != id || len(d.Problems) > 0 {
		t.Errorf("the file: %q %v", b, d.Problems)
	}
	if _, err := os.Lstat(p.path(newName(id))); !os.IsNotExist(err) {
		t.Errorf("what was left is still there: %v", err)
	}
}

// Two processes that make the same dialog in the same second make two.
func TestNewDialogOfTwoProcesses(t *testing.T) {
	p := testProject(t)
	q := again(t, p)
	h := dialog.Header{Provider: "claude", Model: "m", Status: dialog.Waiting}
	ids := make(chan string)
	for _, from := range []*Project{p, q, p, q} {
		go func() {
			f, err := from.NewDialog("twin", then, h, nil)
			if err != nil {
				ids <- err.Error()
				return
			}
			ids <- f.ID()
			f.Close()
		}()
	}
	seen := map[string]bool{}
	for range 4 {
		id := <-ids
		if !dialog.ValidID(id) || seen[id] {
			t.Errorf("made %s; before %v", id, seen)
		}
		seen[id] = true
	}
}
