package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"vibey/dialog"
	"vibey/server/project/folder"
	"vibey/tools/disk"
)

// DialogFile is one dialog, locked until Close: no other DialogFile, in any process,
// writes it (see Project.try). Its methods may be called from several goroutines; the value that
// Dialog returns belongs to the one that appends.
type DialogFile struct {
	p  *Project
	id string

	lock *disk.Held
	mu   sync.Mutex
	file *os.File      // for reading and appending; nil once closed
	at   folder.Stamp  // of the file after our last write
	st   dialog.Status // as the name tells
	d    *dialog.Dialog
	src  string // the text that d was parsed from, before its appends
	base int    // the sections that src holds
	own  []key  // the sections that we appended, in order
	// inserted are sections that another goroutine wrote, and d lacks: see Insert.
	inserted []dialog.Section
	digest   dialog.Digest // of d, as far as it was asked for
	unsynced int64         // how many bytes at the file's end no sync has covered yet
	unsure   bool          // what a failed write left may stand in the file and on no disk: see resolveDoubt
	left     int64         // how many bytes that is
	open     *OpenResponse
	gone     bool                  // it vanished: all methods but Close fail
	fail     func(op string) error // of a test: called before one step of a write
}

// key identifies a section in a text that was parsed anew.
type key struct {
	role dialog.Role
	id   string
}

// OpenDialog locks a dialog, reads it and repairs what a kill left. It returns a
// dialog that is waiting or done; the caller must Close it. Errors: fs.ErrNotExist;
// ErrBusy while it is being written; ErrTwoFiles, which names both.
func (p *Project) OpenDialog(id string) (*DialogFile, error) {
	if p.gone.Load() {
		return nil, fmt.Errorf("open dialog %s: its project was deleted: %w", id, fs.ErrNotExist)
	}
	g := p.enter(id)
	defer p.leave(id, g)
	f, err := p.openIdle(id, g)
	if err != nil {
		return nil, fmt.Errorf("open dialog %s: %w", id, err)
	}
	g.holder = f
	return f, nil
}

// openIdle opens a dialog that has no holder in this process. The caller must have
// entered its gate g.
func (p *Project) openIdle(id string, g *gate) (*DialogFile, error) {
	if g.holder != nil {
		return nil, ErrBusy
	}
	if err := p.Stands(); err != nil {
		return nil, err
	}
	return p.openLocked(id, p.dir.Sync)
}

// openLocked locks, reads and repairs a dialog. The caller must have entered its
// gate, and found no holder. sync is called after a repair that renames the file.
func (p *Project) openLocked(id string, sync func() error) (f *DialogFile, err error) {
	if _, err := p.find(id); err != nil {
		return nil, err
	}
	lock, err := p.try(id)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			lock.Release()
		}
	}()
	for range 5 {
		at, err := p.find(id)
		if err != nil {
			return nil, err
		}
		if at.other != "" {
			return nil, twoFiles(at.name, at.other)
		}
		file, err := p.openAppend(at)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		f := &DialogFile{p: p, id: id, lock: lock, file: file, st: at.status}
		err = f.takeDoubt()
		if err == nil {
			err = f.read()
		}
		if err == nil {
			err = f.repair(sync)
		}
		if err != nil {
			file.Close()
			return nil, err
		}
		return f, nil
	}
	return nil, ErrBusy
}

// openAppend opens a dialog's file for appending. The error is fs.ErrNotExist if it was
// renamed, deleted or replaced since it was found.
func (p *Project) openAppend(at found) (*os.File, error) {
	file, st, err := p.dir.OpenPlain(at.name, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	if !st.Same(at.stamp) {
		file.Close()
		return nil, fs.ErrNotExist
	}
	showLock(file)
	return file, nil
}

// free closes the file and gives the lock back.
func (f *DialogFile) free() error {
	err := f.file.Close()
	f.file = nil
	f.lock.Release()
	return err
}

// take parses src, the text of the file at that stamp.
func (f *DialogFile) take(src string, at folder.Stamp) {
	f.src, f.at, f.d = src, at, dialog.Parse(src)
	f.base = len(f.d.Sections)
	f.unsynced = 0
	f.d.Header.Status = f.st
}

// ID is the dialog's id.
func (f *DialogFile) ID() string { return f.id }

// Dialog returns the parsed value, which Append extends. If an editor changed the
// file, Refresh, Append, OpenResponse and SetStatus replace it by another value, in
// which a section may have another index or be missing: across these calls keep a
// section's id, not its index. A caller that keeps what it derived from the value
// compares the pointers.
func (f *DialogFile) Dialog() *dialog.Dialog {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.d
}

// Refresh reads what an editor saved since the last append, so that Dialog is what
// the file holds. It costs one stat. Errors: as of Append.
func (f *DialogFile) Refresh() (err error) {
	defer wrap(&err, "read %s", f.id)
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.refresh(nil)
}

// Status is the dialog's status, from the file's name.
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

// Size is the number of bytes of the whole sections, as far as Dialog has them.
func (f *DialogFile) Size() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at.Size - int64(len(f.d.Encode(f.inserted...)))
}

// Close unlocks the dialog. An open response that AppendResponse did not end stays
// on the disk, and is repaired into the dialog when that is next opened or read.
func (f *DialogFile) Close() error {
	g := f.p.enter(f.id)
	defer f.p.leave(f.id, g)
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.close(g)
}

// Discard removes a new dialog's file of which nothing was acknowledged, and closes it.
// Another file that has its name now stays.
func (f *DialogFile) Discard() error {
	g := f.p.enter(f.id)
	defer f.p.leave(f.id, g)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return nil
	}
	now, err := f.p.dir.Lstat(f.name())
	if err == nil && now.Same(f.at) {
		err = f.p.dir.Remove(f.name())
	}
	if err == nil {
		f.p.dropRests(f.id)
	}
	return errors.Join(err, f.close(g))
}

// close is Close for a caller that holds f.mu and has entered the gate.
func (f *DialogFile) close(g *gate) error {
	if f.file == nil {
		return nil
	}
	err := f.sync()
	if f.unsure {
		disk.Forget(f.file)
	}
	if f.open != nil {
		f.open.file.Close()
		f.open = nil
	}
	if g.holder == f {
		g.holder = nil
	}
	return errors.Join(err, f.free())
}
