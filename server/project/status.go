package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"vibey/dialog"
	"vibey/server/project/folder"
)

// SetStatus gives the dialog another status: it overwrites the header's word in
// place, then renames the file, whose name decides. When it returns nil the name
// outlives a power cut, but for one that waited and becomes active: it waits again
// then, which is what a start makes of it anyway. Errors: *OverwrittenError as from Append; ErrTwoFiles if there
// is already a file with that status.
func (f *DialogFile) SetStatus(st dialog.Status) (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !st.Valid() {
		return fmt.Errorf("set %s to %q: no such status", f.id, st)
	}
	defer wrap(&err, "set %s to %s", f.id, st)
	if err = f.refresh(nil); err == nil {
		err = f.sync()
	}
	if err != nil || st == f.st {
		return err
	}
	sync := f.p.dir.Sync
	if f.st == dialog.Waiting && st == dialog.Active {
		sync = func() error { return nil }
	}
	return f.rename(st, sync)
}

func (f *DialogFile) rename(st dialog.Status, sync func() error) error {
	from, to := f.name(), dialog.Filename(f.id, st)
	if err := f.writeWord(st); err != nil {
		return err
	}
	if err := f.p.dir.Rename(from, to); err != nil {
		f.writeWord(f.st)
		if errors.Is(err, fs.ErrExist) {
			err = twoFiles(from, to)
		}
		return err
	}
	f.st, f.d.Header.Status = st, st
	if err := sync(); err != nil {
		return err
	}
	return f.p.Stands()
}

// writeWord overwrites the header's status through a descriptor of its own, since
// the dialog's only appends. A header written by hand, without a word of that
// length, stays as it is.
func (f *DialogFile) writeWord(st dialog.Status) error {
	off, ok := dialog.StatusOffset(head(f.src))
	if !ok {
		return nil
	}
	file, seen, err := f.p.dir.OpenPlain(f.name(), os.O_WRONLY)
	if err != nil {
		return err
	}
	defer file.Close()
	if !seen.Same(f.at) {
		return &OverwrittenError{ID: f.id}
	}
	if _, err := file.WriteAt([]byte(dialog.StatusWord(st)), int64(off)); err != nil {
		return err
	}
	after, err := folder.StampOf(file)
	if err != nil {
		return err
	}
	f.at.Mtime = after.Mtime
	return nil
}

// head returns the beginning of a text, in which its header lies.
func head(src string) string { return src[:min(len(src), 8<<10)] }
