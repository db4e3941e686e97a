package turn

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider"
	"vibey/server/hub"
)

// A turn whose folder goes away stops in words, and runs and acknowledges nothing more;
// when the folder is back its dialog goes on.
func TestTurnStopsWhereItsFolderWentAway(t *testing.T) {
	hold, began := make(chan struct{}), make(chan struct{}, 1)
	w := newWorld(t, &script{
		answers: [][]provider.Event{append(text("I write it."), write("call_1", "deed/a.txt", "a")), text("again")},
		hold:    map[int]<-chan struct{}{0: hold},
		begun: func() {
			select {
			case began <- struct{}{}:
			default:
			}
		},
	})
	sub, err := w.run.Start(context.Background(), Input{Project: w.p(), Provider: "claude", Prompt: &Prompt{Text: "go"}})
	if err != nil {
		t.Fatal(err)
	}
	<-began
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
