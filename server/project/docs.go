package project

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"time"
	"unicode/utf8"

	"vibey/dialog"
	"vibey/server/project/folder"
	"vibey/tools/disk"
	"vibey/tools/disk/tree"
)

// createMode is a new file's permissions, as the umask leaves them.
const createMode fs.FileMode = 0o644

// File is a document or a dialog's file as it was at one moment.
type File struct {
	Name    string
	Content string
	ETag    string // SHA-256 of the bytes in lowercase hex, without quotes
	ModTime time.Time
}

func newFile(name, content string, mtime time.Time) File {
	return File{name, content, dialog.SHA256(content), mtime.UTC()}
}

// Files lists all docs and dialogs, the one written last first, names as the tie-break.
func (p *Project) Files() ([]string, error) {
	files, err := p.files(anyName)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(files))
	for i := range files {
		names[i] = files[i].name
	}
	return names, nil
}

func anyName(string) bool { return true }

// stamped is a file as it was listed.
type stamped struct {
	name  string
	stamp folder.Stamp
}

// files is Files with the files' stamps, of the files whose names are wanted.
func (p *Project) files(wanted func(name string) bool) ([]stamped, error) {
	files, err := plainFiles(p.dir, func(n string) bool { return dialog.ListedFile(n) && wanted(n) })
	if err != nil {
		return nil, fmt.Errorf("list files of %s: %w", p.name, err)
	}
	slices.SortFunc(files, func(a, b stamped) int {
		return cmp.Or(cmp.Compare(b.stamp.Mtime, a.stamp.Mtime), cmp.Compare(a.name, b.name))
	})
	return files, nil
}

// plainFiles returns the plain files of a folder whose names are wanted, in no order.
func plainFiles(d *folder.Folder, wanted func(name string) bool) ([]stamped, error) {
	names, err := d.Names()
	files := make([]stamped, 0, len(names))
	for _, n := range names {
		if !wanted(n) {
			continue
		}
		if st, err := d.Lstat(n); err == nil && st.Plain {
			files = append(files, stamped{n, st})
		}
	}
	return files, err
}

// DocNames lists the docs in no order, without a look at them. The listing began after
// the call and is shared with others, so that a burst of beginnings does not list the
// folder, where all dialogs lie, once for each. The caller must not change it.
func (p *Project) DocNames() (_ []string, err error) {
	defer wrap(&err, "list docs of %s", p.name)
	return p.docs.get(func() ([]string, error) {
		all, err := p.dir.Names()
		return slices.DeleteFunc(all, func(n string) bool { return !dialog.ListedFile(n) || isDialog(n) }), err
	})
}

// docMost is how large a doc is read, in bytes: what is read is held several times over.
const docMost = 64 << 20

// ErrTooLarge is a doc over docMost, as another program may have laid it there.
var ErrTooLarge = errors.New("the doc is larger than 64 MiB")

// ReadFile reads a document, or a dialog's file without repairing it and without what is in
// doubt there. Errors: ErrName, fs.ErrNotExist, ErrTooLarge.
func (p *Project) ReadFile(name string) (_ File, err error) {
	if !dialog.ValidFile(name) {
		return File{}, fmt.Errorf("read %q: %w", name, ErrName)
	}
	defer wrap(&err, "read %s", name)
	if err := p.dir.Exact(name); err != nil {
		return File{}, err
	}
	f, st, err := p.dir.OpenPlain(name, os.O_RDONLY)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	text, st, err := readBounded(name, f, st)
	if err != nil {
		return File{}, err
	}
	return newFile(name, p.certain(name, text, st), st.ModTime()), nil
}

// PathsIn returns what of finds in a dialog's text, as ReadFile reads it: paths that say what
// the dialog did. They are remembered for as long as its file stays as it is, unless of
// returns an error, which PathsIn returns.
func (p *Project) PathsIn(name string, of func(text string) ([]string, error)) ([]string, error) {
	at, err := p.dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	return p.paths.get(name, at, func() ([]string, folder.Stamp, error) {
		f, err := p.ReadFile(name)
		if err != nil {
			return nil, at, err
		}
		paths, err := of(f.Content)
		if now, lerr := p.dir.Lstat(name); lerr != nil || now != at || int64(len(f.Content)) != at.Size {
			at.Mtime = math.MaxInt64 // it is being written, or in doubt
		}
		return paths, at, err
	})
}

// readBounded is readAll of the file name with that stamp: ErrTooLarge for a doc over
// docMost. A dialog is read at any size.
func readBounded(name string, f *os.File, st folder.Stamp) (string, folder.Stamp, error) {
	if st.Size > docMost && !isDialog(name) {
		return "", folder.Stamp{}, ErrTooLarge
	}
	return folder.ReadAll(f)
}

// Absent is the ifMatch of a write that only makes a new file.
const Absent = "absent"

// WriteFile writes a document whole, or not at all, and synced. ifMatch is "", or an
// ETag without quotes, "*" for any file, or Absent; if the file does not match, the
// error is a *ConflictError. It is compared under the lock under which the file is
// written. Other errors: fs.ErrExist for a name that differs only in case from another
// file's, and for a dialog that has another status; ErrActive for a dialog
// that is active; ErrName; ErrUTF8; ErrNotPlain with fs.ErrExist.
func (p *Project) WriteFile(name, content, ifMatch string) (_ File, err error) {
	if !dialog.ValidFile(name) {
		return File{}, fmt.Errorf("write %q: %w: use letters, digits, - _ . and end in .md", name, ErrName)
	}
	defer wrap(&err, "write %s", name)
	if !utf8.ValidString(content) {
		return File{}, ErrUTF8
	}
	if isDialog(name) {
		return p.replaceDialog(name, content, ifMatch)
	}
	return p.replace(name, content, ifMatch)
}

// DeleteFile deletes a document, or a dialog that is not active. ifMatch and the
// errors are as of WriteFile; fs.ErrNotExist if there is no such file.
func (p *Project) DeleteFile(name, ifMatch string) (err error) {
	if !dialog.ValidFile(name) {
		return fmt.Errorf("delete %q: %w", name, ErrName)
	}
	defer wrap(&err, "delete %s", name)
	if isDialog(name) {
		return p.removeDialog(name, ifMatch)
	}
	return p.remove(name, ifMatch)
}

// replace writes a file that matches ifMatch.
func (p *Project) replace(name, content, ifMatch string) (File, error) {
	return p.replaceAs(name, content, ifMatch, writing{})
}

func (p *Project) replaceAs(name, content, ifMatch string, how writing) (File, error) {
	info, err := p.change(p.Root(), name, 0, how, func(old *os.File) ([]byte, error) {
		return []byte(content), match(name, old, ifMatch)
	})
	if err != nil {
		return File{}, err
	}
	if listed, err := p.dir.Spelled(name); err == nil {
		name = listed
	}
	return newFile(name, content, info.ModTime()), nil
}

func (p *Project) remove(name, ifMatch string) error {
	return p.locking(fs.ErrNotExist, func() error {
		return disk.Remove(p.Root(), name, p.asListed(p.Root(), name, func(old *os.File) error { return match(name, old, ifMatch) }))
	})
}

// Change replaces the file name in dir by what edit returns, as disk.Change does, for
// a tool. What stood there is kept first (see Kept): the undo of a call brings it back.
// dir is the project's folder (Root), for docs, or a
// folder of its deed, wherever that lies. Of all calls for a project, in all processes,
// one runs at a time. Errors: edit's; fs.ErrExist for a doc whose name differs only in case
// from another's; ErrNotPlain with fs.ErrExist.
func (p *Project) Change(dir *os.Root, name string, edit func(old *os.File) ([]byte, error)) (info fs.FileInfo, err error) {
	return p.ChangeAs(dir, name, 0, edit)
}

// ChangeAs is Change for a file that then has the permissions perm; 0 for those that
// it has, or that any new file has.
func (p *Project) ChangeAs(dir *os.Root, name string, perm fs.FileMode, edit func(old *os.File) ([]byte, error)) (info fs.FileInfo, err error) {
	return p.change(dir, name, perm, writing{keeps: func(*os.File) bool { return true }}, edit)
}

// Remove removes the file name in dir after check has looked at it and its bytes are
// kept: they may stand nowhere else. Where they can't be, it stays. The error is
// fs.ErrNotExist where there is none.
func (p *Project) Remove(dir *os.Root, name string, check func(old *os.File) error) error {
	return p.locking(fs.ErrNotExist, func() error {
		var kept *keeping
		err := disk.Remove(dir, name, func(old *os.File) (err error) {
			if err = p.asListed(dir, name, check)(old); err != nil {
				return err
			}
			if kept, err = p.keepFile(dir.Open, name, old); err == nil {
				err = kept.wait()
			}
			if err != nil {
				return fmt.Errorf("its bytes can't be kept, and may stand nowhere else: %w", err)
			}
			return nil
		})
		kept.end(err)
		return err
	})
}

// RemoveEmpty removes the folder name in dir, and those in it, if they hold nothing else. The
// error says why it is still there.
func (p *Project) RemoveEmpty(dir *os.Root, name string) error {
	return p.locking(fs.ErrNotExist, func() error {
		at, err := tree.Open(dir)
		if err != nil {
			return err
		}
		defer at.Close()
		return removeEmpty(at, name)
	})
}

func removeEmpty(at *tree.Folder, name string) error {
	f, err := at.Sub(name)
	if err != nil {
		return err
	}
	defer f.Close()
	err = f.Each(func(below []byte, kind tree.Kind) bool {
		if kind == tree.DirKind {
			removeEmpty(f, string(below)) // one that stays keeps this one
		}
		return true
	})
	return errors.Join(err, at.Rmdir(name))
}

// Chmod gives the file name in dir other permissions, after check has looked at it.
func (p *Project) Chmod(dir *os.Root, name string, perm fs.FileMode, check func(old *os.File) error) error {
	return p.locking(fs.ErrNotExist, func() error { return disk.Chmod(dir, name, perm, p.asListed(dir, name, check)) })
}

// writing is what a change does besides, under the lock.
type writing struct {
	keeps func(old *os.File) bool // whether what stands there is kept; nil for never. old is nil for nothing
	wrote func()                  // called when it is written; may be nil
}

// change is ChangeAs for any writing. Every doc and every file of a deed that this program
// changes is written by it.
func (p *Project) change(dir *os.Root, name string, perm fs.FileMode, how writing, edit func(old *os.File) ([]byte, error)) (info fs.FileInfo, err error) {
	err = p.locking(fs.ErrExist, func() error {
		var kept *keeping
		info, err = disk.ChangeWhen(dir, name, createMode, perm, func(old *os.File) ([]byte, error) {
			if dir == p.Root() {
				if err := p.unlikeOthers(name, old != nil); err != nil {
					return nil, err
				}
			}
			content, err := edit(old)
			if err == nil && how.keeps != nil && how.keeps(old) && old != nil {
				var unkept error // it is replaced all the same: an undo says that its bytes are not kept
				kept, unkept = p.keepFile(dir.Open, name, old)
				p.logUnkept(unkept)
			}
			return content, err
		}, func() { p.logUnkept(kept.wait()) })
		kept.end(err)
		if err == nil && how.wrote != nil {
			how.wrote()
		}
		return err
	})
	return info, err
}

// changeTries is how often a write is tried while an editor keeps changing the file.
const changeTries = 5

// locking calls write with the project's lock, again if an editor changed the file
// meanwhile; after changeTries that is an ErrConflict. What is no file where one should be
// is ErrNotPlain with kind.
func (p *Project) locking(kind error, write func() error) error {
	unlock, err := p.lock()
	if err != nil {
		return err
	}
	defer unlock()
	err = write()
	for try := 1; try < changeTries && errors.Is(err, disk.ErrChanged); try++ {
		err = write()
	}
	if errors.Is(err, disk.ErrChanged) {
		return fmt.Errorf("%w: %w", ErrConflict, err)
	}
	if _, ok := errors.AsType[*disk.NotFileError](err); ok {
		return fmt.Errorf("%w: %w", ErrNotPlain, kind)
	}
	return err
}

// match returns a *ConflictError if old, the file name or nil, does not match ifMatch.
func match(name string, old *os.File, ifMatch string) error {
	switch {
	case ifMatch == "":
		return nil
	case old == nil && ifMatch != Absent:
		return &ConflictError{File{Name: name}}
	case old == nil || ifMatch == "*":
		return nil
	}
	st, err := folder.StampOf(old)
	if err != nil {
		return err
	}
	text, at, err := readBounded(name, old, st)
	if err != nil {
		return err
	}
	if f := newFile(name, text, at.ModTime()); f.ETag != ifMatch {
		return &ConflictError{f}
	}
	return nil
}
