package turn

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider"
	"vibey/server/hub"
	"vibey/server/project"
)

// A turn whose folder goes away stops in words, and runs and acknowledges nothing more;
// when the folder is back its dialog goes on.
func TestTurnStopsWhereItsFolderWentAway(t *testing.T) {
	hold := make(chan struct{})
	w := newWorld(t, &script{
		answers: [][]provider.Event{append(text("I write it."), write("call_1", "deed/a.txt", "a")), text("again")},
		hold:    map[int]<-chan struct{}{0: hold},
	})
	sub, err := w.run.Start(context.Background(), Input{Project: w.p(), Provider: "claude", Prompt: &Prompt{Text: "go"}})
	if err != nil {
		t.Fatal(err)
	}
	until(t, sub, hub.ChunkEvent) // what is shown is in its file
	root := filepath.Join(w.dir, "root")
	if err := os.Rename(root, root+"-away"); err != nil {
		t.Fatal(err)
	}
	close(hold)
	events := w.drain(sub)
	last := events[len(events)-1]
	if last.Type != hub.ErrorEvent || !strings.Contains(last.Message, "The agent was stopped, for the folder of projects is not where it was found") {
		t.Errorf("%s: %s", last.Type, last.Message)
	}
	for _, e := range events {
		if e.Type == hub.SectionEvent && e.Section.Role != dialog.User {
			t.Errorf("told of %s", e.Section.Role)
		}
	}
	if err := os.Rename(root+"-away", root); err != nil {
		t.Fatal(err)
	}
	all, err := w.p().Dialogs()
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	v := w.view(all[0].ID) // repaired, as after a kill
	if got := sections(v.Dialog); v.Status != dialog.Waiting || len(v.Pending) != 1 {
		t.Fatalf("%s: %s, %d calls wait", v.Status, got, len(v.Pending))
	}
	sum := v.Pending[0].SHA256
	events = w.put(Input{DialogID: v.DialogID, Control: control("call_1 approve sha256:" + sum)})
	if last := events[len(events)-1]; last.Type != hub.DoneEvent {
		t.Errorf("back again: %s: %s", last.Type, last.Message)
	}
	if b, err := os.ReadFile(filepath.Join(root, "p/deed/a.txt")); err != nil || string(b) != "a" {
		t.Errorf("%q, %v", b, err)
	}
}

// A stop reaches a command whose folder went away, though nothing of it is acknowledged;
// the next call does not begin, and none runs twice when the folder is back.
func TestStopWhereTheFolderWentAway(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{command("c1", "echo x >> deed/ran; touch deed/began; sleep 60"), write("c2", "deed/a.txt", "x")}}})
	id, _ := w.start("go")
	p := w.p()
	_, sub, err := w.run.Put(context.Background(), Input{Project: p, DialogID: id, Control: control("c1 approve\nc2 approve")})
	if err != nil {
		t.Fatal(err)
	}
	w.until("deed/began")
	root := filepath.Join(w.dir, "root")
	if err := os.Rename(root, root+"-away"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.run.Put(context.Background(), Input{Project: p, DialogID: id, Status: dialog.Waiting}); !errors.Is(err, project.ErrAway) {
		t.Errorf("the stop: %v", err)
	}
	events := w.drain(sub)
	if last := events[len(events)-1]; last.Type != hub.ErrorEvent {
		t.Errorf("the turn ends with %s: %s", last.Type, last.Message)
	}
	if err := os.Rename(root+"-away", root); err != nil {
		t.Fatal(err)
	}
	v := w.view(id)
	if v.Status != dialog.Waiting || v.Needs != dialog.NeedsContinue {
		t.Errorf("%s, needs %s", v.Status, v.Needs)
	}
	w.put(Input{DialogID: id, Continue: true})
	if b, err := os.ReadFile(filepath.Join(root, "p/deed/ran")); err != nil || string(b) != "x\n" {
		t.Errorf("the command ran as %q, %v", b, err)
	}
}
