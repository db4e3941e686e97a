package project

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/tools/disk"
)

// A doc, a dialog and a project have the name that their folder lists, also on a disk
// that opens them by others: exact is asked of every name that comes from outside before
// it is read, spelled after something was made, and unlikeOthers before.

// exact returns fs.ErrNotExist if the folder lists the entry name in another spelling. It
// returns nil where there is no such entry.
func (d *dir) exact(name string) error {
	listed, err := d.spelled(name)
	if err == nil && listed != name {
		err = fmt.Errorf("%s is listed as %s: %w", name, listed, fs.ErrNotExist)
	}
	return err
}

// spelled returns the name under which the folder lists the entry that it opens as name.
func (d *dir) spelled(name string) (string, error) {
	if !d.folds(name) {
		return name, nil
	}
	at, err := d.stat()
	if err != nil {
		return "", err
	}
	if l := d.listing.Load(); l != nil && l.at == at && l.names[name] {
		return name, nil
	}
	names, err := d.names()
	if err != nil {
		return "", err
	}
	if time.Since(at.modTime()) > coarse {
		d.listing.Store(newListing(at, names))
	}
	listed := disk.Listed(names, name)
	if listed == "" {
		err = fmt.Errorf("%s is listed by another name: %w", name, fs.ErrNotExist)
	}
	return listed, err
}

// folds reports whether the folder may open name without listing it so.
func (d *dir) folds(name string) bool {
	return disk.Folds(func(name string) error { _, err := d.lstat(name); return err }, name)
}

// listing is what a folder of a disk that folds names listed while it had that stamp, so
// that many readings of dialogs do not each list it. A name that is not in it is looked for
// anew. Writers of docs do not use it.
type listing struct {
	at    stamp
	names map[string]bool
}

// coarse is longer than the granularity of the times of disks that fold names, which is
// two seconds on vfat: a folder that changed so lately could change again under one stamp.
const coarse = 3 * time.Second

func newListing(at stamp, names []string) *listing {
	l := &listing{at, make(map[string]bool, len(names))}
	for _, n := range names {
		l.names[n] = true
	}
	return l
}

// unlikeOthers returns fs.ErrExist if the name of a file differs only in case from that of
// another one that the folder lists, or of another's dialog in any status. there reports
// that the disk opens a file of that name. The caller must hold the lock.
func (p *Project) unlikeOthers(name string, there bool) error {
	if there && !p.dir.folds(name) {
		return nil
	}
	all, err := p.dir.names()
	if err != nil {
		return err
	}
	like := ""
	for _, n := range all {
		if n == name {
			return nil
		}
		if alike(n, name) {
			like = n
		}
	}
	switch {
	case like != "":
		return fmt.Errorf("%s stands there: %w", like, fs.ErrExist)
	case there:
		return disk.ErrChanged // it is gone by now
	}
	return nil
}

// asListed returns check, before which a doc is looked for under its very name: the error
// is fs.ErrNotExist if the folder lists it in another spelling.
func (p *Project) asListed(dir *os.Root, name string, check func(old *os.File) error) func(old *os.File) error {
	return func(old *os.File) error {
		if dir == p.Root() {
			if err := p.dir.exact(name); err != nil {
				return err
			}
		}
		return check(old)
	}
}

// alike reports whether two different names of files are one on a disk that ignores case,
// or are of dialogs whose ids are.
func alike(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	x, _, _ := dialog.ParseName(strings.ToLower(a))
	y, _, _ := dialog.ParseName(strings.ToLower(b))
	if x == "" || x != y {
		return false
	}
	x, _, _ = dialog.ParseName(a)
	y, _, _ = dialog.ParseName(b)
	return x == "" || x != y
}
