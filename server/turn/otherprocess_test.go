package turn

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"vibey/dialog"
	"vibey/provider"
	"vibey/server/hub"
)

// A dialog that another process runs is followed until it waits.
func TestJoinWhatAnotherProcessRuns(t *testing.T) {
	hold := make(chan struct{})
	w := newWorld(t, &script{answers: [][]provider.Event{text("half")}, hold: map[int]<-chan struct{}{0: hold}})
	other := w.run
	sub, err := other.Start(context.Background(), Input{Project: w.p(), Provider: "claude", Model: "m", Slug: "x", Prompt: &Prompt{Text: "go"}})
	if err != nil {
		t.Fatal(err)
	}
	id := until(t, sub, hub.ChunkEvent).DialogID
	w.restart() // a second process on the same files
	a, err := w.run.Join(context.Background(), w.p(), id, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := w.run.Join(context.Background(), w.p(), id, nil)
	if err != nil {
		t.Fatal(err)
	}
	until(t, a, hub.ChunkEvent)
	close(hold)
	for _, s := range []*hub.Sub{a, b} {
		es := w.drain(s)
		if last := es[len(es)-1]; last.Type != hub.DoneEvent || last.Status != dialog.Waiting {
			t.Errorf("%s: %+v", types(es), last)
		}
		s.Close()
	}
	if _, err := os.Stat(filepath.Join(w.dir, "root/p", dialog.Filename(id, dialog.Waiting))); err != nil {
		t.Error(err)
	}
}
