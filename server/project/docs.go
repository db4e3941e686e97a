package project

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"vibey/dialog"
)

// File is a document or a dialog's file, with the bytes of one moment.
type File struct {
	Name    string
	Content string
	ETag    string // SHA-256 of the bytes in lowercase hex, without quotes
	ModTime time.Time
}

func newFile(name, content string, st stamp) File {
	sum := sha256.Sum256([]byte(content))
	return File{name, content, hex.EncodeToString(sum[:]), st.modTime()}
}

// tempName is the one name under which a file is written before it is renamed
// into place. Whoever writes holds the folder's lock, so what is found under it
// was left by a kill.
const tempName = ".writing.tmp"

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
	return newFile(name, text, st), nil
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
	st, err := write(name, content, ifMatch)
	if err != nil {
		return File{}, fmt.Errorf("write %s: %w", name, err)
	}
	return newFile(name, content, st), nil
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

// replace writes name by way of a temporary file.
func (p *Project) replace(name, content, ifMatch string) (stamp, error) {
	unlock, err := p.lockFolder()
	if err != nil {
		return stamp{}, err
	}
	defer unlock()
	return p.put(name, content, func() error { return p.checkMatch(name, ifMatch) })
}

// put is replace for a caller that holds the folder's lock. may tells whether
// what stands under name may be written over.
func (p *Project) put(name, content string, may func() error) (at stamp, err error) {
	if err := p.dir.root.Remove(tempName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return stamp{}, err
	}
	f, err := p.dir.create(tempName, []byte(content))
	if err != nil {
		return stamp{}, err
	}
	defer f.Close()
	defer func() {
		if err != nil {
			p.dir.root.Remove(tempName)
		}
	}()
	// The look at what stands there comes last, so that as little time as can be
	// lies between it and the rename.
	if err = may(); err != nil {
		return stamp{}, err
	}
	if err = p.keepMode(f, name); err != nil {
		return stamp{}, err
	}
	if err = p.dir.root.Rename(tempName, name); err != nil {
		return stamp{}, err
	}
	if err := p.dir.sync(); err != nil {
		return stamp{}, err
	}
	return stampFile(f)
}

// keepMode gives f the permissions of the file that it is to replace.
func (p *Project) keepMode(f *os.File, name string) error {
	info, err := p.dir.root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return f.Chmod(info.Mode().Perm())
}

func (p *Project) remove(name, ifMatch string) error {
	unlock, err := p.lockFolder()
	if err != nil {
		return err
	}
	defer unlock()
	if st, err := p.dir.lstat(name); err != nil {
		return err
	} else if !st.plain {
		return fmt.Errorf("%w: %w", ErrNotPlain, fs.ErrNotExist)
	}
	if err := p.checkMatch(name, ifMatch); err != nil {
		return err
	}
	if err := p.dir.root.Remove(name); err != nil {
		return err
	}
	return p.dir.sync()
}

// checkMatch tells whether what stands under name may be written over.
func (p *Project) checkMatch(name, ifMatch string) error {
	st, err := p.dir.lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if ifMatch != "" && ifMatch != Absent {
			return &ConflictError{File{Name: name}}
		}
		return p.unlikeOthers(name)
	case err != nil:
		return err
	case !st.plain:
		return fmt.Errorf("%w: %w", ErrNotPlain, fs.ErrExist)
	case ifMatch == "" || ifMatch == "*":
		return nil
	}
	text, st, err := p.dir.readPlain(name)
	if errors.Is(err, fs.ErrNotExist) {
		return &ConflictError{File{Name: name}} // deleted by an editor in this moment: whoever sends it again sees so
	}
	if err != nil {
		return err
	}
	if f := newFile(name, text, st); f.ETag != ifMatch {
		return &ConflictError{f}
	}
	return nil
}

// unlikeOthers refuses the name of a new file that is another's in other
// capitals: on a disk that folds case, the two would be one.
func (p *Project) unlikeOthers(name string) error {
	other, err := p.Twin(name)
	if err == nil && other != "" {
		err = fmt.Errorf("%s stands there: %w", other, fs.ErrExist)
	}
	return err
}

// Twin returns the file whose name is the given one in other capitals, or "". The
// caller must hold Lock, so that none is made meanwhile.
func (p *Project) Twin(name string) (string, error) {
	all, err := p.dir.names()
	if err != nil {
		return "", err
	}
	for _, n := range all {
		if n != name && strings.EqualFold(n, name) {
			return n, nil
		}
	}
	return "", nil
}

// Lock is lockFolder for tools that write docs or the deed: what they compare
// and what they write is one step to a human's save.
func (p *Project) Lock() (unlock func(), err error) { return p.lockFolder() }

// lockFolder makes this process the only one that replaces files here, and
// waits for that: others hold it for the milliseconds of a write. Editors know
// nothing of it.
func (p *Project) lockFolder() (unlock func(), err error) {
	if p.gone.Load() {
		return nil, fmt.Errorf("project %s was deleted: %w", p.name, fs.ErrNotExist)
	}
	p.writing.Lock()
	f, err := p.dir.root.Open(".")
	if err != nil {
		p.writing.Unlock()
		return nil, err
	}
	for {
		if err = unix.Flock(int(f.Fd()), unix.LOCK_EX); err != unix.EINTR {
			break
		}
	}
	runtime.KeepAlive(f)
	if err != nil {
		f.Close()
		p.writing.Unlock()
		return nil, err
	}
	return func() {
		unlockAndClose(f)
		p.writing.Unlock()
	}, nil
}
