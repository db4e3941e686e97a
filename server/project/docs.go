package project

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vibey/dialog"
	"vibey/tools/disk"
)

// File is a document or a dialog's file, with the bytes of one moment.
type File struct {
	Name    string
	Content string
	ETag    string // SHA-256 of the bytes in lowercase hex, without quotes
	ModTime time.Time
}

func newFile(name, content string, mtime time.Time) File {
	sum := sha256.Sum256([]byte(content))
	return File{name, content, hex.EncodeToString(sum[:]), mtime.UTC()}
}

// Files lists all docs and dialogs, the one written last first, names as the tie-break.
func (p *Project) Files() ([]string, error) {
	all, err := p.dir.names()
	if err != nil {
		return nil, fmt.Errorf("list files of %s: %w", p.name, err)
	}
	type file struct {
		name  string
		mtime int64
	}
	files := make([]file, 0, len(all))
	for _, n := range all {
		if !dialog.ValidFile(n) {
			continue
		}
		if st, err := p.dir.lstat(n); err == nil && st.plain {
			files = append(files, file{n, st.mtime})
		}
	}
	slices.SortFunc(files, func(a, b file) int {
		return cmp.Or(cmp.Compare(b.mtime, a.mtime), cmp.Compare(a.name, b.name))
	})
	names := make([]string, len(files))
	for i := range files {
		names[i] = files[i].name
	}
	return names, nil
}

// ReadFile reads a document, or a dialog's file as it stands. Errors: ErrName, fs.ErrNotExist.
func (p *Project) ReadFile(name string) (File, error) {
	if !dialog.ValidFile(name) {
		return File{}, fmt.Errorf("read %q: %w", name, ErrName)
	}
	text, st, err := p.dir.readPlain(name)
	if err != nil {
		return File{}, fmt.Errorf("read %s: %w", name, err)
	}
	return newFile(name, text, st.modTime()), nil
}

// Absent is the ifMatch of a write that makes a file and replaces none.
const Absent = "absent"

// WriteFile writes a document whole, or not at all, and synced. With ifMatch,
// an ETag without quotes, "*" or Absent, it writes only where that is what stands
// there: else a *ConflictError. It is compared under the lock under which the file
// is written. A new file's name must not be another's in other capitals
// (fs.ErrExist). A dialog may be written while it is not active
// (ErrActive), under the status that it has (fs.ErrExist). Other errors:
// ErrName, ErrUTF8, ErrNotPlain with fs.ErrExist.
func (p *Project) WriteFile(name, content, ifMatch string) (File, error) {
	if !dialog.ValidFile(name) {
		return File{}, fmt.Errorf("write %q: %w: use letters, digits, - _ . and end in .md", name, ErrName)
	}
	if !utf8.ValidString(content) {
		return File{}, fmt.Errorf("write %s: %w", name, ErrUTF8)
	}
	write := p.replace
	if isDialog(name) {
		write = p.replaceDialog
	}
	f, err := write(name, content, ifMatch)
	if err != nil {
		return File{}, fmt.Errorf("write %s: %w", name, err)
	}
	return f, nil
}

// DeleteFile deletes a document, or a dialog that is not active. ifMatch and
// the errors are WriteFile's; fs.ErrNotExist where there is none.
func (p *Project) DeleteFile(name, ifMatch string) error {
	if !dialog.ValidFile(name) {
		return fmt.Errorf("delete %q: %w", name, ErrName)
	}
	remove := p.remove
	if isDialog(name) {
		remove = p.removeDialog
	}
	if err := remove(name, ifMatch); err != nil {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	return nil
}

// replace writes a document, if ifMatch is what stands there.
func (p *Project) replace(name, content, ifMatch string) (File, error) {
	info, err := p.Change(p.dir.root, name, func(old *os.File) ([]byte, error) {
		return []byte(content), match(name, old, ifMatch)
	})
	if err != nil {
		return File{}, err
	}
	return newFile(name, content, info.ModTime()), nil
}

func (p *Project) remove(name, ifMatch string) error {
	unlock, err := p.lock()
	if err != nil {
		return err
	}
	defer unlock()
	err = retry(func() error {
		return disk.Remove(p.dir.root, name, func(old *os.File) error { return match(name, old, ifMatch) })
	})
	return asPlain(err, fs.ErrNotExist)
}

// Change replaces the file name in dir by what edit returns, as disk.Change
// does, and is how every file of a project is written that is not a dialog: dir
// is the project's folder (Root), for docs, or one of its deed, wherever that
// lies. Whoever calls it, a human's save or a tool, edits alone among all
// processes of ours. A new doc's name must not be another's in other capitals
// (fs.ErrExist). Other errors: edit's, ErrNotPlain with fs.ErrExist.
func (p *Project) Change(dir *os.Root, name string, edit func(old *os.File) ([]byte, error)) (info fs.FileInfo, err error) {
	unlock, err := p.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	err = retry(func() error {
		info, err = disk.Change(dir, name, createMode, func(old *os.File) ([]byte, error) {
			if old == nil && dir == p.dir.root {
				if err := p.unlikeOthers(name); err != nil {
					return nil, err
				}
			}
			return edit(old)
		})
		return err
	})
	return info, asPlain(err, fs.ErrExist)
}

// changeTries is how often a write is tried while an editor keeps changing the
// file that it is to replace.
const changeTries = 5

func retry(write func() error) (err error) {
	for range changeTries {
		if err = write(); !errors.Is(err, disk.ErrChanged) {
			break
		}
	}
	return err
}

// asPlain is err in this room's words: what stands there is no file.
func asPlain(err, kind error) error {
	if _, ok := errors.AsType[*disk.NotFileError](err); ok {
		return fmt.Errorf("%w: %w", ErrNotPlain, kind)
	}
	return err
}

// match compares what stands under name with what a human's write expects.
func match(name string, old *os.File, ifMatch string) error {
	switch {
	case ifMatch == "":
		return nil
	case old == nil && ifMatch != Absent:
		return &ConflictError{File{Name: name}}
	case old == nil || ifMatch == "*":
		return nil
	}
	text, at, err := readAll(old)
	if err != nil {
		return err
	}
	if f := newFile(name, text, at.modTime()); f.ETag != ifMatch {
		return &ConflictError{f}
	}
	return nil
}

// unlikeOthers refuses the name of a new doc that is another's in other
// capitals: on a disk that folds case, the two would be one. The caller must hold
// the lock, so that none is made meanwhile.
func (p *Project) unlikeOthers(name string) error {
	all, err := p.dir.names()
	if err != nil {
		return err
	}
	for _, n := range all {
		if n != name && strings.EqualFold(n, name) {
			return fmt.Errorf("%s stands there: %w", n, fs.ErrExist)
		}
	}
	return nil
}

// lock makes the caller the only one, of all processes of ours, that replaces
// files of this project.
func (p *Project) lock() (unlock func(), err error) {
	unlock, err = disk.Lock(p.dir.root)
	if err == nil && p.gone.Load() {
		unlock()
		err = fmt.Errorf("project %s was deleted: %w", p.name, fs.ErrNotExist)
	}
	return unlock, err
}
