package turn

import (
	"context"
	"testing"

	"vibey/provider"
)

// Who joins behind what this process has appended has places that a fresh
// reading of the file has too.
func TestPlacesOfAppended(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{
		{provider.Text{Piece: "May I?"}, write("c1", "deed/a.txt", "a")},
		text("Thanks."),
	}, hold: map[int]<-chan struct{}{1: make(chan struct{})}})
	id, _ := w.start("go")
	_, sub, err := w.run.Put(context.Background(), Input{Project: "p", DialogID: id, Control: control("c1 approve")})
	if err != nil {
		t.Fatal(err)
	}
	until(t, sub, ChunkEvent)
	late, err := w.run.Join(context.Background(), "p", id, nil)
	if err != nil {
		t.Fatal(err)
	}
	running, _ := late.Next(context.Background())
	if _, err := w.run.setStatus(context.Background(), Input{Project: "p", DialogID: id, Status: "waiting"}); err != nil {
		t.Fatal(err)
	}
	idle, err := w.run.Join(context.Background(), "p", id, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, last, n := w.drain(idle), int64(0), 0
	for i, e := range running {
		if e.Type != SectionEvent {
			continue
		}
		n++
		if e.Pos.Whole <= last || again[i].Section.ID != e.Section.ID || again[i].Pos != e.Pos {
			t.Errorf("section %d %s: at %s while it ran, %s later", i, e.Section.ID, e.Pos, again[i].Pos)
		}
		last = e.Pos.Whole
	}
	if n < 6 {
		t.Errorf("only %d sections", n)
	}
}
