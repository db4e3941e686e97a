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
	f    *DialogFile
	file *os.File
	n    int64
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
	f.open = &OpenResponse{f: f, file: file}
	return f.open, nil
}

// Write appends a piece. It is written before any viewer gets it.
func (o *OpenResponse) Write(piece []byte) (int, error) {
	n, err := o.file.Write(piece)
	o.n += int64(n)
	if err != nil {
		err = fmt.Errorf("write response of %s: %w", o.f.id, err)
	}
	return n, err
}

// Len is the number of bytes written.
func (o *OpenResponse) Len() int64 { return o.n }

// Close removes the file: the response was appended, or there is nothing of it
// to be kept. A second call does nothing.
func (o *OpenResponse) Close() error {
	o.f.mu.Lock()
	defer o.f.mu.Unlock()
	if o.f.open != o {
		return nil
	}
	o.f.open = nil
	o.file.Close()
	if err := o.f.p.dir.root.Remove(dialog.OpenName(o.f.id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("close response of %s: %w", o.f.id, err)
	}
	return nil
}
