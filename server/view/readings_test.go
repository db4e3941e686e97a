package view

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/tools/sandbox"
)

// desk is a project whose dialogs a Reader reads; no turn runs.
type desk struct {
	*Reader
	t   *testing.T
	dir string
	p   *project.Project
	now time.Time
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	x := &desk{t: t, dir: t.TempDir(), now: time.Date(2026, 2, 16, 20, 11, 0, 0, time.UTC)}
	log := slog.New(slog.DiscardHandler)
	store, err := project.Open(x.dir, project.Options{Now: func() time.Time { return x.now }, Log: log, Template: func(string) string { return "# p\n" }})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Create("p", ""); err != nil {
		t.Fatal(err)
	}
	if x.p, err = store.Project("p"); err != nil {
		t.Fatal(err)
	}
	w := &World{Store: store, Sandbox: sandbox.Probe(sandbox.Config{}), Key: []byte("0123456789abcdef0123456789abcdef"), Now: func() time.Time { return x.now }, Log: log}
	x.Reader = NewReader(t.Context(), w, Turns{
		Hub:          func(hub.Key) *hub.Hub { return nil },
		HasAgent:     func(*project.Project, string) bool { return false },
		FailOrphaned: func(*project.Project, string) bool { return false },
	})
	t.Cleanup(func() { store.Close() })
	return x
}

// section is one of these roles with a text.
func (x *desk) section(role dialog.Role, id, typ, text string, meta ...dialog.Field) dialog.Section {
	return dialog.Section{Role: role, ID: id, Time: dialog.Span(x.now, x.now), Meta: meta, Payloads: []dialog.Payload{{Type: typ, Text: text}}}
}

// open makes a dialog with these sections, which stays open.
func (x *desk) open(st dialog.Status, secs ...dialog.Section) *project.DialogFile {
	x.t.Helper()
	x.now = x.now.Add(time.Minute)
	h := dialog.Header{Provider: "claude", Model: "m", Status: st, Started: dialog.FormatTime(x.now)}
	f, err := x.p.NewDialog("x", x.now, h, secs)
	if err != nil {
		x.t.Fatal(err)
	}
	return f
}

// dialog makes a waiting dialog of a message and its answer, or of a call that waits.
func (x *desk) dialog(answer string, calls ...dialog.Section) string {
	x.t.Helper()
	f := x.open(dialog.Waiting, append([]dialog.Section{
		x.section(dialog.User, "user1", dialog.InputMarkdown, "go"), x.section(dialog.Assistant, "assistant1", dialog.OutputMarkdown, answer),
	}, calls...)...)
	defer f.Close()
	return f.ID()
}

func (x *desk) write(path string) dialog.Section {
	return x.section(dialog.ToolRequest, "c1", dialog.ToolInput, `{"path":"`+path+`","content":"x"}`,
		dialog.Field{Key: "Parent", Value: "assistant1"}, dialog.Field{Key: "Tool", Value: "write_file"}, dialog.Field{Key: "Status", Value: dialog.CallPending})
}

func (x *desk) size(id string) int {
	x.t.Helper()
	v, err := x.View(x.p, id)
	if err != nil {
		x.t.Fatal(err)
	}
	return len(v.Text)
}

func (x *desk) watch(id string) *hub.Sub {
	x.t.Helper()
	s, err := x.Join(context.Background(), x.p, id, nil)
	if err != nil {
		x.t.Fatal(err)
	}
	return s
}

// drain reads a stream to its end.
func (x *desk) drain(s *hub.Sub) (all []hub.Event) {
	x.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for {
		batch, ok := s.Next(ctx)
		if !ok {
			if ctx.Err() != nil {
				x.t.Fatalf("the stream did not end; so far %s", types(all))
			}
			return all
		}
		all = append(all, batch...)
	}
}

func types(es []hub.Event) string {
	var out []string
	for _, e := range es {
		s := e.Type
		if e.Section != nil {
			s += ":" + string(e.Section.Role)
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

// All who watch a dialog that does not run share one reading of it, and hold
// nothing when they have left. One that changed is read anew.
func TestWatchersOfAnIdleDialogShareIt(t *testing.T) {
	x := newDesk(t)
	id := x.dialog(strings.Repeat("word ", 10_000))
	size := x.size(id)
	var all []*hub.Sub
	for range 200 {
		all = append(all, x.watch(id))
	}
	if len(x.all) != 1 || x.bytes != size {
		t.Errorf("%d readings hold %d bytes of a dialog of %d", len(x.all), x.bytes, size)
	}
	f, err := x.p.OpenDialog(id)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Append(x.section(dialog.User, "user2", dialog.InputMarkdown, "more"), x.section(dialog.Assistant, "assistant2", dialog.OutputMarkdown, "more")); err != nil {
		t.Fatal(err)
	}
	f.Close()
	again := x.watch(id)
	if len(x.all) != 2 {
		t.Errorf("%d readings of two texts", len(x.all))
	}
	if got := types(x.drain(again)); got != "section:User section:Assistant section:User section:Assistant done" {
		t.Errorf("read anew: %s", got)
	}
	if got := types(x.drain(all[7])); got != "section:User section:Assistant done" {
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
	x := newDesk(t)
	long := strings.Repeat("word ", 10_000)
	var subs []*hub.Sub
	x.most = 200_000
	for range 10 {
		subs = append(subs, x.watch(x.dialog(long)))
		if x.bytes > 200_000 {
			t.Fatalf("%d bytes are held", x.bytes)
		}
	}
	first, last := x.drain(subs[0]), x.drain(subs[9])
	if len(first) != 1 || first[0].Kind != "slow" || first[0].DialogID == "" {
		t.Errorf("the oldest got %+v", first)
	}
	if got := types(last); !strings.HasSuffix(got, "done") {
		t.Errorf("the newest got %s", got)
	}
	// One that is too large alone ends no other's.
	count := len(x.all)
	x.most = 1000
	subs = append(subs, x.watch(x.dialog(long)))
	if len(x.all) != count+1 {
		t.Errorf("%d readings, not %d", len(x.all), count+1)
	}
	for _, s := range subs {
		s.Close()
	}
	if x.bytes != 0 || len(x.all) != 0 {
		t.Errorf("%d bytes are held for nobody", x.bytes)
	}
}

// All who watch a dialog that is being written share one reading, which is followed until
// the writer has left it.
func TestWatchersFollowOneReading(t *testing.T) {
	x := newDesk(t)
	f := x.open(dialog.Active, x.section(dialog.User, "user1", dialog.InputMarkdown, "go"))
	a, b := x.watch(f.ID()), x.watch(f.ID())
	if n := len(x.all); n != 1 {
		t.Errorf("%d readings are followed", n)
	}
	if err := f.Append(x.section(dialog.Assistant, "assistant1", dialog.OutputMarkdown, "half")); err != nil {
		t.Fatal(err)
	}
	if err := f.SetStatus(dialog.Waiting); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for _, s := range []*hub.Sub{a, b} {
		if es := x.drain(s); es[len(es)-1].Type != hub.DoneEvent || es[len(es)-1].Status != dialog.Waiting {
			t.Errorf("%s: %+v", types(es), es[len(es)-1])
		}
		s.Close()
	}
}

// What is shared is the text. The file that a waiting call would write is told
// as it is when somebody begins to watch.
func TestSharedReadingTellsTheTargetOfNow(t *testing.T) {
	x := newDesk(t)
	id := x.dialog("", x.write("deed/a.txt"))
	target := func() (*hub.Sub, grant.Target) {
		t.Helper()
		s := x.watch(id)
		es := x.drain(s)
		last := es[len(es)-1]
		if last.Type != hub.ToolEvent || len(last.Calls) != 1 || last.Calls[0].Target == nil || last.Pos.Whole == 0 {
			t.Fatalf("ends with %+v", last)
		}
		return s, *last.Calls[0].Target
	}
	first, before := target()
	deed := filepath.Join(x.dir, "p/deed")
	if err := os.MkdirAll(deed, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(deed, "a.txt"), []byte("by hand"), 0o644); err != nil {
		t.Fatal(err)
	}
	second, after := target()
	if len(x.all) != 1 {
		t.Errorf("%d readings of one text", len(x.all))
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
	x := newDesk(t)
	id := x.dialog("", x.write("deed/a.txt"))
	made := 0
	x.end = func(p *project.Project, text project.DialogText, d *dialog.Dialog) *hub.Event {
		if made++; !x.mu.TryLock() {
			t.Error("all readings are locked meanwhile")
		} else {
			x.mu.Unlock()
		}
		if len(x.slots) > 0 {
			t.Error("a place among the readers is taken meanwhile")
		}
		return x.endOf(p, text, d)
	}
	for range 2 { // a reading that is made, and one that is shared
		s := x.watch(id)
		defer s.Close()
		if got := types(x.drain(s)); !strings.HasSuffix(got, hub.ToolEvent) {
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
	x := newDesk(t)
	id := x.dialog("hi")
	size := x.size(id)
	sub := x.watch(id)
	s := x.all[0]
	more := s.text
	more.Text += "\n## Note\n> Id: n9\n\nəəənote/markdown\nmore\nəəə\n"
	if before := x.bytes; !x.reread(s, more) || x.bytes-before != len(more.Text)-size {
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
	x := newDesk(t)
	ids := []string{x.dialog(strings.Repeat("word ", 200)), x.dialog(strings.Repeat("word ", 200))}
	x.most = x.size(ids[0]) + 100
	x.end = func(_ *project.Project, _ project.DialogText, d *dialog.Dialog) *hub.Event {
		if d == nil {
			t.Error("the end of no dialog")
		}
		return nil
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 500 {
				s, err := x.Join(context.Background(), x.p, ids[i%2], nil)
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
