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

// OpenResponse begins one. A dialog has at most one; what an earlier one left
// that was not closed is appended as interrupted first.
func (f *DialogFile) OpenResponse() (*OpenResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.usable(); err != nil {
		return nil, fmt.Errorf("open response of %s: %w", f.id, err)
	}
	name := dialog.OpenName(f.id)
	const flag = os.O_CREATE | os.O_EXCL | os.O_WRONLY | os.O_APPEND
	file, err := f.p.dir.root.OpenFile(name, flag, createMode)
	if errors.Is(err, fs.ErrExist) {
		if err = f.agree(nil); err == nil {
			err = f.repairOpen(-1)
		}
		if err == nil {
			file, err = f.p.dir.root.OpenFile(name, flag, createMode)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open response of %s: %w", f.id, err)
	}
	if f.open != nil {
		f.open.file.Close()
	}
	f.open = &OpenResponse{id: f.id, file: file}
	return f.open, nil
}

// Write appends a piece. It is written before any viewer gets it.
func (o *OpenResponse) Write(piece []byte) (int, error) {
	n, err := o.file.Write(piece)
	if err != nil {
		err = fmt.Errorf("write response of %s: %w", o.id, err)
	}
	return n, err
}

// AppendResponse appends the sections of the response that ended, whole or
// broken off, and then removes the open file: what was shown stands in one of the
// two at each moment. Where the append fails the file stays, and is repaired into
// the dialog when that is opened next, unless the *TakenError says that the text
// is in another file. Without sections, nothing of the response is to be kept.
// Errors: as of Append, and where the file could not be removed.
func (f *DialogFile) AppendResponse(secs ...dialog.Section) error {
	if err := checkSections(secs); err != nil {
		return fmt.Errorf("append response to %s: %w", f.id, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var err error
	if len(secs) > 0 {
		err = f.agree(secs)
		taken, ok := errors.AsType[*TakenError](err)
		if err != nil && (!ok || taken.Kept == "") {
			return fmt.Errorf("append response to %s: %w", f.id, err)
		}
		if err != nil {
			secs = nil // they stand in Kept
		}
	}
	if err = errors.Join(err, f.closeOpen(secs)); err != nil {
		err = fmt.Errorf("append response to %s: %w", f.id, err)
	}
	return err
}

// closeOpen appends what came of a response, and then removes its open file. It
// is the one way from that file to sections: at the end of a response, and at its
// repair.
func (f *DialogFile) closeOpen(secs []dialog.Section) error {
	if len(secs) > 0 {
		if err := f.append(secs); err != nil {
			return err
		}
	}
	if f.open != nil {
		f.open.file.Close()
		f.open = nil
	}
	if err := f.p.dir.root.Remove(dialog.OpenName(f.id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the open response: %w", err)
	}
	return nil
}
