package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"vibey/dialog"
)

// SetStatus gives the dialog another status: first the header's word, written
// over in place, then the file's name, which is the truth. When it returns nil
// the name outlives a power cut. Errors: *TakenError as from Append;
// ErrTwoFiles where a file with that status is there already.
func (f *DialogFile) SetStatus(st dialog.Status) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !st.Valid() {
		return fmt.Errorf("set %s to %q: no such status", f.id, st)
	}
	err := f.agree(nil)
	if err == nil && st != f.st {
		err = f.rename(st, f.p.dir.sync)
	}
	if err != nil {
		return fmt.Errorf("set %s to %s: %w", f.id, st, err)
	}
	return nil
}

func (f *DialogFile) rename(st dialog.Status, sync func() error) error {
	from, to := f.name(), dialog.Filename(f.id, st)
	if err := f.writeWord(st); err != nil {
		return err
	}
	if err := f.p.dir.rename(from, to); err != nil {
		f.writeWord(f.st)
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%w: %s and %s; delete one of them", ErrTwoFiles, from, to)
		}
		return err
	}
	f.st, f.d.Header.Status = st, st
	return sync()
}

// writeWord writes the header's status over. It needs a descriptor of its own,
// for the dialog's always writes at the end. A header without a word that can
// be written over, by a human's hand, stays as it is.
func (f *DialogFile) writeWord(st dialog.Status) error {
	off, ok := dialog.StatusOffset(head(f.src))
	if !ok {
		return nil
	}
	file, seen, err := f.p.dir.openPlain(f.name(), os.O_WRONLY)
	if err != nil {
		return err
	}
	defer file.Close()
	if !seen.same(f.at) {
		return &TakenError{ID: f.id}
	}
	if _, err := file.WriteAt([]byte(dialog.StatusWord(st)), int64(off)); err != nil {
		return err
	}
	after, err := stampFile(file)
	if err != nil {
		return err
	}
	f.at.mtime = after.mtime
	return nil
}

// head is as much of a text as a header takes.
func head(src string) string { return src[:min(len(src), 8<<10)] }
