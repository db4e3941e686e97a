// Package folder holds a folder open and reads the files in it, without following a link
// and with few system calls: a cold list of dialogs reads thousands.
//
// Begin with Open, Folder (Names, Lstat, OpenPlain, ReadPlain, Sync, Rename) and Stamp, by
// which everything that is kept of a file is compared with the disk. A Pool closes the
// folders of projects that are not used. The package owns which spelling of a name is the
// file's: Exact and Spelled.
package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"sync/atomic"
)

// Folder is one folder: its os.Root, and a descriptor of it for what an os.Root does
// not offer (sync, a rename that replaces nothing, a cheap lstat). The names that
// its methods take have no separators. A project's is closed where others are used
// more, and opened again at its next use.
type Folder struct {
	id   Stamp
	root *os.Root // this and self: between enter and leave, or of one that stays open
	self *os.File // nil while it is closed; root is closed then too

	among  *Pool                   // nil for one that stays open until Close
	Reopen func() (*Folder, error) // returns the folder that has the name now; of one in a Pool

	listing atomic.Pointer[listing] // nil where it is not known: see Spelled

	mu   sync.Mutex // guards what follows, and root and self of one in a Pool
	uses int        // which have entered and not left
	lent bool       // its os.Root was given away: it stays open
	used bool       // since its Pool looked at it last
}

// Open takes a folder of which only its os.Root is open, and closes that on an error.
func Open(root *os.Root) (*Folder, error) {
	self, err := root.Open(".")
	if err != nil {
		root.Close()
		return nil, err
	}
	d := &Folder{root: root, self: self}
	if d.id, err = StampOf(self); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// Sub opens the folder name in d.
func (d *Folder) Sub(name string) (*Folder, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return Open(root)
}

// Close closes the folder, which is then not opened again.
func (d *Folder) Close() error { return errors.Join(d.self.Close(), d.root.Close()) }

// enter opens the folder where it was closed, and keeps it open until leave. The error
// is fs.ErrNotExist where its name has another folder by now.
func (d *Folder) enter() error {
	if d.among == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.self == nil {
		now, err := d.Reopen()
		if err != nil {
			return err
		}
		if !d.Is(now.id) {
			now.Close()
			return fmt.Errorf("the folder was replaced: %w", fs.ErrNotExist)
		}
		d.root, d.self = now.root, now.self
		d.among.add(d)
	}
	d.uses++
	d.used = true
	return nil
}

// use calls f while the folder is open.
func (d *Folder) use(f func() error) error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	return f()
}

func (d *Folder) leave() {
	if d.among == nil {
		return
	}
	d.mu.Lock()
	d.uses--
	d.mu.Unlock()
}

// Root returns the folder's os.Root for a use without an end: it stays open from now on.
// Where the folder is gone it is one that was closed.
func (d *Folder) Root() *os.Root {
	if d.enter() == nil {
		defer d.leave()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lent = d.self != nil
	return d.root
}

// Rest closes the folder if nothing used it since Rest looked last. It reports whether
// there is nothing to look at any more.
func (d *Folder) Rest() (done bool) {
	if !d.mu.TryLock() {
		return false
	}
	defer d.mu.Unlock()
	switch {
	case d.lent:
		return true
	case d.uses > 0:
		return false
	case d.used:
		d.used = false
		return false
	}
	d.Close()
	d.self = nil
	return true
}

// MaxOpen is how many folders of projects stay open that nothing uses: two descriptors
// each, of the 1,024 that a process has on many machines.
const MaxOpen = 32

// Pool are the open folders that may be closed.
type Pool struct {
	mu   sync.Mutex
	open []*Folder // the one that came first or was spared last, first
}

// Add takes a folder that was opened, and closes others beyond MaxOpen: of those that
// nothing uses the one that was not used for longest, nearly.
func (r *Pool) Add(d *Folder) {
	d.among = r
	r.add(d)
}

func (r *Pool) add(d *Folder) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for tries := 2 * len(r.open); len(r.open) >= MaxOpen && tries > 0; tries-- {
		first := r.open[0]
		r.open = append(r.open[:0], r.open[1:]...)
		if !first.Rest() {
			r.open = append(r.open, first)
		}
	}
	r.open = append(r.open, d)
}

// Forget leaves a folder to be closed when nothing refers to it.
func (r *Pool) Forget(d *Folder) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = slices.DeleteFunc(r.open, func(o *Folder) bool { return o == d })
}
