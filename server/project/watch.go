package project

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"vibey/dialog"
	"vibey/tools/caught"
)

// Change is something that happened to a project's files, by whosever hand.
type Change struct {
	Kind     string `json:"kind"` // see the constants
	Name     string `json:"name,omitempty"`
	DialogID string `json:"dialogId,omitempty"`
}

// The kinds of change.
const (
	FilesChanged   = "files"   // a document was written, made or deleted: Name
	DialogsChanged = "dialogs" // a dialog's file was: Name, DialogID
	Reset          = "reset"   // more than can be told: list everything again
)

const (
	// coalesce is how long changes are gathered before a subscriber gets them,
	// each once: one append of a dialog is several events of the disk.
	coalesce = 20 * time.Millisecond
	// changesMax is how many may wait for a slow subscriber until one reset
	// takes their place.
	changesMax = 256
)

// Watch tells of changes in a project until ctx ends; then the channel is
// closed. A subscriber may be as slow as it likes. Where the system's queue
// overflows, or the project's folder vanishes or comes back, it gets a reset.
func (s *Store) Watch(ctx context.Context, project string) (<-chan Change, error) {
	if _, err := s.Project(project); err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	sub := &subscriber{project: project, woken: make(chan struct{}, 1)}
	if err := s.watch.add(sub); err != nil {
		return nil, fmt.Errorf("watch %s: %w", project, err)
	}
	out := make(chan Change)
	caught.Go(s.o.Log, "telling of changes", func() {
		defer close(out)
		defer s.watch.remove(sub)
		sub.deliver(ctx, out)
	})
	return out, nil
}

// subscriber is one Watch: what it was not given yet.
type subscriber struct {
	project string
	woken   chan struct{} // holds one token while there is something to give

	mu      sync.Mutex
	waiting []Change
	closed  bool
}

func (s *subscriber) tell(c Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.waiting {
		if w == c || w.Kind == Reset {
			return
		}
	}
	if c.Kind == Reset || len(s.waiting) >= changesMax {
		s.waiting = append(s.waiting[:0], Change{Kind: Reset})
	} else {
		s.waiting = append(s.waiting, c)
	}
	s.wake()
}

func (s *subscriber) reset() { s.tell(Change{Kind: Reset}) }

func (s *subscriber) wake() {
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

func (s *subscriber) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.wake()
}

func (s *subscriber) take() (changes []Change, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changes, s.waiting = s.waiting, nil
	return changes, s.closed
}

func (s *subscriber) deliver(ctx context.Context, out chan<- Change) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.woken:
		}
		pause.Reset(coalesce)
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
		changes, closed := s.take()
		for _, c := range changes {
			select {
			case <-ctx.Done():
				return
			case out <- c:
			}
		}
		if closed {
			return
		}
	}
}

// watcher is the store's one fsnotify watcher, there while anybody watches. It
// watches the root, for folders that come and go, and each watched project.
type watcher struct {
	store *Store

	mu   sync.Mutex
	fs   *fsnotify.Watcher
	subs map[*subscriber]bool
}

func (w *watcher) add(sub *subscriber) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fs == nil {
		fs, err := fsnotify.NewWatcher()
		if err != nil {
			return err
		}
		if err := fs.Add(w.store.path); err != nil {
			fs.Close()
			return err
		}
		w.fs, w.subs = fs, map[*subscriber]bool{}
		caught.Go(w.store.o.Log, "watching the disk", func() { w.run(fs) })
	}
	if err := w.fs.Add(w.folder(sub.project)); err != nil {
		w.closeIfIdle()
		return err
	}
	w.subs[sub] = true
	return nil
}

func (w *watcher) folder(project string) string { return filepath.Join(w.store.path, project) }

func (w *watcher) remove(sub *subscriber) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.subs, sub)
	if w.fs == nil {
		return
	}
	for other := range w.subs {
		if other.project == sub.project {
			return
		}
	}
	w.fs.Remove(w.folder(sub.project)) // it may be gone already
	w.closeIfIdle()
}

func (w *watcher) closeIfIdle() {
	if fs := w.fs; len(w.subs) == 0 && fs != nil {
		caught.Go(w.store.o.Log, "ending a watch", func() { fs.Close() }) // it waits for run, which may wait for our lock
		w.fs = nil
	}
}

// close ends all watching.
func (w *watcher) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for sub := range w.subs {
		sub.end()
	}
	w.subs = nil
	w.closeIfIdle()
}

func (w *watcher) run(fs *fsnotify.Watcher) {
	for {
		select {
		case ev, ok := <-fs.Events:
			if !ok {
				return
			}
			w.guardedEvent(fs, ev)
		case err, ok := <-fs.Errors:
			if !ok {
				return
			}
			w.store.o.Log.Warn("watching the disk", "err", err)
			w.each(fs, (*subscriber).reset)
		}
	}
}

// guardedEvent is event, after which the next one is told even if this one
// broke. What it was about, subscribers then find by listing again.
func (w *watcher) guardedEvent(fs *fsnotify.Watcher, ev fsnotify.Event) {
	guard := caught.Guard(w.store.o.Log)
	if err := guard("an event of the disk", func() error { w.event(fs, ev); return nil }); err != nil {
		guard("a reset", func() error { w.each(fs, (*subscriber).reset); return nil })
	}
}

// each calls f for every subscriber, if fs is still the watcher in use.
func (w *watcher) each(fs *fsnotify.Watcher, f func(*subscriber)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fs != fs {
		return
	}
	for sub := range w.subs {
		f(sub)
	}
}

func (w *watcher) event(fs *fsnotify.Watcher, ev fsnotify.Event) {
	if ev.Op == fsnotify.Chmod {
		return
	}
	folder, name := filepath.Split(ev.Name)
	folder = filepath.Clean(folder)
	if ev.Name == w.store.path {
		return
	}
	if folder == w.store.path {
		w.projectEvent(fs, name, ev)
		return
	}
	if !dialog.ValidFile(name) {
		return // an open response or a temporary file
	}
	c := Change{Kind: FilesChanged, Name: name}
	if id, _, ok := dialog.ParseName(name); ok {
		c = Change{DialogsChanged, name, id}
	}
	project := filepath.Base(folder)
	w.each(fs, func(sub *subscriber) {
		if sub.project == project {
			sub.tell(c)
		}
	})
}

// projectEvent follows a project's folder that went or came: the watch is of
// the old folder, and is taken anew.
func (w *watcher) projectEvent(fs *fsnotify.Watcher, name string, ev fsnotify.Event) {
	if !ev.Has(fsnotify.Create) && !ev.Has(fsnotify.Remove) && !ev.Has(fsnotify.Rename) {
		return
	}
	renewed := false
	w.each(fs, func(sub *subscriber) {
		if sub.project != name {
			return
		}
		if !renewed {
			renewed = true
			fs.Remove(w.folder(name))
			if st, err := w.store.dir.lstat(name); err == nil && st.folder {
				if err := fs.Add(w.folder(name)); err != nil {
					w.store.o.Log.Warn("project is not watched any more", "project", name, "err", err)
				}
			}
		}
		sub.tell(Change{Kind: Reset})
	})
}
