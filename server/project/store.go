// Package project decides what is written to docs, dialogs and files of a deed.
// Docs and deed files go through Project.change, which calls tools/disk to replace
// them; dialogs only grow, and DialogFile writes them itself. A Store is a folder
// of projects, a Project a folder of markdown files, a DialogFile one dialog,
// which only its holder writes:
//
//	store, err := project.Open("vibey", project.Options{Now: time.Now})
//	p, err := store.Project("game")
//	f, err := p.OpenDialog("20260216-201100-read-vibey") // locked, read, repaired
//	defer f.Close()
//	err = f.Append(section) // on the disk, synced, then in f.Dialog()
//	err = f.SetStatus(dialog.Waiting)
//
// Begin with Store, Project, DialogFile (OpenDialog, Append, Refresh, SetStatus), ReadDialog,
// Dialogs, Change, Insert, Watch, Snapshot and Restore, Search. How a folder is held open and
// its files are read is server/project/folder's.
//
// What is kept in memory (locks, the list's cache) decides nothing: without it the
// next call returns the same.
package project

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vibey/dialog"
	"vibey/server/project/folder"
	"vibey/tools/disk"
)

// Options configure a Store. Each may be left out.
type Options struct {
	Now func() time.Time // the clock of ids and of repairs; default time.Now
	Log *slog.Logger     // what was repaired or left; default: nowhere
	As  string           // what others who wait for a lock of ours are told: "vibey serve"
	// Key is the install key, by which a human's save is known to be one; without it none is.
	Key []byte
	// State is the state dir, which no deed may be, hold, or lie in. "" is none.
	State string
	// Stands returns an *AwayError if what is kept beside the projects is not where it was
	// found any more. It is called before each write and behind it; default: nothing is kept.
	Stands func() error
	// Template is the doc-main.md of a new project with that heading; default: the heading.
	Template func(heading string) string
	// Plain returns the words of markdown without its marks; default: as it is, without a
	// heading's.
	Plain func(markdown string) string
	// Uncommented returns a doc without its comments; default: as it is.
	Uncommented func(doc string) string
	// Forget sets aside what is kept of a project outside its folder: all of it, or
	// nothing where it returns an error. It is called when a project is deleted, and
	// before one is made, because an earlier one of that name may have been deleted by
	// hand. Where that fails, what was set aside is given back.
	Forget func(name string) (Aside, error)
	// Summarize returns what the list says of a dialog. It is called from several
	// goroutines at once. The strings of d and of its digest g are parts of a text
	// that may be large: what is kept of them is copied. d is nil for one that is
	// active in this process, whose value belongs to its turn.
	Summarize func(project, dialogID string, st dialog.Status, d *dialog.Dialog, g *dialog.Digest) Summary
}

// Summary is what the list of dialogs says of one, besides its name.
type Summary struct {
	Needs  string        // approval | reply | continue | none
	Title  string        // one line, may be ""
	Words  string        // what it wants, or its last words: one line, may be ""
	From   string        // the dialog that launched it, or ""
	Origin dialog.Origin // where it was forked from, or the zero value
	In     int64         // tokens read, without those before it was forked
	Out    int64         // and written
	Wrote  []int64       // the tokens of each of the last answers, of a dialog that is not done
	USD    float64
	AsOf   string // the date of the prices that USD is of; "" where one is not known
	// Fleeting: it depends on more than the dialog's file, and is not used again.
	Fleeting bool
}

// Store is the root folder. It is safe for concurrent use.
type Store struct {
	path  string // absolute, links resolved: for the watcher and DeedDir
	dir   *folder.Folder
	place disk.Place
	o     Options

	ctx    context.Context // ends with Close: nothing waits for a lock after that
	cancel context.CancelFunc

	mu   sync.Mutex // guards open, and creating and deleting projects
	open map[string]*Project

	resting folder.Pool

	journals journals

	watch watcher
}

// Open opens the folder at path as a store, and makes it if it is missing. Nothing
// in it is read.
func Open(path string, o Options) (_ *Store, err error) {
	defer wrap(&err, "open the projects' folder")
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Template == nil {
		o.Template = func(heading string) string { return "# " + heading + "\n" }
	}
	if o.Plain == nil {
		o.Plain = func(markdown string) string { return strings.TrimPrefix(markdown, "# ") }
	}
	if o.Uncommented == nil {
		o.Uncommented = func(doc string) string { return doc }
	}
	if o.Forget == nil {
		o.Forget = func(string) (Aside, error) { return nothingAside, nil }
	}
	if o.Stands == nil {
		o.Stands = func() error { return nil }
	}
	if o.Summarize == nil {
		o.Summarize = func(string, string, dialog.Status, *dialog.Dialog, *dialog.Digest) Summary { return Summary{} }
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, err
	}
	if o.State != "" {
		state, err := filepath.Abs(o.State)
		if err != nil {
			return nil, err
		}
		if real, err := filepath.EvalSymlinks(state); err == nil {
			state = real // a deed must not be a folder above the real one
		}
		o.State = state
	}
	abs, err := filepath.Abs(path)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, err
	}
	d, err := folder.Open(root)
	if err != nil {
		return nil, err
	}
	s := &Store{path: abs, dir: d, o: o, open: map[string]*Project{}}
	if s.place, err = disk.PlaceOf("the folder of projects", root, path); err != nil {
		d.Close()
		return nil, err
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.watch.store = s
	return s, nil
}

// Close ends all watching and closes the folders. A dialog that is still open can
// be used until it is closed.
func (s *Store) Close() error {
	s.cancel()
	s.watch.close()
	s.restAll()
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.open)
	return s.dir.Close()
}

// Project opens a project by the name that the store's folder lists. It reads only the
// folder's own entry. The error is fs.ErrNotExist, also for a link in the folder's place.
func (s *Store) Project(name string) (*Project, error) {
	if !ValidProject(name) {
		return nil, fmt.Errorf("project %q: %w", name, fs.ErrNotExist)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st, err := s.dir.Lstat(name)
	if err == nil && !st.Folder {
		err = fmt.Errorf("%w: %w", ErrNotPlain, fs.ErrNotExist)
	}
	if err == nil {
		err = s.dir.Exact(name)
	}
	if err != nil {
		if p := s.open[name]; p != nil && !p.moved() { // one that was moved may come back
			s.drop(name)
		}
		return nil, fmt.Errorf("project %s: %w", name, err)
	}
	if p := s.open[name]; p != nil && p.dir.Is(st) {
		return p, nil
	}
	p, err := s.openProject(name, st)
	if err != nil {
		return nil, fmt.Errorf("project %s: %w", name, err)
	}
	s.drop(name)
	s.open[name] = p
	return p, nil
}

// drop forgets the project of that name. The caller must hold s.mu.
func (s *Store) drop(name string) {
	if p := s.open[name]; p != nil {
		s.resting.Forget(p.dir)
		delete(s.open, name)
	}
}

// openProject opens the folder that lstat saw. It refuses another one, such as a
// link that took its place since.
func (s *Store) openProject(name string, st folder.Stamp) (*Project, error) {
	d, err := s.dir.Sub(name)
	if err != nil {
		return nil, err
	}
	if !d.Is(st) {
		d.Close()
		return nil, fmt.Errorf("%w: %w", ErrNotPlain, fs.ErrNotExist)
	}
	d.Reopen = func() (*folder.Folder, error) { return s.dir.Sub(name) }
	s.resting.Add(d)
	return &Project{store: s, name: name, dir: d, gates: map[string]*gate{}, writing: make(chan struct{}, 1)}, nil
}

// Project is one project's folder. Every path goes through its os.Root, which is closed
// where other projects are used more, and when the Project is collected. It is safe for concurrent use.
type Project struct {
	store *Store
	name  string
	dir   *folder.Folder
	gone  atomic.Bool // deleted through this store

	writing chan struct{} // full while a writer of this process has or awaits the lock

	mu    sync.Mutex // guards gates
	gates map[string]*gate

	doubts sync.Map // a doubt each of dialogs by id, see DialogFile.resolveDoubt

	summaries  cache[summarized]
	reading    sync.Map      // a func() DialogInfo each of dialogs by found, while Dialog reads them
	titles     cache[string] // of docs
	docs       shared[[]string]
	kept       atomic.Pointer[keptTotal] // nil where it is not known
	gaps       cache[[]dialog.Gap]       // of dialogs
	paths      cache[[]string]           // of dialogs, see PathsIn
	foreigners cache[verdict]            // texts that other programs put there
	marks      cache[[]string]           // Macs in doc-main.md

	fail func(op string) error // of a test: called before each step of an Apply
}

// Name is the project's name.
func (p *Project) Name() string { return p.name }

// Root is the project's folder, for tools that write docs. It stays open from then on.
func (p *Project) Root() *os.Root { return p.dir.Root() }
