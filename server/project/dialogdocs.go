package project

import (
	"errors"
	"fmt"
	"io/fs"

	"vibey/dialog"
	"vibey/tools/disk"
)

// replaceDialog lets a human edit a dialog's file that nobody writes, or bring
// one in from elsewhere.
func (p *Project) replaceDialog(name, content, ifMatch string) (File, error) {
	id, st, _ := dialog.ParseName(name)
	if st == dialog.Active {
		return File{}, fmt.Errorf("%w: stop it, then edit it under its new name", ErrActive)
	}
	g := p.enter(id)
	defer p.leave(id, g)
	if g.holder != nil {
		return File{}, ErrActive
	}
	f, err := p.openLocked(id, p.dir.sync)
	if errors.Is(err, fs.ErrNotExist) {
		return p.replace(name, content, ifMatch)
	}
	if err != nil {
		return File{}, asActive(err)
	}
	defer disk.Unlock(f.file)
	if f.name() != name {
		return File{}, fmt.Errorf("this dialog is %s: %w", f.name(), fs.ErrExist)
	}
	return p.replace(name, content, ifMatch)
}

// removeDialog deletes a dialog's file that nobody writes. Of two files for one
// dialog it deletes the named one. One that was active when it was named, but
// had no runner, waits by now, and is meant all the same.
func (p *Project) removeDialog(name, ifMatch string) error {
	id, st, _ := dialog.ParseName(name)
	g := p.enter(id)
	defer p.leave(id, g)
	if g.holder != nil {
		return ErrActive
	}
	f, err := p.openLocked(id, p.dir.sync)
	if errors.Is(err, ErrTwoFiles) {
		file, err := p.lockPlain(name)
		if err != nil {
			return asActive(err)
		}
		defer disk.Unlock(file)
		return p.remove(name, ifMatch)
	}
	if err != nil {
		return asActive(err)
	}
	defer disk.Unlock(f.file)
	if st == dialog.Active && f.st == dialog.Waiting {
		name = f.name()
	}
	return p.remove(name, ifMatch)
}

// asActive tells a human that the dialog runs, not that a lock is taken.
func asActive(err error) error {
	if errors.Is(err, ErrBusy) {
		return ErrActive
	}
	return err
}
