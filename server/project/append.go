package project

import (
	"errors"
	"fmt"
	"io/fs"

	"vibey/dialog"
	"vibey/tools/disk"
)

// Append writes sections to the end of the file in one write, syncs it, and
// then extends Dialog by them. When it returns nil they outlive a power cut;
// on an error they are neither in the value nor, unless cutting them off fails too,
// in the file. Of a text beyond dialog.SectionMost the rest stands in a file of its own.
// On a *TakenError, Dialog is what an editor overwrote the file with,
// and what this turn had written is in another file.
func (f *DialogFile) Append(secs ...dialog.Section) error {
	if len(secs) == 0 {
		return nil
	}
	secs, err := f.checked(secs)
	if err != nil {
		return fmt.Errorf("append to %s: %w", f.id, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.agree(secs); err != nil {
		return fmt.Errorf("append to %s: %w", f.id, err)
	}
	if err := f.append(secs); err != nil {
		return fmt.Errorf("append to %s: %w", f.id, err)
	}
	return nil
}

// checked returns sections as they can be appended, see bounded.
func (f *DialogFile) checked(secs []dialog.Section) ([]dialog.Section, error) {
	if err := checkSections(secs); err != nil {
		return nil, err
	}
	return f.bounded(secs)
}

func checkSections(secs []dialog.Section) error {
	for i := range secs {
		if err := dialog.CheckSection(&secs[i]); err != nil {
			return fmt.Errorf("%s: %w", secs[i].Role, err)
		}
	}
	return nil
}

func (f *DialogFile) append(secs []dialog.Section) error {
	if err := f.write(f.d.Encode(secs...)); err != nil {
		return err
	}
	for i := range secs {
		f.remember(secs[i])
	}
	return nil
}

// remember extends the parsed value by a section that was written.
func (f *DialogFile) remember(s dialog.Section) {
	f.d.Append(s)
	f.own = append(f.own, key{s.Role, s.ID})
}

// write appends text and syncs it, or leaves the file as it was. The descriptor is
// in append mode, so that what an editor without our lock adds is not overwritten.
func (f *DialogFile) write(text string) error {
	n, err := f.file.WriteString(text)
	if err == nil {
		err = f.injected("sync")
	}
	if err == nil {
		err = disk.SyncData(f.file)
	}
	after, serr := stampFile(f.file)
	if err = errors.Join(err, serr); err != nil {
		return f.takeBack(after, int64(n), err)
	}
	f.at.size += int64(len(text)) // not after.size: agree must see what others added
	f.at.mtime = after.mtime
	return nil
}

// takeBack truncates the n bytes that a failed write left, unless others wrote too.
// If that fails, the next append finds another size, reads the file anew and marks
// the torn tail.
func (f *DialogFile) takeBack(after stamp, n int64, err error) error {
	if after.size != f.at.size+n {
		return fmt.Errorf("what was written stays, for others wrote too: %w", err)
	}
	if terr := f.file.Truncate(f.at.size); terr != nil {
		return errors.Join(err, terr)
	}
	if now, serr := stampFile(f.file); serr == nil {
		f.at = now
	}
	return err
}

// usable returns an error if there is no file to write any more.
func (f *DialogFile) usable() error {
	switch {
	case f.file == nil:
		return fmt.Errorf("the dialog was closed: %w", fs.ErrClosed)
	case f.p.gone.Load():
		return fmt.Errorf("the project was deleted: %w", fs.ErrNotExist)
	case f.gone:
		return &TakenError{ID: f.id, Gone: true}
	}
	return nil
}

// injected calls the test's hook, which may fail a step of a write.
func (f *DialogFile) injected(op string) error {
	if f.fail == nil {
		return nil
	}
	return f.fail(op)
}
