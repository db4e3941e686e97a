package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"sync/atomic"
)

// dir is one folder: its os.Root, and a descriptor of it for what an os.Root does
// not offer (sync, a rename that replaces nothing, a cheap lstat). The names that
// its methods take have no separators. A project's is closed where others are used
// more, and opened again at its next use.
type dir struct {
	id   stamp
	root *os.Root // this and self: between enter and leave, or of one that stays open
	self *os.File // nil while it is closed; root is closed then too

	among  *resting             // nil for one that stays open until close
	reopen func() (*dir, error) // the folder that has the name now

	listing atomic.Pointer[listing] // nil where it is not known: see spelled

	mu   sync.Mutex // guards what follows, and root and self of one among resting
	uses int        // which have entered and not left
	lent bool       // its os.Root was given away: it stays open
	used bool       // since resting looked at it last
}

func newDir(root *os.Root) (*dir, error) {
	self, err := root.Open(".")
	if err != nil {
		root.Close()
		return nil, err
	}
	d := &dir{root: root, self: self}
	if d.id, err = stampFile(self); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// sub opens the folder name in d.
func (d *dir) sub(name string) (*dir, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return newDir(root)
}

func (d *dir) close() error { return errors.Join(d.self.Close(), d.root.Close()) }

// enter opens the folder where it was closed, and keeps it open until leave. The error
// is fs.ErrNotExist where its name has another folder by now.
func (d *dir) enter() error {
	if d.among == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.self == nil {
		now, err := d.reopen()
		if err != nil {
			return err
		}
		if !d.is(now.id) {
			now.close()
			return fmt.Errorf("the folder was replaced: %w", fs.ErrNotExist)
		}
		d.root, d.self = now.root, now.self
		d.among.add(d)
	}
	d.uses++
	d.used = true
	return nil
}

func (d *dir) leave() {
	if d.among == nil {
		return
	}
	d.mu.Lock()
	d.uses--
	d.mu.Unlock()
}

// lend returns the folder's os.Root for a use without an end: it stays open from now on.
// Where the folder is gone it is one that was closed.
func (d *dir) lend() *os.Root {
	if d.enter() == nil {
		defer d.leave()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lent = d.self != nil
	return d.root
}

// rest closes the folder if nothing used it since rest looked last. It reports whether
// there is nothing to look at any more.
func (d *dir) rest() (done bool) {
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
	d.close()
	d.self = nil
	return true
}

// openDirs is how many folders of projects stay open that nothing uses: two descriptors
// each, of the 1,024 that a process has on many machines.
const openDirs = 32

// resting are the open folders that may be closed.
type resting struct {
	mu   sync.Mutex
	open []*dir // the one that came first or was spared last, first
}

// add takes a folder that was opened, and closes others beyond openDirs: of those that
// nothing uses the one that was not used for longest, nearly.
func (r *resting) add(d *dir) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for tries := 2 * len(r.open); len(r.open) >= openDirs && tries > 0; tries-- {
		first := r.open[0]
		r.open = append(r.open[:0], r.open[1:]...)
		if !first.rest() {
			r.open = append(r.open, first)
		}
	}
	r.open = append(r.open, d)
}

// forget leaves a folder to be closed when nothing refers to it.
func (r *resting) forget(d *dir) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = slices.DeleteFunc(r.open, func(o *dir) bool { return o == d })
}
