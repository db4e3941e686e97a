package turn

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"vibey/dialog"
	"vibey/provider"
	"vibey/server/hub"
	"vibey/server/project"
)

// All who watch a dialog that does not run share one reading of it, and hold
// nothing when they have left. One that changed is read anew.
func TestWatchersOfAnIdleDialogShareIt(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{text(strings.Repeat("word ", 10_000)), text("more")}})
	id, _ := w.start("go")
	join := func() *hub.Sub {
		t.Helper()
		s, err := w.run.Join(context.Background(), w.p(), id, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	x := &w.run.shows
	size := len(w.view(id).Text)
	var all []*hub.Sub
	for range 200 {
		all = append(all, join())
	}
	if len(x.all) != 1 || x.bytes != size {
		t.Errorf("%d readings hold %d bytes of a dialog of %d", len(x.all), x.bytes, size)
	}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "more"}})
	again := join()
	if len(x.all) != 2 {
		t.Errorf("%d readings of two texts", len(x.all))
	}
	if got := types(w.drain(again)); got != "section:System section:User section:Assistant section:User section:Assistant done" {
		t.Errorf("read anew: %s", got)
	}
	if got := types(w.drain(all[7])); got != "section:System section:User section:Assistant done" {
		t.Errorf("as it was: %s", got)
	}
	for _, s := range append(all, again) {
		s.Close()
	}
	if len(x.all) != 0 || x.bytes != 0 {
		t.Errorf("%d readings hold %d bytes for nobody", len(x.all), x.bytes)
	}
}

// Beyond what all may hold, the streams of the oldest reading end, with an error.
func TestWatchersOfTooManyDialogs(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{text(strings.Repeat("word ", 10_000))}})
	var subs []*hub.Sub
	w.run.shows.most = 200_000
	for range 10 {
		id, _ := w.start("go")
		s, err := w.run.Join(context.Background(), w.p(), id, nil)
		if err != nil {
			t.Fatal(err)
		}
		subs = append(subs, s)
		if w.run.shows.bytes > 200_000 {
			t.Fatalf("%d bytes are held", w.run.shows.bytes)
		}
	}
	first, last := w.drain(subs[0]), w.drain(subs[9])
	if len(first) != 1 || first[0].Kind != "slow" || first[0].DialogID == "" {
		t.Errorf("the oldest got %+v", first)
	}
	if got := types(last); !strings.HasSuffix(got, "done") {
		t.Errorf("the newest got %s", got)
	}
	// One that is too large alone ends no other's.
	count := len(w.run.shows.all)
	w.run.shows.most = 1000
	id, _ := w.start("go")
	s, err := w.run.Join(context.Background(), w.p(), id, nil)
	if err != nil || len(w.run.shows.all) != count+1 {
		t.Errorf("%d readings, not %d, %v", len(w.run.shows.all), count+1, err)
	}
	for _, s := range append(subs, s) {
		s.Close()
	}
	if w.run.shows.bytes != 0 || len(w.run.shows.all) != 0 {
		t.Errorf("%d bytes are held for nobody", w.run.shows.bytes)
	}
}

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
	if n := len(w.run.shows.all); n != 1 {
		t.Errorf("%d readings are followed", n)
	}
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

// What is shared is the text. The file that a waiting call would write is told
// as it is when somebody begins to watch.
func TestSharedReadingTellsTheTargetOfNow(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{write("c1", "deed/a.txt", "x")}}})
	id, _ := w.start("go")
	target := func() (*hub.Sub, dialog.Target) {
		t.Helper()
		s, err := w.run.Join(context.Background(), w.p(), id, nil)
		if err != nil {
			t.Fatal(err)
		}
		es := w.drain(s)
		last := es[len(es)-1]
		if last.Type != hub.ToolEvent || len(last.Calls) != 1 || last.Calls[0].Target == nil || last.Pos.Whole == 0 {
			t.Fatalf("ends with %+v", last)
		}
		return s, *last.Calls[0].Target
	}
	first, before := target()
	if err := os.WriteFile(filepath.Join(w.dir, "root/p/deed/a.txt"), []byte("by hand"), 0o644); err != nil {
		t.Fatal(err)
	}
	second, after := target()
	if len(w.run.shows.all) != 1 {
		t.Errorf("%d readings of one text", len(w.run.shows.all))
	}
	if before.Exists || !after.Exists || after.SHA256 == "" {
		t.Errorf("told %+v, then %+v", before, after)
	}
	first.Close()
	second.Close()
}

// What the stream of a dialog ends with may take long to make. Nobody who watches
// another dialog waits for it.
func TestNobodyWaitsForAnotherDialogsEnd(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{write("c1", "deed/a.txt", "x")}}})
	id, _ := w.start("go")
	x, made := &w.run.shows, 0
	x.end = func(p *project.Project, text project.DialogText, d *dialog.Dialog) *hub.Event {
		if made++; !x.mu.TryLock() {
			t.Error("all readings are locked meanwhile")
		} else {
			x.mu.Unlock()
		}
		if len(x.reading) > 0 {
			t.Error("a place among the readers is taken meanwhile")
		}
		return w.run.endOf(p, text, d)
	}
	for range 2 { // a reading that is made, and one that is shared
		s, err := w.run.Join(context.Background(), w.p(), id, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if got := types(w.drain(s)); !strings.HasSuffix(got, hub.ToolEvent) {
			t.Error(got)
		}
	}
	if made != 2 {
		t.Errorf("%d ends were made", made)
	}
}

// A reading that was let go of while its file was read anew counts no more, and
// holds nothing of what was read.
func TestLetGoOfWhileReadAnew(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{text("hi")}})
	id, _ := w.start("go")
	sub, err := w.run.Join(context.Background(), w.p(), id, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := &w.run.shows
	s := x.all[0]
	more := s.text
	more.Text += "\n## Note\n> Id: n9\n\nəəənote/markdown\nmore\nəəə\n"
	if before := x.bytes; !x.reread(s, more) || x.bytes-before != len(more.Text)-len(w.view(id).Text) {
		t.Errorf("%d bytes before, %d now", before, x.bytes)
	}
	sub.Close()
	more.Text += strings.Repeat("x", 1000)
	if x.reread(s, more) || x.bytes != 0 || len(x.all) != 0 {
		t.Errorf("%d bytes are held for nobody", x.bytes)
	}
}

// A reading that others' joins drop, while it is being joined, is one of a dialog all the
// same: its end is made of what was read.
func TestDroppedWhileJoined(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{text(strings.Repeat("word ", 200)), text(strings.Repeat("word ", 200))}})
	one, _ := w.start("go")
	two, _ := w.start("go")
	x := &w.run.shows
	x.most = len(w.view(one).Text) + 100
	x.end = func(_ *project.Project, _ project.DialogText, d *dialog.Dialog) *hub.Event {
		if d == nil {
			t.Error("the end of no dialog")
		}
		return nil
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			id := []string{one, two}[i%2]
			for range 500 {
				s, err := w.run.Join(context.Background(), w.p(), id, nil)
				if err != nil {
					t.Error(err)
					return
				}
				s.Close()
			}
		})
	}
	all.Wait()
}
