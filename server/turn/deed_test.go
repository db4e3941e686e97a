package turn

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/provider"
	"vibey/server/project"
	"vibey/tools"
)

// In a project whose deed leads where agents must not write, no turn begins, by
// whichever door, and nothing of it stands in a file; a dialog can still be ended.
func TestNoTurnWithADeedThatLeadsAway(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{write("c1", "deed/a.txt", "a")}, text("ok")}})
	id, _ := w.start("go")
	before := w.view(id).Text
	deed := filepath.Join(w.dir, "root/p/deed")
	if err := os.Remove(deed); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../..", deed); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	refused := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, project.ErrLeads) || strings.Contains(err.Error(), w.dir) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := w.run.Start(ctx, Input{Project: w.p(), Provider: "claude", Model: "m", Slug: "y", Prompt: &Prompt{Text: "hi"}})
	refused("a new dialog", err)
	for what, in := range map[string]Input{
		"a prompt":   {Prompt: &Prompt{Text: "hi"}},
		"an approve": {Control: control("c1 approve")},
		"continue":   {Continue: true},
	} {
		in.Project, in.DialogID = w.p(), id
		_, _, err := w.run.Put(ctx, in)
		refused(what, err)
	}
	p, err := w.run.w.Store.Project("p")
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.OpenDialog(id)
	if err != nil {
		t.Fatal(err)
	}
	tn := w.run.turn(f, Input{Project: w.p(), DialogID: id})
	if _, err := tn.launch(ctx, tools.LaunchInput{Provider: "claude", Model: "m", Prompt: "help"}); err == nil || !strings.Contains(err.Error(), "deed leads") {
		t.Errorf("a launch: %v", err)
	}
	if _, err := tn.env(&grant.Call{}); !errors.Is(err, project.ErrLeads) {
		t.Errorf("a call's env: %v", err)
	}
	f.Close()
	if infos, err := w.p().Dialogs(); err != nil || len(infos) != 1 || w.view(id).Text != before {
		t.Errorf("something was written: %d dialogs, %v", len(infos), err)
	}
	if st, _, err := w.run.Put(ctx, Input{Project: w.p(), DialogID: id, Status: dialog.Done}); err != nil || st.Status != dialog.Done {
		t.Errorf("done: %+v, %v", st, err)
	}
}
