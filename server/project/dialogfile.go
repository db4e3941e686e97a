package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"vibey/dialog"
	"vibey/tools/disk"
)

// DialogFile is one dialog, locked: nobody else of ours writes it until Close.
// Its methods may be called from several goroutines; the value that Dialog
// returns belongs to the one that appends.
type DialogFile struct {
	p  *Project
	id string

	mu   sync.Mutex
	file *os.File      // for reading and appending, locked; nil once closed
	at   stamp         // the file as we left it
	st   dialog.Status // as the name tells
	d    *dialog.Dialog
	src  string // the text that d was parsed from, before its appends
	base int    // the sections that src holds
	own  []key  // the sections that we appended, in order
	open *OpenResponse
	gone bool // it vanished: only Close is left
	fail func(op string) error
}

// key finds a section again in a text that was parsed anew.
type key struct {
	role dialog.Role
	id   string
}

// OpenDialog locks a dialog, reads it and repairs what a kill left: then it is
// waiting or done. The caller must Close it. Errors: fs.ErrNotExist; ErrBusy
// where it is being written; ErrTwoFiles, which names both.
func (p *Project) OpenDialog(id string) (*DialogFile, error) {
	if p.gone.Load() {
		return nil, fmt.Errorf("open dialog %s: its project was deleted: %w", id, fs.ErrNotExist)
	}
	g := p.enter(id)
	defer p.leave(id, g)
	if g.holder != nil {
		return nil, fmt.Errorf("open dialog %s: %w", id, ErrBusy)
	}
	f, err := p.openLocked(id, p.dir.sync)
	for try := 1; errors.Is(err, ErrBusy) && try < busyTries; try++ {
		time.Sleep(busyPause)
		f, err = p.openLocked(id, p.dir.sync)
	}
	if err != nil {
		return nil, fmt.Errorf("open dialog %s: %w", id, err)
	}
	g.holder = f
	return f, nil
}

// Another process that only reads holds the lock for the moments of a repair;
// that is what OpenDialog waits for.
const (
	busyTries = 5
	busyPause = 2 * time.Millisecond
)

// openLocked is OpenDialog for who stands in the gate. sync is called where a
// repair renamed something.
func (p *Project) openLocked(id string, sync func() error) (*DialogFile, error) {
	for range 5 {
		at, err := p.find(id)
		if err != nil {
			return nil, err
		}
		if at.other != "" {
			return nil, fmt.Errorf("%w: %s and %s; delete one of them", ErrTwoFiles, at.name, at.other)
		}
		file, err := p.lockPlain(at.name)
		if err != nil {
			return nil, err
		}
		if now, err := p.dir.lstat(at.name); err != nil || !now.same(at.stamp) {
			disk.Unlock(file) // renamed or replaced before we had the lock
			continue
		}
		f := &DialogFile{p: p, id: id, file: file, st: at.status}
		if err = f.reread(); err == nil {
			err = f.repair(sync)
		}
		if err != nil {
			disk.Unlock(file)
			return nil, err
		}
		return f, nil
	}
	return nil, ErrBusy
}

// lockPlain opens a file for appending and locks it, or tells that it is taken.
func (p *Project) lockPlain(name string) (*os.File, error) {
	file, _, err := p.dir.openPlain(name, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	if err := lockFile(file); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// reread takes the text and the parsed value anew from the file.
func (f *DialogFile) reread() error {
	src, at, err := readAll(f.file)
	if err != nil {
		return err
	}
	f.take(src, at)
	return nil
}

func (f *DialogFile) take(src string, at stamp) {
	f.src, f.at, f.d = src, at, dialog.Parse(src)
	f.base = len(f.d.Sections)
	f.d.Header.Status = f.st
}

// ID is the dialog's id.
func (f *DialogFile) ID() string { return f.id }

// Dialog is the parsed value: Append extends it. Where somebody else had
// changed the file it is another value after Agree, Append, OpenResponse or
// SetStatus, read anew, in which a section's place is another and may be none:
// what is kept over one of these is a section's id. Who keeps what he derived
// from the value compares the pointers.
func (f *DialogFile) Dialog() *dialog.Dialog {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.d
}

// Agree makes sure that Dialog is what stands in the file: what somebody else
// saved since the last append is read. It costs one look at the file's entry.
// Errors: as of Append.
func (f *DialogFile) Agree() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.agree(nil); err != nil {
		return fmt.Errorf("read %s: %w", f.id, err)
	}
	return nil
}

// Status is where the dialog stands, as the file's name tells.
func (f *DialogFile) Status() dialog.Status {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.st
}

// Filename is the file's present name.
func (f *DialogFile) Filename() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.name()
}

func (f *DialogFile) name() string { return dialog.Filename(f.id, f.st) }

// Size is the number of bytes of the whole sections.
func (f *DialogFile) Size() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at.size
}

// Close gives the dialog free. An open response that was not closed stays on
// the disk, and is repaired at the next touch like a killed one.
func (f *DialogFile) Close() error {
	g := f.p.enter(f.id)
	defer f.p.leave(f.id, g)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return nil
	}
	if f.open != nil {
		f.open.file.Close()
		f.open = nil
	}
	if g.holder == f {
		g.holder = nil
	}
	err := disk.Unlock(f.file)
	f.file = nil
	return err
}
