package project

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"vibey/dialog/effect"
	"vibey/tools/disk"
	"vibey/tools/disk/tree"
)

// step is one thing that is done for a change.
type step struct {
	c        *change
	replaces bool // what stood there is gone then
	do       func(c *change, at *tree.Folder, base string) error
}

// steps are all in the order in which they are done. What is removed goes first: on a disk
// that folds names a file may come back in other capitals.
func (a *applying) steps() (all []step) {
	var deleted, emptied, put, modes []step
	for _, c := range a.changes {
		isDir := c.Type == effect.Folder
		switch {
		case c.Kind != effect.Deleted:
			put = append(put, step{c, true, a.put})
			if isDir {
				modes = append(modes, step{c, false, a.chmod})
			}
		case isDir:
			emptied = append(emptied, step{c, false, a.rmdir})
		default:
			deleted = append(deleted, step{c, true, a.unlink})
		}
	}
	slices.Reverse(emptied) // the deepest first
	slices.Reverse(modes)
	all = slices.Concat(deleted, emptied, put)
	for i := range a.j.Times {
		all = append(all, step{&change{entry: &a.j.Times[i]}, false, a.touch})
	}
	return append(all, modes...) // last: behind them some folder may not be entered
}

// run does the steps, with the lock for a slice of them at a time.
func (a *applying) run(steps []step) error {
	for {
		n, err := a.slice(steps)
		if steps = steps[n:]; err != nil || len(steps) == 0 {
			return err
		}
		time.Sleep(applyRest)
	}
}

// slice does the first of the steps, as many as there is time for.
func (a *applying) slice(steps []step) (n int, err error) {
	unlock, err := a.p.lock()
	if err != nil {
		return 0, err
	}
	defer unlock()
	for end := time.Now().Add(applySlice); n < len(steps) && err == nil && time.Now().Before(end); {
		var did int
		did, err = a.chunk(steps[n:])
		n += did
	}
	return n, err
}

// chunk does some steps, behind what .kept needs of them. It returns how many.
func (a *applying) chunk(steps []step) (n int, err error) {
	kept := make([]*keeping, 0, applyChunk)
	for bytes := int64(0); n < min(applyChunk, len(steps)) && bytes < applyBytes; n++ {
		var k *keeping
		if c := steps[n].c; c.Keep && !c.conflict && steps[n].replaces {
			k, err = a.keep(c)
			a.p.logUnkept(err)
			bytes += c.Size
		}
		kept = append(kept, k)
	}
	for i, k := range kept {
		a.p.logUnkept(k.wait())
		a.restamp(steps[i].c, k)
	}
	err = nil
	for i, k := range kept {
		did := err
		if err == nil {
			if did = a.one(steps[i]); !errors.Is(did, errConflict) {
				err = did
			}
		}
		k.end(did)
	}
	return n, err
}

// errConflict is that of a step that leaves what stands there.
var errConflict = errors.New("it is not what the command saw")

// standsOther reports whether err says that a name, or one on the way to it, is gone or is
// something else by now.
func standsOther(err error) bool {
	for _, e := range []error{fs.ErrNotExist, fs.ErrExist, syscall.ENOTDIR, syscall.EISDIR, syscall.ELOOP, syscall.ENOTEMPTY} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// one does a step, or finds that it is a conflict, which is errConflict.
func (a *applying) one(s step) error {
	c := s.c
	if c.conflict {
		return errConflict
	}
	if c.moved {
		return nil
	}
	if err := a.p.halt("step"); err != nil {
		return err
	}
	at, base, err := a.parent(c.name())
	if err == nil {
		err = writable(at, func() error { return s.do(c, at, base) })
		at.Close()
	} else if c.Kind == effect.Deleted && (errors.Is(err, fs.ErrNotExist) || a.replacedAbove(c)) || errors.Is(err, fs.ErrPermission) && a.closed(c.name()) {
		err = nil
	}
	c.done = err == nil
	if errors.Is(err, errConflict) || standsOther(err) {
		c.conflict = true
		return errConflict
	}
	return err
}

// writable calls do, which changes names in a folder, again with the right to do that if the
// folder's owner is without it: the command had it for a while, and gave it up.
func writable(at *tree.Folder, do func() error) error {
	err := do()
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	st, serr := at.Self()
	if serr != nil || st.Mode&0o700 == 0o700 || at.Chmod(st.Mode&0o7777|0o700) != nil {
		return err
	}
	return errors.Join(do(), at.Chmod(st.Mode&0o7777))
}

// parent opens the folder of the deed in which name is, over no link.
func (a *applying) parent(name string) (at *tree.Folder, base string, err error) {
	at, err = a.deed.Sub(path.Dir(name))
	return at, path.Base(name), err
}

// source opens the folder of the layer in which name is. It is nil if what was there is in
// the deed already.
func (a *applying) source(name string) (*tree.Folder, error) {
	from, err := a.up.Sub(path.Dir(name))
	if err == nil {
		if _, err = from.Stat(path.Base(name)); err == nil {
			if st, err := from.Self(); err == nil && st.Mode&0o300 != 0o300 {
				_ = from.Chmod(st.Mode&0o7777 | 0o700) // of the layer, from which a name goes
			}
			return from, nil
		}
		from.Close()
	}
	if errors.Is(err, fs.ErrNotExist) && a.again {
		return nil, nil
	}
	return nil, fmt.Errorf("what the command wrote is gone from its layer: %s", disk.Words(err))
}

// closed reports whether a folder that name is in has the permissions that the command gave it,
// and can't be entered for that: those come behind all that is done there.
func (a *applying) closed(name string) bool {
	return a.again && slices.ContainsFunc(a.changes, func(b *change) bool {
		if b.Type != effect.Folder || b.Kind == effect.Deleted || b.conflict || b.perm()&0o500 == 0o500 || !strings.HasPrefix(name, b.name()+"/") {
			return false
		}
		st, err := a.deed.Stat(b.name())
		return err == nil && st.Kind() == tree.DirKind && st.Mode&0o7777 == b.perm()
	})
}

// replacedAbove reports whether a folder that c was in is a file or link of the command's by
// now: what was in it was removed before.
func (a *applying) replacedAbove(c *change) bool {
	return a.again && slices.ContainsFunc(a.changes, func(b *change) bool {
		return b.Kind == effect.Changed && b.Type != effect.Folder && !b.conflict && strings.HasPrefix(c.name(), b.name()+"/")
	})
}

// unlink removes a file or link.
func (a *applying) unlink(c *change, at *tree.Folder, base string) error {
	st, err := at.Stat(base)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case st.Kind() == tree.DirKind || !a.asSeen(c, at, base, st):
		return errConflict
	}
	a.touched[path.Dir(c.name())] = true
	return a.dropping(at, base, st, func() error { return at.Unlink(base) })
}

// rmdir removes a folder. One in which something was put meanwhile stays.
func (a *applying) rmdir(c *change, at *tree.Folder, base string) error {
	if st, err := at.Stat(base); err == nil && !a.asSeen(c, at, base, st) {
		return errConflict
	}
	a.touched[path.Dir(c.name())] = true
	if err := at.Rmdir(base); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// put moves a file or link from the layer, or makes the folder, with all that is in it if
// nothing stands there.
func (a *applying) put(c *change, at *tree.Folder, base string) error {
	from, err := a.source(c.name())
	if err != nil {
		return err
	}
	if from == nil {
		a.below(c)
		return nil
	}
	defer from.Close()
	st, err := at.Stat(base)
	there := err == nil
	switch {
	case there && st.Kind() == tree.DirKind && c.Type == effect.Folder:
		return nil // what it holds and its permissions follow
	case there && (c.Kind == effect.Added || !a.asSeen(c, at, base, st)):
		return errConflict
	case there && c.changesType():
		if err := a.clear(at, base, st); err != nil {
			return err
		}
		there = false
	case there:
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case c.Kind != effect.Added && !(a.again && c.changesType()):
		return errConflict // it was removed meanwhile
	}
	a.touched[path.Dir(c.name())] = true
	if c.Type == effect.Folder {
		return a.putFolder(c, from, at, base)
	}
	return a.dropping(at, base, st, func() error { return from.Move(base, at, base, !there) })
}

// clear removes a folder in which nothing is left, or a file in whose place a folder comes.
func (a *applying) clear(at *tree.Folder, base string, st tree.Stamp) error {
	if st.Kind() == tree.DirKind {
		return at.Rmdir(base)
	}
	return a.dropping(at, base, st, func() error { return at.Unlink(base) })
}

// putFolder moves a new folder with all that is in it, where all of that counts, or makes it.
func (a *applying) putFolder(c *change, from, at *tree.Folder, base string) error {
	if c.whole {
		err := from.Move(base, at, base, true)
		if err == nil {
			a.below(c)
		}
		return err
	}
	temp := disk.TempName(base)
	err := at.Mkdir(temp, 0o700)
	if errors.Is(err, fs.ErrExist) { // a kill left it
		if err = at.Rmdir(temp); err == nil {
			err = at.Mkdir(temp, 0o700)
		}
	}
	if err == nil {
		err = chmodBelow(at, temp, c.perm()|0o700)
	}
	if err != nil {
		return err
	}
	return at.Move(temp, at, base, true)
}

// below marks what went into the deed with a folder.
func (a *applying) below(c *change) {
	for _, b := range a.changes[c.at+1 : c.end] {
		b.moved, b.done = true, true
	}
}

// chmod gives a folder the permissions that the command gave it.
func (a *applying) chmod(c *change, at *tree.Folder, base string) error {
	if st, err := at.Stat(base); err == nil && st.Kind() == tree.DirKind && st.Mode&0o7777 == c.perm() {
		return nil // it may be one that can't be opened
	}
	d, err := at.Sub(base)
	if err != nil {
		return err
	}
	defer d.Close()
	st, err := d.Self()
	if err != nil {
		return err
	}
	is := st.Mode & 0o7777
	switch {
	case is == c.perm()|0o700: // as put leaves it
	case c.Kind == effect.Changed && (fs.FileMode(is).Perm() == c.BeforeMode.Perm() || c.BeforeMode == 0):
	default:
		return errConflict
	}
	a.touched[c.name()] = true
	return d.Chmod(c.perm())
}

// touch sets a time of change, unless the file was touched meanwhile.
func (a *applying) touch(c *change, at *tree.Folder, base string) error {
	st, err := at.Stat(base)
	if err != nil || st.Mtime != c.Mtime || st.Kind() != tree.FileKind {
		return nil
	}
	return at.SetMtime(base, time.Unix(0, c.New))
}
