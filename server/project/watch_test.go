package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"vibey/dialog"
	"vibey/tools/disk"
)

// await reads changes until one is want.
func await(t *testing.T, ch <-chan Change, want Change) {
	t.Helper()
	limit := time.After(10 * time.Second)
	for {
		select {
		case c, ok := <-ch:
			if !ok {
				t.Fatalf("closed before %+v came", want)
			}
			if c == want {
				return
			}
		case <-limit:
			t.Fatalf("%+v did not come", want)
		}
	}
}

func watched(t *testing.T, p *Project) <-chan Change {
	t.Helper()
	ch, err := p.store.Watch(t.Context(), p.name)
	must(t, err)
	return ch
}

func TestWatch(t *testing.T) {
	p := testProject(t)
	ch, second := watched(t, p), watched(t, p)
	write(t, p.path("doc-a.md"), "by an editor")
	await(t, ch, Change{Kind: FilesChanged, Name: "doc-a.md"})
	await(t, second, Change{Kind: FilesChanged, Name: "doc-a.md"})
	_, err := p.WriteFile(MainDoc, "by the server", "")
	must(t, err)
	await(t, ch, Change{Kind: FilesChanged, Name: MainDoc})
	must(t, p.DeleteFile("doc-a.md", ""))
	await(t, ch, Change{Kind: FilesChanged, Name: "doc-a.md"})

	f := started(t, p)
	await(t, ch, Change{Kind: DialogsChanged, Name: f.Filename(), DialogID: f.ID()})
	must(t, f.Append(section(dialog.Assistant, 2, "x")))
	await(t, ch, Change{Kind: DialogsChanged, Name: f.Filename(), DialogID: f.ID()})
	must(t, f.SetStatus(dialog.Done))
	await(t, ch, Change{Kind: DialogsChanged, Name: f.Filename(), DialogID: f.ID()})
}

// The pieces of an open response are told at most once in openPace, and temporary files never.
func TestWatchLeavesOut(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	ch := watched(t, p)
	o, err := f.OpenResponse()
	must(t, err)
	for range 100 {
		_, err := o.Write([]byte("piece"))
		must(t, err)
	}
	must(t, f.AppendResponse())
	write(t, p.path(disk.TempName("doc-x.md")), "x")
	write(t, p.path("picture.png"), "x")
	write(t, p.path("last.md"), "x")
	if c := <-ch; c != (Change{Kind: OpenChanged, DialogID: f.ID()}) {
		t.Errorf("told of %+v", c)
	}
	if c := <-ch; c != (Change{Kind: FilesChanged, Name: "last.md"}) {
		t.Errorf("told of %+v", c)
	}
}

// The entry of a dialog has the words that are being written, as long as they are.
func TestOpenResponseIsListed(t *testing.T) {
	p := testProject(t)
	p.store.o.Summarize = func(_, _ string, _ dialog.Status, _ *dialog.Dialog, g *dialog.Digest) Summary {
		return Summary{Words: g.Words, Fleeting: g.Open}
	}
	f := started(t, p)
	words := func(want string, open bool) {
		t.Helper()
		if d, err := p.Dialog(f.ID()); err != nil || d.Words != want || d.Fleeting != open {
			t.Errorf("%q, open %v, want %q, %v; %v", d.Words, d.Fleeting, want, open, err)
		}
	}
	d, err := p.Dialog(f.ID())
	must(t, err)
	before := d.Words
	o, err := f.OpenResponse()
	must(t, err)
	words(before, false)
	for _, piece := range []string{"\n## Assistant\n> Id: assistant-1\n> Time: 2026-02-16T20:11:00Z -\n", "\nəəəoutput/markdown\n", "The lamp "} {
		_, err := o.Write([]byte(piece))
		must(t, err)
	}
	words("The lamp ", true)
	_, err = o.Write([]byte("turns."))
	must(t, err)
	words("The lamp turns.", true)
	must(t, f.AppendResponse(section(dialog.Assistant, 2, "The lamp turns.")))
	words("The lamp turns.", false)
}

func TestWatchFolderGoesAndComes(t *testing.T) {
	p := testProject(t)
	ch := watched(t, p)
	away := filepath.Join(t.TempDir(), "away")
	must(t, os.Rename(p.path(""), away))
	await(t, ch, Change{Kind: Reset})
	must(t, os.Rename(away, p.path("")))
	await(t, ch, Change{Kind: Reset})
	write(t, p.path("doc-back.md"), "x")
	await(t, ch, Change{Kind: FilesChanged, Name: "doc-back.md"})
	must(t, remove(p.store, p.name))
	await(t, ch, Change{Kind: Reset})
	must(t, p.store.Create(p.name, ""))
	await(t, ch, Change{Kind: Reset})
	write(t, p.path("doc-new.md"), "x")
	await(t, ch, Change{Kind: FilesChanged, Name: "doc-new.md"})
}

func TestWatchEnds(t *testing.T) {
	p := testProject(t)
	if _, err := p.store.Watch(t.Context(), "nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("watching what is not there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ch, err := p.store.Watch(ctx, p.name)
	must(t, err)
	cancel()
	for range ch { // ends when the channel is closed
	}
	for { // the watcher goes with its last subscriber, just behind the channel
		p.store.watch.mu.Lock()
		idle := p.store.watch.fs == nil
		p.store.watch.mu.Unlock()
		if idle {
			break
		}
		runtime.Gosched()
	}
	ch = watched(t, p) // and comes again
	write(t, p.path("doc-x.md"), "x")
	await(t, ch, Change{Kind: FilesChanged, Name: "doc-x.md"})
	must(t, p.store.Close())
	for range ch {
	}
}

// A subscriber that does not read holds up nobody, and gets one reset instead
// of more than it can be told.
func TestWatchSlowSubscriber(t *testing.T) {
	s := &subscriber{project: "game", woken: make(chan struct{}, 1)}
	for i := range changesMax {
		s.add("game", Change{Kind: FilesChanged, Name: fmt.Sprint(i)})
		s.add("game", Change{Kind: FilesChanged, Name: fmt.Sprint(i)})
	}
	if len(s.waiting) != changesMax {
		t.Fatalf("%d changes wait, want each once: %d", len(s.waiting), changesMax)
	}
	s.add("game", Change{Kind: FilesChanged, Name: "one more"})
	s.add("game", Change{Kind: FilesChanged, Name: "and more"})
	if got, _, _ := s.take(then); len(got) != 1 || got[0].Kind != Reset {
		t.Errorf("told %+v", got)
	}
}

func TestWatchOverflow(t *testing.T) {
	p := testProject(t)
	ch := watched(t, p)
	p.store.watch.fs.Errors <- fsnotify.ErrEventOverflow
	await(t, ch, Change{Kind: Reset})
}

// An event that breaks is logged, and the next one is told.
func TestWatchOutlivesAPanic(t *testing.T) {
	logged := make(chan string, 100)
	s, err := Open(t.TempDir(), Options{Log: slog.New(slog.NewTextHandler(tee(logged), nil))})
	must(t, err)
	defer s.Close()
	must(t, s.Create("game", ""))
	p, err := s.Project("game")
	must(t, err)
	ch := watched(t, p)
	s.watch.mu.Lock()
	s.watch.subs[nil] = true
	s.watch.mu.Unlock()
	write(t, p.path("doc-a.md"), "x")
	if line := <-logged; !strings.Contains(line, "an event of the disk") || !strings.Contains(line, "watch.go") {
		t.Errorf("log %s", line)
	}
	s.watch.mu.Lock()
	delete(s.watch.subs, nil)
	s.watch.mu.Unlock()
	for i := 0; ; i++ { // a reset of the broken event may stand for the first ones
		name := "doc-" + strconv.Itoa(i) + ".md"
		write(t, p.path(name), "x")
		if c := <-ch; c.Kind == FilesChanged && c.Name != "doc-a.md" {
			break
		}
	}
}

// tee is a log whose lines somebody reads, if there is room.
type tee chan string

func (c tee) Write(b []byte) (int, error) {
	select {
	case c <- string(b):
	default:
	}
	return len(b), nil
}

// Who goes over from one watch to another misses nothing that the first was still to be
// told of, or that was on its way.
func TestWatchTakesOver(t *testing.T) {
	for what, told := range map[string]bool{"what waits": false, "what was told": true} {
		for _, project := range []string{"game", ""} {
			p := testProject(t)
			w := &p.store.watch
			ctx, leave := context.WithCancel(t.Context())
			_, err := p.store.Watch(ctx, p.name) // it keeps the watcher open, and reads nothing
			must(t, err)
			first := &subscriber{project: project, woken: make(chan struct{}, 1)}
			must(t, w.add(first))
			want := Change{Kind: DialogsChanged, Name: "dialog-x-waiting.md", DialogID: "x"}
			first.add("game", want)
			first.add("game", Change{Kind: FilesChanged, Name: "doc-a.md"})
			if told {
				first.take(time.Now())
			}
			second := &subscriber{project: project, woken: make(chan struct{}, 1)}
			must(t, w.add(second))
			w.remove(first)
			if project == "" {
				want.Project = "game"
			}
			if due, _, _ := second.take(time.Now()); len(due) != 2 || !slices.Contains(due, want) {
				t.Errorf("%s, of %q: %+v", what, project, due)
			}
			leave()
		}
	}
}

// A dialog that is written all the time is told of at most once in pace, and what is told
// last is never left out. Others are not held up by it.
func TestWatchPacesADialog(t *testing.T) {
	s := &subscriber{project: "game", woken: make(chan struct{}, 1)}
	hot := func(name string) { s.add("game", Change{Kind: DialogsChanged, Name: name, DialogID: "hot"}) }
	now, told := then, 0
	for range 50 { // a second, 50 times written
		hot("active")
		due, _, _ := s.take(now)
		told += len(due)
		now = now.Add(20 * time.Millisecond)
	}
	if told != 5 {
		t.Errorf("told %d times in a second", told)
	}
	s.take(now) // it is due by now
	hot("active")
	s.add("game", Change{Kind: DialogsChanged, Name: "b", DialogID: "other"})
	s.add("game", Change{Kind: FilesChanged, Name: "doc-a.md"})
	due, rest, _ := s.take(now)
	if len(due) != 2 || due[0].DialogID != "other" || due[1].Kind != FilesChanged || rest <= 0 || rest > pace {
		t.Errorf("due %+v, the next in %v", due, rest)
	}
	due, rest, _ = s.take(now.Add(rest))
	if len(due) != 1 || due[0].Name != "active" || rest != 0 {
		t.Errorf("due %+v, the next in %v", due, rest)
	}
	if due, rest, _ = s.take(now.Add(time.Hour)); len(due) != 0 || rest != 0 || len(s.sent) != 0 {
		t.Errorf("due %+v, the next in %v, %d are kept", due, rest, len(s.sent))
	}
	hot("active")
	s.take(now)
	hot("active")
	hot("waiting") // another status is told at once, and in place of what waits
	if due, rest, _ := s.take(now); len(due) != 1 || due[0].Name != "waiting" || rest != 0 {
		t.Errorf("due %+v, the next in %v", due, rest)
	}
	hot("waiting")
	s.end()
	if due, _, closed := s.take(now); len(due) != 1 || !closed {
		t.Errorf("at the end: %+v", due)
	}
}

// Who watches all projects is told of each, under its name, also of those made later.
// A reset of one project leaves what is told of others.
func TestWatchAll(t *testing.T) {
	p := testProject(t)
	s := p.store
	must(t, s.Create("book", ""))
	one := watched(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	ch, err := s.WatchAll(ctx)
	must(t, err)
	write(t, p.path("doc-a.md"), "x")
	await(t, ch, Change{Kind: FilesChanged, Name: "doc-a.md", Project: "game"})
	write(t, filepath.Join(s.path, "book", "doc-b.md"), "x")
	await(t, ch, Change{Kind: FilesChanged, Name: "doc-b.md", Project: "book"})
	must(t, s.Create("later", ""))
	await(t, ch, Change{Kind: Reset, Project: "later"})
	later, err := s.Project("later")
	must(t, err)
	f := started(t, later)
	await(t, ch, Change{Kind: DialogsChanged, Name: f.Filename(), DialogID: f.ID(), Project: "later"})
	must(t, f.Close())
	must(t, remove(s, "later"))
	await(t, ch, Change{Kind: Reset, Project: "later"})
	write(t, filepath.Join(s.path, "no project.md"), "x")

	cancel()
	for range ch {
	}
	// The other subscriber's project is watched on, and the rest is not.
	for {
		s.watch.mu.Lock()
		folders := s.watch.fs.WatchList()
		s.watch.mu.Unlock()
		if len(folders) == 2 {
			break
		}
		runtime.Gosched()
	}
	write(t, p.path("doc-c.md"), "x")
	await(t, one, Change{Kind: FilesChanged, Name: "doc-c.md"})

	all := &subscriber{woken: make(chan struct{}, 1)}
	all.add("game", Change{Kind: FilesChanged, Name: "a"})
	all.add("book", Change{Kind: FilesChanged, Name: "b"})
	all.reset("game")
	all.add("game", Change{Kind: FilesChanged, Name: "c"})
	all.add("book", Change{Kind: FilesChanged, Name: "d"})
	due, _, _ := all.take(then)
	want := []Change{{Kind: FilesChanged, Name: "b", Project: "book"}, {Kind: Reset, Project: "game"}, {Kind: FilesChanged, Name: "d", Project: "book"}}
	if !slices.Equal(due, want) {
		t.Errorf("told %+v, want %+v", due, want)
	}
	all.add("book", Change{Kind: FilesChanged, Name: "e"})
	all.resetAll()
	all.add("book", Change{Kind: FilesChanged, Name: "f"})
	if due, _, _ := all.take(then); !slices.Equal(due, []Change{{Kind: Reset}}) {
		t.Errorf("told %+v", due)
	}
}

// A watch of all projects that begins costs who watches already no change, also of those
// that the system has queued.
func TestWatchAllLosesNothing(t *testing.T) {
	p := testProject(t)
	ch, w := watched(t, p), &p.store.watch
	w.mu.Lock() // so that no change is told: the system queues them
	for _, name := range []string{"doc-a.md", "doc-b.md", "doc-c.md", "doc-d.md"} {
		write(t, p.path(name), "by an editor")
	}
	err := w.watchFor(&subscriber{})
	w.mu.Unlock()
	must(t, err)
	await(t, ch, Change{Kind: FilesChanged, Name: "doc-d.md"})
}
