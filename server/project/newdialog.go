package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"vibey/dialog"
	"vibey/server/project/folder"
)

// clashes is how many dialogs can have the same second and slug.
const clashes = 1000

// NewDialog makes a dialog with a fresh id, made of now and slug (any words), and
// -2, -3 if that id is taken under any status. It has the status h.Status; DialogID
// is filled in, and Started if it is empty. The file is synced with all its sections
// when NewDialog returns; the caller holds it, locked, until Close.
func (p *Project) NewDialog(slug string, now time.Time, h dialog.Header, sections []dialog.Section) (_ *DialogFile, err error) {
	defer wrap(&err, "new dialog")
	if !h.Status.Valid() {
		return nil, fmt.Errorf("no status %q", h.Status)
	}
	if h.Started == "" {
		h.Started = dialog.FormatTime(now)
	}
	if err := dialog.CheckHeader(&h); err != nil {
		return nil, err
	}
	if err := checkSections(sections); err != nil {
		return nil, err
	}
	return p.newOf(slug, now, h.Status, func(id string) string {
		h.DialogID = id
		return dialog.Format(&dialog.Dialog{Header: h, Sections: sections})
	})
}

// NewDialogOf is NewDialog for a waiting dialog with the text that text returns for its id.
func (p *Project) NewDialogOf(slug string, now time.Time, text func(id string) string) (_ *DialogFile, err error) {
	defer wrap(&err, "new dialog")
	return p.newOf(slug, now, dialog.Waiting, text)
}

func (p *Project) newOf(slug string, now time.Time, st dialog.Status, text func(id string) string) (*DialogFile, error) {
	if p.gone.Load() {
		return nil, fmt.Errorf("project %s was deleted: %w", p.name, fs.ErrNotExist)
	}
	return p.createDialog(dialog.NewID(now, dialog.Slug(slug), 1), 1, st, text)
}

// createDialog makes the first free one of the dialogs id, id-2, id-3 …, beginning
// with number from. It returns it synced, locked, and as the holder of its gate.
func (p *Project) createDialog(id string, from int, st dialog.Status, text func(id string) string) (*DialogFile, error) {
	for n := from; n < from+clashes; n++ {
		next := id
		if n > 1 {
			next += "-" + strconv.Itoa(n)
		}
		f, err := p.createAs(next, st, text(next))
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		return f, err
	}
	return nil, fmt.Errorf("dialog %s and %d numbered ones: %w", id, clashes, fs.ErrExist)
}

// createAs makes one dialog, whole or not at all: it is written and synced under
// newName, which no reader looks at, and then renamed. A kill between the two leaves
// only a file that the next creation overwrites, or sweepNew removes.
func (p *Project) createAs(id string, st dialog.Status, text string) (*DialogFile, error) {
	g := p.enter(id)
	defer p.leave(id, g)
	if g.holder != nil {
		return nil, fs.ErrExist
	}
	if err := p.Stands(); err != nil {
		return nil, err
	}
	if err := p.untaken(id); err != nil {
		return nil, err
	}
	lock, err := p.try(id)
	if errors.Is(err, ErrBusy) {
		return nil, fs.ErrExist // another process makes the same one
	}
	if err != nil {
		return nil, err
	}
	f := &DialogFile{p: p, id: id, st: st, lock: lock}
	if err := f.fill(text); err != nil {
		lock.Release()
		return nil, err
	}
	g.holder = f
	return f, nil
}

// newName is the name under which a dialog is written before it is there.
func newName(id string) string { return "." + id + ".new" }

// fill writes a new file's text, synced, and gives it its name. On an error nothing of it
// is left, and f.file is closed.
func (f *DialogFile) fill(text string) (err error) {
	if err := f.p.untaken(f.id); err != nil {
		return err // fs.ErrExist: another process made it before the lock was ours
	}
	made := newName(f.id)
	// What a kill left of making one is overwritten.
	f.file, err = f.p.dir.OpenFile(made, os.O_CREATE|os.O_TRUNC|os.O_RDWR|os.O_APPEND|unix.O_NOFOLLOW|unix.O_NONBLOCK, createMode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.p.dir.Remove(made)
			f.file.Close()
		}
	}()
	showLock(f.file)
	if _, err := f.file.WriteString(text); err != nil {
		return err
	}
	if err := f.file.Sync(); err != nil {
		return err
	}
	if err := f.p.dir.Rename(made, f.name()); err != nil {
		return err
	}
	if err = f.p.dir.Sync(); err == nil {
		err = f.p.Stands()
	}
	if err != nil {
		f.p.dir.Remove(f.name())
		return err
	}
	at, err := folder.StampOf(f.file)
	if err != nil {
		return err
	}
	f.take(text, at)
	for i := range f.d.Sections {
		f.own = append(f.own, key{f.d.Sections[i].Role, f.d.Sections[i].ID})
	}
	return nil
}

// untaken returns fs.ErrExist if there is a dialog of that id under any status, or its
// open response, and the disk's error where that is not known.
func (p *Project) untaken(id string) error {
	names := []string{dialog.OpenName(id)}
	for _, st := range statuses {
		names = append(names, dialog.Filename(id, st))
	}
	for _, name := range names {
		if _, err := p.dir.Lstat(name); err == nil {
			return fs.ErrExist
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
