package project

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"vibey/dialog"
	"vibey/server/project/folder"
	"vibey/tools/disk"
)

// Append writes sections to the end of the file in one write, syncs it, and
// then extends Dialog by them. When it returns nil they outlive a power cut;
// on an error they are neither in the value nor, unless cutting them off fails too,
// in the file. Of a text beyond dialog.SectionMost the rest stands in a file of its own.
// On a *OverwrittenError, Dialog is what an editor overwrote the file with,
// and what this turn had written is in another file.
func (f *DialogFile) Append(secs ...dialog.Section) (err error) {
	if len(secs) == 0 {
		return nil
	}
	defer wrap(&err, "append to %s", f.id)
	if secs, err = f.checked(secs); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.refresh(secs); err != nil {
		return err
	}
	return f.append(secs)
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
	f.remember(secs)
	return nil
}

// appendUnsynced is append without a sync, which the next write or Sync makes.
func (f *DialogFile) appendUnsynced(secs []dialog.Section) error {
	text := f.d.Encode(secs...)
	if err := f.put(text, func() error { return nil }); err != nil {
		return err
	}
	f.remember(secs)
	f.unsynced += int64(len(text))
	return nil
}

// remember extends the parsed value by sections that were written.
func (f *DialogFile) remember(secs []dialog.Section) {
	for _, s := range secs {
		f.d.Append(s)
		f.own = append(f.own, key{s.Role, s.ID})
	}
}

// Sync makes what WriteResponse wrote outlive a power cut. On an error it is neither in
// the value nor, unless cutting it off fails too, in the file.
func (f *DialogFile) Sync() (err error) {
	defer wrap(&err, "sync %s", f.id)
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sync()
}

func (f *DialogFile) sync() error {
	if f.file == nil {
		return errClosed
	}
	if err := f.resolveDoubt(); err != nil || f.unsynced == 0 {
		return err
	}
	return f.write("")
}

// Unsynced reports whether the file has what a power cut may still take, so that it must
// not be shown.
func (f *DialogFile) Unsynced() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.unsynced > 0
}

// write appends text and syncs it, and what was written before without a sync, or leaves
// the file as it was before both.
func (f *DialogFile) write(text string) error {
	err := f.put(text, f.syncFile)
	if err == nil && f.unsynced > 0 {
		f.unsynced = 0
		if err := f.removeOpen(); err != nil { // its text stands in the dialog, so the next repair removes it
			f.p.store.o.Log.Warn("left-over file", "project", f.p.name, "dialog", f.id, "err", err)
		}
	}
	return err
}

func (f *DialogFile) syncFile() error {
	if err := f.injected("sync"); err != nil {
		return err
	}
	return disk.SyncData(f.file)
}

// put appends text and calls then, or leaves the file as it was. The descriptor is
// in append mode, so that what an editor without our lock adds is not overwritten.
func (f *DialogFile) put(text string, then func() error) error {
	n, err := f.file.WriteString(text)
	if err == nil {
		err = then()
	}
	if err == nil {
		err = f.p.Stands()
	}
	after, serr := folder.StampOf(f.file)
	if err = errors.Join(err, serr); err != nil {
		return f.takeBack(after, int64(n), err)
	}
	f.at.Size += int64(len(text)) // not after.size: refresh must see what others added
	f.at.Mtime = after.Mtime
	return nil
}

// takeBack cuts off the n bytes that a failed write left, and what stands unsynced before
// them, unless others wrote too. Where it can't, what the file holds is unsure.
func (f *DialogFile) takeBack(after folder.Stamp, n int64, err error) error {
	f.left = n
	if after.Size != f.at.Size+n {
		f.unsure = true
		return fmt.Errorf("what was written stays, for others wrote too: %w", err)
	}
	if cerr := f.cut(); cerr != nil {
		f.doubt()
		return errors.Join(err, cerr)
	}
	return err
}

// cut truncates the file to what a sync has covered, and the value with it.
func (f *DialogFile) cut() error {
	err := f.injected("cut")
	if err == nil {
		err = f.file.Truncate(f.at.Size - f.unsynced)
	}
	if err == nil && f.unsynced > 0 {
		return f.forgetUnsynced()
	}
	if now, serr := folder.StampOf(f.file); err == nil && serr == nil {
		f.at = now
	}
	return err
}

// resolveDoubt returns an error as long as the file may show what a failed write left there: the
// system keeps it in memory, and the disk may not have it. It tries once more to cut that
// off or, where others wrote behind it, to sync it. The caller must hold f.mu.
func (f *DialogFile) resolveDoubt() error {
	if !f.unsure {
		return nil
	}
	now, err := folder.StampOf(f.file)
	switch {
	case err != nil:
	case now.Size == f.at.Size+f.left:
		err = f.cut()
	default:
		err = f.syncFile()
	}
	if err != nil {
		f.doubt()
		return fmt.Errorf("it is not sure what the disk has of the last write: %w", err)
	}
	f.unsure = false // the next refresh finds another size, and reads the file anew
	f.p.doubts.Delete(f.id)
	return nil
}

// doubt is what a failed write left in a dialog's file and could not be cut off. It outlasts
// the DialogFile, since the system may go on showing it.
type doubt struct {
	seen folder.Stamp // of the file with it
	sure int64        // the bytes before it
}

func (f *DialogFile) doubt() {
	f.unsure = true
	if now, err := folder.StampOf(f.file); err == nil && now.Size == f.at.Size+f.left {
		f.p.doubts.Store(f.id, doubt{now, f.at.Size - f.unsynced})
	}
}

// takeDoubt cuts off what an earlier DialogFile of the dialog left in doubt. f was just
// opened, and has read nothing.
func (f *DialogFile) takeDoubt() error {
	known, _ := f.p.doubts.Load(f.id)
	d, ok := known.(doubt)
	if now, err := folder.StampOf(f.file); !ok || err != nil || now != d.seen {
		return err
	}
	f.at, f.left, f.unsure = d.seen, d.seen.Size-d.sure, true
	f.at.Size = d.sure
	return f.resolveDoubt()
}

// certain returns of the text of the file name with that stamp what is not in doubt. Of a
// doc nothing is.
func (p *Project) certain(name, text string, st folder.Stamp) string {
	id, _, _ := dialog.ParseName(name)
	known, _ := p.doubts.Load(id)
	if d, ok := known.(doubt); ok && st == d.seen {
		return text[:max(0, len(text)-int(st.Size-d.sure))]
	}
	return text
}

// read takes the file's text.
func (f *DialogFile) read() error {
	src, at, err := folder.ReadAll(f.file)
	if err == nil {
		f.take(src, at)
	}
	return err
}

// forgetUnsynced reads the file anew, from which what stood there unsynced was cut.
func (f *DialogFile) forgetUnsynced() error {
	if err := f.read(); err != nil {
		return err
	}
	f.own = slices.DeleteFunc(f.own, func(k key) bool { return f.d.Find(k.role, k.id) < 0 })
	return nil
}

// errClosed is of a DialogFile that was closed.
var errClosed = fmt.Errorf("the dialog was closed: %w", fs.ErrClosed)

// usable returns an error if there is no file to write any more.
func (f *DialogFile) usable() error {
	switch {
	case f.file == nil:
		return errClosed
	case f.p.gone.Load():
		return fmt.Errorf("the project was deleted: %w", fs.ErrNotExist)
	case f.gone:
		return &OverwrittenError{ID: f.id, Gone: true}
	}
	return f.p.Stands()
}

// injected calls the test's hook, which may fail a step of a write.
func (f *DialogFile) injected(op string) error {
	if f.fail == nil {
		return nil
	}
	return f.fail(op)
}
