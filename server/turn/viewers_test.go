package turn

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider"
	"vibey/server/project"
)

// said is a section with a text, as a response has it.
func said(d *dialog.Dialog, w *world, text string) dialog.Section {
	return dialog.Section{Role: dialog.Assistant, ID: d.NextID(dialog.Assistant, w.now, 0), Time: dialog.Span(w.now, w.now),
		Payloads: []dialog.Payload{{Type: dialog.OutputMarkdown, Text: text}}}
}

// feed is a Live and the dialog that it shows, extended as a turn does.
type feed struct {
	*Live
	w    *world
	d    *dialog.Dialog
	size int64
}

func newFeed(w *world, all *room) *feed {
	text := "# Dialog\n> DialogId: 20260216-201100-x\n> Status: active \n"
	f := &feed{newLive(liveKey{"p", "20260216-201100-x"}, func(error) {}, all), w, dialog.Parse(text), int64(len(text))}
	f.show(f.d, f.size, "f")
	return f
}

// round is one answer, in pieces, and then whole.
func (f *feed) round(text string, pieces int) {
	step := max(1, len(text)/pieces)
	for rest := text; rest != ""; rest = rest[min(step, len(rest)):] {
		f.publish(Event{Type: ChunkEvent, Content: rest[:min(step, len(rest))]})
	}
	s := said(f.d, f.w, text)
	f.size += int64(len(f.d.Encode(s)))
	f.d.Append(s)
	f.show(f.d, f.size, "f")
}

// reader takes what there is, and puts the dialog's text together as the window does.
type reader struct {
	s       *Sub
	chunks  strings.Builder
	texts   []string // of the sections
	resets  int
	largest int // batch
}

func (r *reader) read() (over bool) {
	for {
		batch, over := r.s.read()
		r.largest = max(r.largest, len(batch))
		for _, e := range batch {
			switch e.Type {
			case ResetEvent:
				r.resets++
				r.chunks.Reset()
				r.texts = nil
			case ChunkEvent:
				r.chunks.WriteString(e.Content)
			case SectionEvent:
				r.texts = append(r.texts, e.Section.Text())
			}
		}
		if len(batch) == 0 {
			return over
		}
	}
}

// Of watchers who read nothing, a dialog holds no more than of one, and that is
// bounded; one who reads beside them loses nothing. When one of them wakes, he
// begins anew and has all of it.
func TestWatchersWhoReadNothing(t *testing.T) {
	w := &world{t: t, now: newWorld(t, &script{}).now}
	var all room
	f := newFeed(w, &all)
	fast := &reader{s: f.watch(false, 0)}
	var lazy []*reader
	for range 200 {
		lazy = append(lazy, &reader{s: f.watch(false, 0)})
	}
	answer := strings.Repeat("a word and ", 10_000) // 110 KB
	const rounds = 300                              // 33 MB in all
	for range rounds {
		f.round(answer, 20)
		fast.read()
		if f.held > textMax+int64(len(answer)) || len(f.log) > logMax+2 || all.bytes.Load() != f.held {
			t.Fatalf("%d bytes and %d entries are held, %d in all", f.held, len(f.log), all.bytes.Load())
		}
	}
	if fast.resets > 0 || len(fast.texts) != rounds || fast.chunks.Len() != rounds*len(answer) {
		t.Errorf("the one who reads was reset %d times, and has %d sections and %d bytes", fast.resets, len(fast.texts), fast.chunks.Len())
	}
	f.publish(Event{Type: ChunkEvent, Content: "half"})
	for _, r := range lazy[:2] {
		r.read()
		if r.resets != 1 || len(r.texts) != rounds || r.chunks.String() != "half" || r.largest > batchMax+1 {
			t.Errorf("one who wakes was reset %d times, and has %d sections and %q, %d at a time", r.resets, len(r.texts), r.chunks.String(), r.largest)
		}
	}
	f.publish(Event{Type: DoneEvent})
	f.close()
	for _, r := range lazy {
		if !r.read() || len(r.texts) != rounds {
			t.Fatal("a stream does not end")
		}
		r.s.Close()
	}
	fast.s.Close()
	if all.bytes.Load() != 0 || all.dialogs.Load() != 0 {
		t.Errorf("%d bytes of %d dialogs are held for nobody", all.bytes.Load(), all.dialogs.Load())
	}
}

// Without watchers, or with those who read, nothing is held; with slow watchers
// of very many dialogs each holds less.
func TestWatchersOfManyDialogs(t *testing.T) {
	w := &world{t: t, now: newWorld(t, &script{}).now}
	var all room
	answer := strings.Repeat("x", 50_000)
	for n := range 300 {
		f := newFeed(w, &all)
		if n%3 == 0 {
			f.watch(false, 0)
		}
		before := all.bytes.Load()
		for range 30 {
			f.round(answer, 3)
		}
		if grown := all.bytes.Load() - before; grown > all.share()+int64(len(answer)) || n%3 != 0 && grown > int64(len(answer)) {
			t.Fatalf("dialog %d holds %d bytes", n, grown)
		}
		if n%3 != 0 {
			f.close()
		}
	}
	if most := int64(8 * textAll); all.bytes.Load() > most {
		t.Errorf("%d bytes are held in all", all.bytes.Load())
	}
}

// All who watch a dialog that does not run share one reading of it, and hold
// nothing when they have left. One that changed is read anew.
func TestWatchersOfAnIdleDialogShareIt(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{text(strings.Repeat("word ", 10_000)), text("more")}})
	id, _ := w.start("go")
	join := func() *Sub {
		t.Helper()
		s, err := w.run.Join(context.Background(), "p", id, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	x := &w.run.shows
	size := len(w.view(id).Text)
	var all []*Sub
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
	var subs []*Sub
	w.run.shows.most = 200_000
	for range 10 {
		id, _ := w.start("go")
		s, err := w.run.Join(context.Background(), "p", id, nil)
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
	for _, s := range subs {
		s.Close()
	}
	if w.run.shows.bytes != 0 || len(w.run.shows.all) != 0 {
		t.Errorf("%d bytes are held for nobody", w.run.shows.bytes)
	}
}

// What another process writes is followed by one for all, and told as it comes:
// pieces, whole sections, an edit, and the end.
func TestFollowAnotherProcess(t *testing.T) {
	w := newWorld(t, &script{})
	f := newFeed(w, &room{})
	d := dialog.Parse("# Dialog\n> Status: active \n\n## User\n\nhi\n")
	show := func(d *dialog.Dialog, open string) { f.adopt(d, int64(len(dialog.Format(d))), "f", open) }
	with := func(d *dialog.Dialog, text string) *dialog.Dialog {
		return dialog.Parse(dialog.Format(d) + d.Encode(said(d, w, text)))
	}
	d = dialog.Parse(dialog.Format(d))
	show(d, "")
	r, late := &reader{s: f.watch(false, 0)}, &reader{s: f.watch(false, 0)}
	r.read()
	show(d, "one")
	r.read()
	show(d, "one two")
	r.read()
	d = with(d, "one two three")
	show(d, "fo")
	r.read()
	if got := r.chunks.String() + "|" + strings.Join(r.texts, ","); got != "one twofo|hi,one two three" || r.resets > 0 {
		t.Errorf("told %q, %d resets", got, r.resets)
	}
	d = with(d, "four")
	show(d, "")
	late.read()
	if got := late.chunks.String() + "|" + strings.Join(late.texts, ","); got != "one twofo|hi,one two three,four" || late.resets > 0 {
		t.Errorf("told late %q, %d resets", got, late.resets)
	}
	show(dialog.Parse(strings.Replace(dialog.Format(d), "hi", "hello", 1)), "")
	late.read()
	if got := strings.Join(late.texts, ","); got != "hello,one two three,four" || late.resets != 1 {
		t.Errorf("after an edit %q, %d resets", got, late.resets)
	}
}

// A dialog that another process runs is followed until it waits.
func TestJoinWhatAnotherProcessRuns(t *testing.T) {
	hold := make(chan struct{})
	w := newWorld(t, &script{answers: [][]provider.Event{text("half")}, hold: map[int]<-chan struct{}{0: hold}})
	other := w.run
	sub, err := other.Start(context.Background(), Input{Project: "p", Provider: "claude", Model: "m", Slug: "x", Prompt: &Prompt{Text: "go"}})
	if err != nil {
		t.Fatal(err)
	}
	id := until(t, sub, ChunkEvent).DialogID
	w.restart() // a second process on the same files
	a, err := w.run.Join(context.Background(), "p", id, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := w.run.Join(context.Background(), "p", id, nil)
	if err != nil {
		t.Fatal(err)
	}
	until(t, a, ChunkEvent)
	if n := len(w.run.shows.all); n != 1 {
		t.Errorf("%d readings are followed", n)
	}
	close(hold)
	for _, s := range []*Sub{a, b} {
		es := w.drain(s)
		if last := es[len(es)-1]; last.Type != DoneEvent || last.Status != dialog.Waiting {
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
	target := func() (*Sub, Target) {
		t.Helper()
		s, err := w.run.Join(context.Background(), "p", id, nil)
		if err != nil {
			t.Fatal(err)
		}
		es := w.drain(s)
		last := es[len(es)-1]
		if last.Type != ToolEvent || len(last.Calls) != 1 || last.Calls[0].Target == nil || last.Pos.Whole == 0 {
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
	x.end = func(name string, text project.DialogText, d *dialog.Dialog) *Event {
		if made++; !x.mu.TryLock() {
			t.Error("all readings are locked meanwhile")
		} else {
			x.mu.Unlock()
		}
		if len(x.reading) > 0 {
			t.Error("a place among the readers is taken meanwhile")
		}
		return w.run.endOf(name, text, d)
	}
	for range 2 { // a reading that is made, and one that is shared
		s, err := w.run.Join(context.Background(), "p", id, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if got := types(w.drain(s)); !strings.HasSuffix(got, ToolEvent) {
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
	sub, err := w.run.Join(context.Background(), "p", id, nil)
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

	l := newLive(liveKey{"p", id}, func(error) {}, &room{})
	d := dialog.Parse(more.Text)
	l.adopt(d, int64(len(more.Text)), "f", "open")
	l.drop(Event{Type: ErrorEvent})
	l.adopt(d, int64(len(more.Text)), "f", "open")
	if l.d != nil || l.sections != nil || l.open.Len() > 0 || len(l.log) > 0 {
		t.Error("what was let go of is held again")
	}
}
