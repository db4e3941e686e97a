package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"vibey/dialog"
)

// OpenResponse is the file beside a dialog that holds the response being
// streamed, in the bytes that will be appended as far as they are known. Its
// writes outlive a kill, not a power cut. One goroutine writes it.
type OpenResponse struct {
	id   string
	file *os.File
}

// OpenResponse creates the open response. A dialog has at most one; an earlier one
// that AppendResponse did not end is first appended as interrupted.
func (f *DialogFile) OpenResponse() (_ *OpenResponse, err error) {
	defer wrap(&err, "open response of %s", f.id)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.usable(); err != nil {
		return nil, err
	}
	name := dialog.OpenName(f.id)
	const flag = os.O_CREATE | os.O_EXCL | os.O_WRONLY | os.O_APPEND
	file, err := f.p.dir.OpenFile(name, flag, createMode)
	if errors.Is(err, fs.ErrExist) {
		if err = f.refresh(nil); err == nil {
			err = f.repairOpen(-1)
		}
		if err == nil {
			file, err = f.p.dir.OpenFile(name, flag, createMode)
		}
	}
	if err != nil {
		return nil, err
	}
	if f.open != nil {
		f.open.file.Close()
	}
	f.open = &OpenResponse{id: f.id, file: file}
	return f.open, nil
}

// Write appends a piece. The caller shows it to viewers afterwards.
func (o *OpenResponse) Write(piece []byte) (int, error) {
	n, err := o.file.Write(piece)
	if err != nil {
		err = fmt.Errorf("write response of %s: %w", o.id, err)
	}
	return n, err
}

// AppendResponse appends the sections of the response that ended, whole or
// interrupted, and then removes the open file: at each moment one of the two holds
// what was shown. If the append fails the open file stays, and is repaired into
// the dialog when that is opened next, unless the *OverwrittenError says that the text
// is in another file. Without sections the response is dropped. Errors: as of
// Append, and of removing the file.
func (f *DialogFile) AppendResponse(secs ...dialog.Section) error {
	return f.appendResponse(secs, f.closeOpen)
}

// WriteResponse is AppendResponse without its sync, which the next append, SetStatus or
// Sync makes: for a response with a call that is to run at once, and has its Note synced
// before. Until then the open file stays, and nothing of the sections may be shown.
func (f *DialogFile) WriteResponse(secs ...dialog.Section) error {
	return f.appendResponse(secs, f.appendUnsynced)
}

// appendResponse calls end with the sections of a response that the file is to get.
func (f *DialogFile) appendResponse(secs []dialog.Section, end func([]dialog.Section) error) (err error) {
	defer wrap(&err, "append response to %s", f.id)
	if secs, err = f.checked(secs); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(secs) > 0 {
		err = f.refresh(secs)
		taken, ok := errors.AsType[*OverwrittenError](err)
		if err != nil && (!ok || taken.Kept == "") {
			return err
		}
		if err != nil {
			secs, end = nil, f.closeOpen // they stand in Kept
		}
	}
	return errors.Join(err, end(secs))
}

// closeOpen appends the sections of a response, and then removes its open file.
// AppendResponse and repairOpen both end an open file by it.
func (f *DialogFile) closeOpen(secs []dialog.Section) error {
	if len(secs) > 0 {
		if err := f.append(secs); err != nil {
			return err
		}
	}
	return f.removeOpen()
}

// removeOpen removes the open file, if there is one.
func (f *DialogFile) removeOpen() error {
	if f.open != nil {
		f.open.file.Close()
		f.open = nil
	}
	if err := f.p.dir.Remove(dialog.OpenName(f.id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the open response: %w", err)
	}
	return nil
}
