package project

import (
	"errors"
	"fmt"
	"io/fs"

	"vibey/dialog"
)

// replaceDialog lets a human edit a dialog's file while its lock is free, or bring
// one in from elsewhere.
func (p *Project) replaceDialog(name, content, ifMatch string) (File, error) {
	id, st, _ := dialog.ParseName(name)
	if st == dialog.Active {
		return File{}, fmt.Errorf("%w: stop it, then edit it under its new name", ErrActive)
	}
	g := p.enter(id)
	defer p.leave(id, g)
	f, err := p.openIdle(id, g)
	if errors.Is(err, fs.ErrNotExist) {
		return p.replace(name, content, ifMatch)
	}
	if err != nil {
		return File{}, asActive(err)
	}
	defer f.free()
	if f.name() != name {
		return File{}, fmt.Errorf("this dialog is %s: %w", f.name(), fs.ErrExist)
	}
	return p.replace(name, content, ifMatch)
}

// removeDialog deletes a dialog's file while its lock is free. Of two files of one
// dialog it deletes the named one. If name says active, and no turn runs, opening
// it has made it wait: then the file under its new name is deleted. What was cut off its
// texts goes with it.
func (p *Project) removeDialog(name, ifMatch string) error {
	id, st, _ := dialog.ParseName(name)
	g := p.enter(id)
	defer p.leave(id, g)
	f, err := p.openIdle(id, g)
	if errors.Is(err, ErrTwoFiles) {
		lock, err := p.try(id)
		if err != nil {
			return asActive(err)
		}
		defer lock.Release()
		return p.remove(name, ifMatch)
	}
	if err != nil {
		return asActive(err)
	}
	defer f.free()
	if st == dialog.Active && f.st == dialog.Waiting {
		name = f.name()
	}
	if err := p.remove(name, ifMatch); err != nil {
		return err
	}
	p.dropRests(id)
	return nil
}

// asActive turns ErrBusy into ErrActive, which tells a human that the dialog runs.
func asActive(err error) error {
	if errors.Is(err, ErrBusy) {
		return ErrActive
	}
	return err
}
