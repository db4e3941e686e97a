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
	await(t, ch, Change{DialogsChanged, f.Filename(), f.ID()})
	must(t, f.Append(section(dialog.Assistant, 2, "x")))
	await(t, ch, Change{DialogsChanged, f.Filename(), f.ID()})
	must(t, f.SetStatus(dialog.Done))
	await(t, ch, Change{DialogsChanged, f.Filename(), f.ID()})
}

// The pieces of an open response and temporary files are nobody's change.
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
	if c := <-ch; c != (Change{Kind: FilesChanged, Name: "last.md"}) {
		t.Errorf("told of %+v", c)
	}
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
	s := &subscriber{woken: make(chan struct{}, 1)}
	for i := range changesMax {
		s.tell(Change{Kind: FilesChanged, Name: fmt.Sprint(i)})
		s.tell(Change{Kind: FilesChanged, Name: fmt.Sprint(i)})
	}
	if len(s.waiting) != changesMax {
		t.Fatalf("%d changes wait, want each once: %d", len(s.waiting), changesMax)
	}
	s.tell(Change{Kind: FilesChanged, Name: "one more"})
	s.tell(Change{Kind: FilesChanged, Name: "and more"})
	if got, _ := s.take(); len(got) != 1 || got[0].Kind != Reset {
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
