package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"

	"vibey/dialog"
)

// clashes is how many dialogs of one second and one slug are told apart.
const clashes = 1000

// NewDialog makes a dialog with a fresh id: of now, of slug (any words), and
// -2, -3 where that id is taken under any status. h.Status says which status it
// has; DialogID is filled in, and Started where it is empty. The file is synced
// with all its sections when NewDialog returns; the dialog is the caller's,
// locked, until Close.
func (p *Project) NewDialog(slug string, now time.Time, h dialog.Header, sections []dialog.Section) (*DialogFile, error) {
	if p.gone.Load() {
		return nil, fmt.Errorf("new dialog: project %s was deleted: %w", p.name, fs.ErrNotExist)
	}
	if !h.Status.Valid() {
		return nil, fmt.Errorf("new dialog: no status %q", h.Status)
	}
	if h.Started == "" {
		h.Started = dialog.Stamp(now)
	}
	if err := dialog.CheckHeader(&h); err != nil {
		return nil, fmt.Errorf("new dialog: %w", err)
	}
	for i := range sections {
		if err := dialog.CheckSection(&sections[i]); err != nil {
			return nil, fmt.Errorf("new dialog: %s: %w", sections[i].Role, err)
		}
	}
	f, err := p.createDialog(dialog.NewID(now, dialog.Slug(slug), 1), 1, h.Status, func(id string) string {
		h.DialogID = id
		return dialog.Format(&dialog.Dialog{Header: h, Sections: sections})
	})
	if err != nil {
		return nil, fmt.Errorf("new dialog: %w", err)
	}
	return f, nil
}

// createDialog makes the first free one of the dialogs id, id-2, id-3 …,
// beginning with the one numbered from. It is synced, locked, and the holder of its gate.
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

func (p *Project) createAs(id string, st dialog.Status, text string) (*DialogFile, error) {
	g := p.enter(id)
	defer p.leave(id, g)
	if g.holder != nil || p.taken(id) {
		return nil, fs.ErrExist
	}
	name := dialog.Filename(id, st)
	file, err := p.dir.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, createMode)
	if err != nil {
		return nil, err
	}
	f := &DialogFile{p: p, id: id, file: file, st: st}
	if err := f.fill(text); err != nil {
		if errors.Is(err, ErrBusy) {
			file.Close() // somebody repaired the empty file before we had the lock: it is his
			return nil, fs.ErrExist
		}
		p.dir.root.Remove(name)
		unlockAndClose(file)
		return nil, err
	}
	g.holder = f
	return f, nil
}

// fill writes a new file's text, synced with its name.
func (f *DialogFile) fill(text string) error {
	if err := lockFile(f.file); err != nil {
		return err
	}
	if _, err := f.file.WriteString(text); err != nil {
		return err
	}
	if err := f.file.Sync(); err != nil {
		return err
	}
	if err := f.p.dir.sync(); err != nil {
		return err
	}
	at, err := stampFile(f.file)
	if err != nil {
		return err
	}
	f.take(text, at)
	for i := range f.d.Sections {
		f.own = append(f.own, key{f.d.Sections[i].Role, f.d.Sections[i].ID})
	}
	return nil
}

// taken tells whether a dialog of that id is there under any status, or a
// response that belongs to one.
func (p *Project) taken(id string) bool {
	for _, st := range statuses {
		if _, err := p.dir.lstat(dialog.Filename(id, st)); !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	_, err := p.dir.lstat(dialog.OpenName(id))
	return !errors.Is(err, fs.ErrNotExist)
}
