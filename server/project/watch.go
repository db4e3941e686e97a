package project

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
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
	Project  string `json:"-"` // set by WatchAll
}

// The kinds of change.
const (
	FilesChanged   = "files"   // a document was written, made or deleted: Name; "" for what Unlisted lists
	DialogsChanged = "dialogs" // a dialog's file was: Name, DialogID
	OpenChanged    = "open"    // the response that is being written was: DialogID. WatchAll sends none
	Reset          = "reset"   // more than can be sent: list everything again
)

const (
	// coalesce is how long changes are gathered before a subscriber gets them,
	// each once: one append of a dialog is several events of the disk.
	coalesce = 20 * time.Millisecond
	// changesMax is how many may wait for a slow subscriber. Beyond that one reset
	// replaces them.
	changesMax = 256
	// pace is the least time between two changes of a dialog under the same name, that is
	// with the same status: an active one is written up to 50 times a second, and each
	// subscriber reads it. The last change is always sent.
	pace = 200 * time.Millisecond
	// openPace is that of a response that is being written, of which the list has the last words.
	openPace = 500 * time.Millisecond
)

// Watch sends the changes of a project until ctx or the store ends, and then closes
// the channel. A slow subscriber delays no other. When the system's queue overflows,
// or the project's folder is removed or made again, it gets a reset.
func (s *Store) Watch(ctx context.Context, project string) (<-chan Change, error) {
	if _, err := s.Project(project); err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	return s.subscribe(ctx, project)
}

// WatchAll is Watch for every project at once, those made later too; each Change says
// its Project. A reset with a Project means that this one was made, removed or is to
// be listed again, and one without that all are.
func (s *Store) WatchAll(ctx context.Context) (<-chan Change, error) {
	return s.subscribe(ctx, "")
}

func (s *Store) subscribe(ctx context.Context, project string) (<-chan Change, error) {
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
	project string        // "" for all
	woken   chan struct{} // holds one token while there is something to send

	mu      sync.Mutex
	waiting []Change
	sent    map[Change]time.Time // when, of the last pace
	closed  bool
}

// fresh returns the changes that wait, and those that were sent so lately that the reader
// may not have them yet.
func (s *subscriber) fresh(now time.Time) []Change {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Clone(s.waiting)
	for c, at := range s.sent {
		if now.Sub(at) < c.pace() {
			all = append(all, c)
		}
	}
	return all
}

// wants reports whether the subscriber watches a project.
func (s *subscriber) wants(project string) bool { return s.project == "" || s.project == project }

// pace returns the least time between two changes of a dialog that are c.
func (c Change) pace() time.Duration {
	if c.Kind == OpenChanged {
		return openPace
	}
	return pace
}

// key is what a change is about: of a dialog its id, whatever its file is called.
func (c Change) key() Change {
	if c.Kind == DialogsChanged {
		c.Name = ""
	}
	return c
}

// add adds a change in a project to those that wait, where it takes the place of an
// earlier one of the same dialog.
func (s *subscriber) add(project string, c Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.project == "" {
		c.Project = project
	}
	for i, w := range s.waiting {
		if w.key() == c.key() {
			s.waiting[i] = c
			return
		}
		if w.Kind == Reset && (w.Project == "" || w.Project == c.Project) {
			return
		}
	}
	switch {
	case len(s.waiting) >= changesMax:
		s.waiting = append(s.waiting[:0], Change{Kind: Reset})
	case c.Kind == Reset:
		s.waiting = slices.DeleteFunc(s.waiting, func(w Change) bool { return c.Project == "" || w.Project == c.Project })
		s.waiting = append(s.waiting, c)
	default:
		s.waiting = append(s.waiting, c)
	}
	s.wake()
}

func (s *subscriber) reset(project string) { s.add(project, Change{Kind: Reset}) }

// resetAll says that anything may have changed.
func (s *subscriber) resetAll() { s.reset(s.project) }

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

// take returns the changes that are due at now, how long it is until more are, 0 for
// none that wait, and whether the store is closed.
func (s *subscriber) take(now time.Time) (due []Change, rest time.Duration, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.sent, func(c Change, at time.Time) bool { return now.Sub(at) >= c.pace() })
	var later []Change
	for _, c := range s.waiting {
		at, again := s.sent[c]
		switch left := c.pace() - now.Sub(at); {
		case !again || s.closed || c.Kind != DialogsChanged && c.Kind != OpenChanged:
			due = append(due, c)
		case rest == 0 || left < rest:
			rest = left
			fallthrough
		default:
			later = append(later, c)
		}
	}
	for _, c := range due {
		if s.sent == nil {
			s.sent = map[Change]time.Time{}
		}
		s.sent[c] = now
	}
	s.waiting = later
	return due, rest, s.closed
}

func (s *subscriber) deliver(ctx context.Context, out chan<- Change) {
	var later <-chan time.Time // when a change that waits is due
	for {
		select {
		case <-ctx.Done():
			return
		case <-later:
		case <-s.woken:
			select {
			case <-ctx.Done():
				return
			case <-time.After(coalesce):
			}
		}
		changes, rest, closed := s.take(time.Now())
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
		if later = nil; rest > 0 {
			later = time.After(rest)
		}
	}
}

// watcher is the store's one fsnotify watcher, open while there are subscribers. It
// watches the root, for folders that are made and removed, and the projects of the
// subscribers.
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
	if err := w.watchFor(sub); err != nil {
		w.closeIfIdle()
		return err
	}
	// A client that follows something else opens a new stream and leaves the old one,
	// with what is on its way in that.
	for other := range w.subs {
		if other.project != sub.project {
			continue
		}
		for _, c := range other.fresh(time.Now()) {
			sub.add(c.Project, c)
		}
	}
	w.subs[sub] = true
	return nil
}

// watchFor watches a subscriber's folders. Of all projects one that can't be watched
// is logged, and the others are.
func (w *watcher) watchFor(sub *subscriber) error {
	if sub.project != "" {
		return w.fs.Add(w.folder(sub.project))
	}
	names, err := w.store.Projects()
	for _, n := range names {
		w.follow(w.fs, n)
	}
	return err
}

func (w *watcher) folder(project string) string { return filepath.Join(w.store.path, project) }

func (w *watcher) remove(sub *subscriber) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.subs, sub)
	if w.fs == nil {
		return
	}
	for _, folder := range w.fs.WatchList() {
		if folder != w.store.path && !w.wanted(filepath.Base(folder)) {
			w.fs.Remove(folder) // it may be gone already
		}
	}
	w.closeIfIdle()
}

// wanted reports whether a subscriber watches a project. The caller must hold w.mu.
func (w *watcher) wanted(project string) bool {
	for sub := range w.subs {
		if sub.wants(project) {
			return true
		}
	}
	return false
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
			w.each(fs, (*subscriber).resetAll)
		}
	}
}

// guardedEvent handles an event. After a panic subscribers get a reset instead, and
// the next event is handled.
func (w *watcher) guardedEvent(fs *fsnotify.Watcher, ev fsnotify.Event) {
	guard := caught.Guard(w.store.o.Log)
	if err := guard("an event of the disk", func() error { w.event(fs, ev); return nil }); err != nil {
		guard("a reset", func() error { w.each(fs, (*subscriber).resetAll); return nil })
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
	}
	c := Change{Kind: FilesChanged}
	switch id, _, ok := dialog.ParseName(name); {
	case ok:
		c = Change{Kind: DialogsChanged, Name: name, DialogID: id}
	case dialog.ListedFile(name):
		c.Name = name
	case NoPage(name) == "":
		id, ok := dialog.ParseOpenName(name)
		if !ok || !ev.Has(fsnotify.Write) {
			return // a temporary file, or an open response without words
		}
		c = Change{Kind: OpenChanged, DialogID: id}
	}
	project := filepath.Base(folder)
	w.each(fs, func(sub *subscriber) {
		if sub.wants(project) && (c.Kind != OpenChanged || sub.project != "") {
			sub.add(project, c)
		}
	})
}

// projectEvent renews the watch of a project's folder that was removed or made, since
// the watch is of the old folder. What the system has queued of the folder is lost: its
// subscribers have to list it again.
func (w *watcher) projectEvent(fs *fsnotify.Watcher, name string, ev fsnotify.Event) {
	if !ValidProject(name) || !ev.Has(fsnotify.Create) && !ev.Has(fsnotify.Remove) && !ev.Has(fsnotify.Rename) {
		return
	}
	renewed := false
	w.each(fs, func(sub *subscriber) {
		if !sub.wants(name) {
			return
		}
		if !renewed {
			renewed = true
			fs.Remove(w.folder(name))
			w.follow(fs, name)
		}
		sub.reset(name)
	})
}

// follow watches a project's folder, if there is one. A watch that it has stays.
func (w *watcher) follow(fs *fsnotify.Watcher, project string) {
	if st, err := w.store.dir.Lstat(project); err != nil || !st.Folder {
		return
	}
	if err := fs.Add(w.folder(project)); err != nil {
		w.store.o.Log.Warn("project is not watched any more", "project", project, "err", err)
	}
}
