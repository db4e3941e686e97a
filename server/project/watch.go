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

// Change is an event of a project's files, whichever program caused it.
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
	// changesMax is how many may wait for a slow subscriber. Beyond that one reset
	// replaces them.
	changesMax = 256
)

// Watch sends the changes of a project until ctx or the store ends, and then closes
// the channel. A slow subscriber delays no other. When the system's queue overflows,
// or the project's folder is removed or made again, it gets a reset.
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

// subscriber is one Watch, with the changes that were not sent yet.
type subscriber struct {
	project string
	woken   chan struct{} // holds one token while there is something to send

	mu      sync.Mutex
	waiting []Change
	closed  bool
}

// tell adds a change to those that wait, unless it waits already.
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

// take returns the changes that wait, and whether the store is closed.
func (s *subscriber) take() (changes []Change, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changes, s.waiting = s.waiting, nil
	return changes, s.closed
}

func (s *subscriber) deliver(ctx context.Context, out chan<- Change) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.woken:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(coalesce):
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

// watcher is the store's one fsnotify watcher, open while there are subscribers. It
// watches the root, for folders that are made and removed, and each subscribed
// project.
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
		caught.Go(w.store.o.Log, "ending a watch", func() { fs.Close() }) // it waits for run, which may wait for w.mu
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

// guardedEvent handles an event. After a panic subscribers get a reset instead, and
// the next event is handled.
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
	folder, name := filepath.Dir(ev.Name), filepath.Base(ev.Name)
	switch {
	case ev.Name == w.store.path:
		return
	case folder == w.store.path:
		w.projectEvent(fs, name, ev)
		return
	case !dialog.ValidFile(name):
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

// projectEvent renews the watch of a project's folder that was removed or made, since
// the watch is of the old folder.
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
			w.renew(fs, name)
		}
		sub.reset()
	})
}

// renew watches the folder that has a project's name now, if there is one.
func (w *watcher) renew(fs *fsnotify.Watcher, project string) {
	fs.Remove(w.folder(project))
	if st, err := w.store.dir.lstat(project); err != nil || !st.folder {
		return
	}
	if err := fs.Add(w.folder(project)); err != nil {
		w.store.o.Log.Warn("project is not watched any more", "project", project, "err", err)
	}
}
