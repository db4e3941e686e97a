package turn

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/provider"
	"vibey/server/project"
)

// otherProcess is the project as a second process has it.
func (w *world) otherProcess() *project.Project {
	w.t.Helper()
	theirs, err := project.Open(filepath.Join(w.dir, "root"), project.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { theirs.Close() })
	p, err := theirs.Project("p")
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// A dialog that another process runs is neither prompted nor stopped from here,
// and the refusal says where it can be.
func TestDialogOfAnotherProcess(t *testing.T) {
	testenv.Slow(t)
	w := newWorld(t, &script{answers: [][]provider.Event{text("ok")}})
	id, _ := w.start("go")
	f, err := w.otherProcess().OpenDialog(id)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	before := w.view(id).Text
	for what, in := range map[string]Input{
		"prompt": {Prompt: &Prompt{Text: "and now?"}}, "stop": {Status: dialog.Waiting}, "done": {Status: dialog.Done},
	} {
		in.Project, in.DialogID = w.p(), id
		_, _, err := w.run.Put(context.Background(), in)
		if !errors.Is(err, ErrActive) || !strings.Contains(err.Error(), "another program is writing") || !strings.Contains(err.Error(), "Nothing was changed") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if after := w.view(id).Text; after != before {
		t.Errorf("changed:\n%s", after)
	}
}
