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

// Who joins behind what this process has appended has places that a fresh
// reading of the file has too.
func TestPlacesOfAppended(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{
		{provider.Text{Piece: "May I?"}, write("c1", "deed/a.txt", "a")},
		text("Thanks."),
	}, hold: map[int]<-chan struct{}{1: make(chan struct{})}})
	id, _ := w.start("go")
	_, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control("c1 approve")})
	if err != nil {
		t.Fatal(err)
	}
	until(t, sub, hub.ChunkEvent)
	late, err := w.run.Join(context.Background(), w.p(), id, nil)
	if err != nil {
		t.Fatal(err)
	}
	running, _ := late.Next(context.Background())
	if _, err := w.run.setStatus(context.Background(), Input{Project: w.p(), DialogID: id, Status: "waiting"}); err != nil {
		t.Fatal(err)
	}
	idle, err := w.run.Join(context.Background(), w.p(), id, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, last, n := w.drain(idle), int64(0), 0
	for i, e := range running {
		if e.Type != hub.SectionEvent {
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

// What a write of the file finds there, an edit or a response that a kill left,
// is shown to those who watch as well, at the places that a fresh reading gives.
func TestPlacesOfWhatWasFound(t *testing.T) {
	left := "\n## Assistant\n> Id: left_1\n> Time: 2026-02-16T20:11:00Z -\n\nəəəoutput/markdown\nleft behind"
	for what, meddle := range map[string]func(w *world, id string){
		"an open response": func(w *world, id string) {
			if err := os.WriteFile(filepath.Join(w.dir, "root/p", dialog.OpenName(id)), []byte(left), 0o644); err != nil {
				t.Error(err)
			}
		},
		"an edit": func(w *world, id string) {
			text, err := os.ReadFile(w.file(id))
			if err == nil {
				err = os.WriteFile(w.file(id), []byte(strings.Replace(string(text), "Hello.", "Hello there.", 1)), 0o644)
			}
			if err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t, &script{answers: [][]provider.Event{text("Hello."), text("two"), text("three")}})
			log := w.log()
			id, _ := w.start("hi")
			w.script.begun = func() { w.script.begun = nil; meddle(w, id) }
			es := w.put(Input{DialogID: id, Prompt: &Prompt{Text: "more"}})
			if last := es[len(es)-1]; last.Type != hub.DoneEvent || strings.Contains(log.String(), "panic") {
				t.Fatalf("ends with %+v\n%s", last, log)
			}
			s, err := w.run.Join(context.Background(), w.p(), id, nil)
			if err != nil {
				t.Fatal(err)
			}
			fresh := w.drain(s)
			at := map[string]hub.Pos{}
			for _, e := range fresh {
				if e.Type == hub.SectionEvent {
					at[e.Section.ID] = e.Pos
				}
			}
			if what == "an open response" && at["left_1"] == (hub.Pos{}) {
				t.Error("what was left is lost")
			}
			reset := false
			for _, e := range es {
				reset = reset || e.Type == hub.ResetEvent
				if e.Type == hub.SectionEvent && e.Pos != at[e.Section.ID] && (reset || what != "an edit") {
					t.Errorf("%s is told at %s, and stands at %s", e.Section.ID, e.Pos, at[e.Section.ID])
				}
			}
			if last := es[len(es)-1].Pos; last != fresh[len(fresh)-1].Pos {
				t.Errorf("the end is told at %s, and stands at %s", last, fresh[len(fresh)-1].Pos)
			}
			w.goesOn(id)
		})
	}
}
