package project

import (
	"fmt"
	"io/fs"
	"os"
	"strings"

	"vibey/dialog"
	"vibey/tools/disk"
)

// A doc, a dialog and a project have the name that their folder lists, also on a disk
// that opens them by others: exact is asked of every name that comes from outside before
// it is read, spelled after something was made, and unlikeOthers before.

// unlikeOthers returns fs.ErrExist if the name of a file differs only in case from that of
// another one that the folder lists, or of another's dialog in any status. there reports
// that the disk opens a file of that name. The caller must hold the lock.
func (p *Project) unlikeOthers(name string, there bool) error {
	if there && !p.dir.Folds(name) {
		return nil
	}
	all, err := p.dir.Names()
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
			if err := p.dir.Exact(name); err != nil {
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
