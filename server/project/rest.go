package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"vibey/dialog"
	"vibey/server/project/folder"
)

// Rest is a file that holds what a text has beyond dialog.TextMost. Its writes outlive
// a kill; a power cut only when a section that names it was appended.
type Rest struct {
	Name string // in dialog.RestFolder
	file *os.File
}

// NewRest creates a file for the rest of a text of this dialog.
func (f *DialogFile) NewRest() (_ *Rest, err error) {
	defer wrap(&err, "rest of a text of %s", f.id)
	d, err := f.p.own(dialog.RestFolder, true)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	for n := 1; ; n++ {
		name := dialog.RestName(f.id, n)
		file, err := d.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, createMode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		return &Rest{name, file}, err
	}
}

// WriteString appends a piece.
func (r *Rest) WriteString(piece string) error {
	if _, err := r.file.WriteString(piece); err != nil {
		return fmt.Errorf("write %s: %w", r.Name, err)
	}
	return nil
}

// Close ends the writing.
func (r *Rest) Close() error { return r.file.Close() }

// bounded returns sections as they may be appended: of each text that is too long a file
// holds the rest. The files that they name are synced when it returns. What it makes before
// an append that fails stays.
func (f *DialogFile) bounded(secs []dialog.Section) ([]dialog.Section, error) {
	out := make([]dialog.Section, len(secs))
	var named []string
	for i := range secs {
		s, err := dialog.Bound(secs[i], f.keepRest)
		if err != nil {
			return nil, err
		}
		for _, p := range s.Payloads {
			if name, ok := dialog.RestOf(p.Text); ok {
				named = append(named, name)
			}
		}
		out[i] = s
	}
	return out, f.p.syncRests(named)
}

// keepRest writes what was cut off a text into a file of its own.
func (f *DialogFile) keepRest(rest string) (name string, err error) {
	r, err := f.NewRest()
	if err != nil {
		return "", err
	}
	if err := errors.Join(r.WriteString(rest), r.Close()); err != nil {
		f.p.dropRest(r.Name)
		return "", err
	}
	return r.Name, nil
}

// syncRests syncs files that hold the rest of texts. One that is not there is no error: a
// text may have quoted the line.
func (p *Project) syncRests(names []string) error {
	if len(names) == 0 {
		return nil
	}
	d, err := p.own(dialog.RestFolder, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer d.Close()
	for _, name := range names {
		file, _, err := d.OpenPlain(name, os.O_RDONLY)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := errors.Join(file.Sync(), file.Close()); err != nil {
			return err
		}
	}
	return d.Sync()
}

// dropRest removes one file, and dropRests all of a dialog, as far as that can be done.
func (p *Project) dropRest(name string) {
	if d, err := p.own(dialog.RestFolder, false); err == nil {
		defer d.Close()
		d.Remove(name)
	}
}

func (p *Project) dropRests(id string) {
	d, err := p.own(dialog.RestFolder, false)
	if err != nil {
		return
	}
	defer d.Close()
	names, _ := d.Names()
	for _, n := range names {
		if owner, ok := dialog.RestOwner(n); !ok || owner != id {
			continue
		}
		if err := d.Remove(n); err != nil {
			p.store.o.Log.Warn("left-over file", "project", p.name, "name", n, "err", err)
		}
	}
}

// own opens a hidden folder of the project's, and with create makes it where it is missing.
// It follows no link: files there are removed.
func (p *Project) own(name string, create bool) (*folder.Folder, error) {
	st, err := p.dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) && create {
		if err = p.dir.Mkdir(name); errors.Is(err, fs.ErrExist) { // another program made it in this moment
			err = nil
		}
		if err = errors.Join(err, p.dir.Sync()); err == nil {
			st, err = p.dir.Lstat(name)
		}
	}
	if err != nil {
		return nil, err
	}
	if !st.Folder {
		return nil, fmt.Errorf("%s is no folder: %w: %w", name, ErrNotPlain, fs.ErrNotExist)
	}
	d, err := p.dir.Sub(name)
	if err != nil {
		return nil, err
	}
	if !d.Is(st) {
		d.Close()
		return nil, fmt.Errorf("%s is being replaced: %w: %w", name, ErrNotPlain, fs.ErrNotExist)
	}
	return d, nil
}

// isRest reports whether name can be that of a file in dialog.RestFolder.
func isRest(name string) bool {
	_, ok := dialog.RestOwner(name)
	return ok
}
