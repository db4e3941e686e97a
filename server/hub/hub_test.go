package hub

import (
	"strings"
	"testing"
	"time"

	"vibey/dialog"
)

var now = time.Date(2026, 2, 16, 20, 11, 0, 0, time.UTC)

// said is a section with a text, as a response has it.
func said(d *dialog.Dialog, text string) dialog.Section {
	return dialog.Section{Role: dialog.Assistant, ID: d.NextID(dialog.Assistant, now, 0), Time: dialog.Span(now, now),
		Payloads: []dialog.Payload{{Type: dialog.OutputMarkdown, Text: text}}}
}

// feed is a Hub and the dialog that it shows, extended as a turn does.
type feed struct {
	*Hub
	d    *dialog.Dialog
	size int64
}

func newFeed(all *Room) *feed {
	text := "# Dialog\n> DialogId: 20260216-201100-x\n> Status: active \n"
	f := &feed{New(Key{"p", "20260216-201100-x"}, all), dialog.Parse(text), int64(len(text))}
	f.Show(f.d, f.size, "f")
	return f
}

// round is one answer, in pieces, and then whole.
func (f *feed) round(text string, pieces int) {
	step := max(1, len(text)/pieces)
	for rest := text; rest != ""; rest = rest[min(step, len(rest)):] {
		f.Publish(Event{Type: ChunkEvent, Content: rest[:min(step, len(rest))]})
	}
	s := said(f.d, text)
	f.size += int64(len(f.d.Encode(s)))
	f.d.Append(s)
	f.Show(f.d, f.size, "f")
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
	var all Room
	f := newFeed(&all)
	fast := &reader{s: f.Watch(false, 0)}
	var lazy []*reader
	for range 200 {
		lazy = append(lazy, &reader{s: f.Watch(false, 0)})
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
	f.Publish(Event{Type: ChunkEvent, Content: "half"})
	for _, r := range lazy[:2] {
		r.read()
		if r.resets != 1 || len(r.texts) != rounds || r.chunks.String() != "half" || r.largest > batchMax+1 {
			t.Errorf("one who wakes was reset %d times, and has %d sections and %q, %d at a time", r.resets, len(r.texts), r.chunks.String(), r.largest)
		}
	}
	f.Publish(Event{Type: DoneEvent})
	f.Close()
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
	var all Room
	answer := strings.Repeat("x", 50_000)
	for n := range 300 {
		f := newFeed(&all)
		if n%3 == 0 {
			f.Watch(false, 0)
		}
		before := all.bytes.Load()
		for range 30 {
			f.round(answer, 3)
		}
		if grown := all.bytes.Load() - before; grown > all.share()+int64(len(answer)) || n%3 != 0 && grown > int64(len(answer)) {
			t.Fatalf("dialog %d holds %d bytes", n, grown)
		}
		if n%3 != 0 {
			f.Close()
		}
	}
	if most := int64(8 * textAll); all.bytes.Load() > most {
		t.Errorf("%d bytes are held in all", all.bytes.Load())
	}
}

// What another process writes is followed by one for all, and told as it comes:
// pieces, whole sections, an edit, and the end.
func TestFollowAnotherProcess(t *testing.T) {
	f := newFeed(&Room{})
	d := dialog.Parse("# Dialog\n> Status: active \n\n## User\n\nhi\n")
	show := func(d *dialog.Dialog, open string) { f.Adopt(d, int64(len(dialog.Format(d))), "f", open) }
	with := func(d *dialog.Dialog, text string) *dialog.Dialog {
		return dialog.Parse(dialog.Format(d) + d.Encode(said(d, text)))
	}
	d = dialog.Parse(dialog.Format(d))
	show(d, "")
	r, late := &reader{s: f.Watch(false, 0)}, &reader{s: f.Watch(false, 0)}
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

// A hub that was let go of takes over nothing more.
func TestDrop(t *testing.T) {
	h := New(Key{"p", "x"}, &Room{})
	text := "# Dialog\n> Status: active \n\n## User\n\nhi\n"
	d := dialog.Parse(text)
	h.Adopt(d, int64(len(text)), "f", "open")
	h.Drop(Event{Type: ErrorEvent})
	h.Adopt(d, int64(len(text)), "f", "open")
	if h.d != nil || h.sections != nil || h.open.Len() > 0 || len(h.log) > 0 {
		t.Error("what was let go of is held again")
	}
}

// What was open when a stream ends comes before its end.
func TestOpenTextComesBeforeTheEnd(t *testing.T) {
	f := newFeed(&Room{})
	s := f.Watch(false, 0)
	f.Publish(Event{Type: ChunkEvent, Content: "half"})
	f.Publish(Event{Type: ErrorEvent})
	f.Close()
	if got := drained(s); got != "chunkhalf error" {
		t.Error(got)
	}
}

// A stream that has ended can go on for who comes then; who had not read the end yet reads
// it, and nothing behind it.
func TestGoOn(t *testing.T) {
	f := newFeed(&Room{})
	early := f.Watch(false, 0)
	f.Show(f.d, f.size, "f")
	f.Publish(Event{Type: DoneEvent})
	late, _ := f.Join(nil)
	f.GoOn(late)
	if got := drained(late); got != "" {
		t.Errorf("before anything came: %s", got)
	}
	f.round("more", 1)
	f.Publish(Event{Type: ToolEvent})
	if got := drained(early); got != "done" {
		t.Errorf("early: %s", got)
	}
	if got := drained(late); got != "chunkmore section tool_request" {
		t.Errorf("late: %s", got)
	}
	last, _ := f.Join(nil)
	if got := drained(last); got != "section tool_request" {
		t.Errorf("last: %s", got)
	}
}

// drained reads what there is, in short.
func drained(s *Sub) string {
	var got []string
	for batch, over := s.read(); len(batch) > 0; batch, over = s.read() {
		for _, e := range batch {
			got = append(got, e.Type+e.Content)
		}
		if over {
			break
		}
	}
	return strings.Join(got, " ")
}
