// Package disk is the one writer of files that are replaced: docs, files of a
// deed, and what the server keeps in its state folder. A file is replaced whole
// or not at all, and is on the disk when Change returns:
//
//	unlock, err := disk.Lock(ctx, folder)
//	defer unlock()
//	info, err := disk.Change(project, "doc-main.md", 0o644, func(old *os.File) ([]byte, error) {
//		// look at what stands there, nil for nothing; an error changes nothing
//		return text, nil
//	})
//
// Who calls it decides what may be written where: server/project for docs and
// the deed, cmd/vibey for the state folder. Dialogs only grow, and are written
// by server/project alone.
package disk

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// ErrChanged reports that another program replaced or changed the file while
// edit looked at it. Nothing was written; the caller may try again.
var ErrChanged = errors.New("the file was being changed by another program at the same moment")

// ErrNotSynced reports that the file was replaced, but that the folder could not
// be synced: a power cut may bring the old one back.
var ErrNotSynced = errors.New("it was written, but is not certain to outlive a power cut")

// NotFileError is a folder, link, pipe or device where a file was expected. It
// was neither opened nor changed.
type NotFileError struct {
	Name string
	Mode fs.FileMode
}

func (e *NotFileError) Error() string { return e.Name + " is " + e.Kind() + ", not a file" }

// Kind is what stands there, with its article.
func (e *NotFileError) Kind() string {
	switch {
	case e.Mode.IsDir():
		return "a folder"
	case e.Mode&fs.ModeSymlink != 0:
		return "a link"
	}
	return "a device, pipe or socket"
}

// Open opens a regular file for reading, and nothing else: it follows no link
// and waits for no pipe. Errors: fs.ErrNotExist, *NotFileError, and ErrChanged
// where the file was replaced in this moment.
func Open(dir *os.Root, name string) (*os.File, error) {
	seen, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !seen.Mode().IsRegular() {
		return nil, &NotFileError{name, seen.Mode()}
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(seen, now) {
		f.Close()
		return nil, ErrChanged
	}
	return f, nil
}

// Change replaces the file name in dir by what edit returns. edit gets the file
// that stands there, open for reading, or nil where there is none; its error is
// returned, and then nothing is changed. A new file has the permissions mode, an
// existing one keeps its own. When Change returns nil, the bytes and the name
// outlive a power cut. The caller holds the Lock that guards dir, so that what
// edit compares is what is replaced; against a program that knows no lock, the
// name is looked at once more right before it is replaced.
// Errors besides edit's: *NotFileError, ErrChanged, and those of the system.
func Change(dir *os.Root, name string, mode fs.FileMode, edit func(old *os.File) ([]byte, error)) (fs.FileInfo, error) {
	return ChangeWhen(dir, name, mode, 0, edit, nil)
}

// ChangeWhen is Change for a file that then has exactly the permissions perm, whatever
// the umask is and it had before; 0 is as of Change. When the new bytes are synced it
// calls ready, and gives them the name when that returns: edit may begin what has to be
// done before, beside the writing of the file, and ready waits for it. nil is none.
func ChangeWhen(dir *os.Root, name string, mode, perm fs.FileMode, edit func(old *os.File) ([]byte, error), ready func()) (fs.FileInfo, error) {
	var seen fs.FileInfo
	old, err := Open(dir, name)
	switch {
	case err == nil:
		defer old.Close()
		if seen, err = old.Stat(); err != nil {
			return nil, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	content, err := edit(old)
	if err != nil {
		return nil, err
	}
	if seen != nil && perm == 0 {
		perm = seen.Mode().Perm()
	}
	return replace(dir, name, mode, perm, content, seen, ready)
}

// replace writes content beside the file and renames it over the file, which is
// still the one that was seen. A perm of 0 is mode as the umask leaves it.
func replace(dir *os.Root, name string, mode, perm fs.FileMode, content []byte, seen fs.FileInfo, ready func()) (info fs.FileInfo, err error) {
	temp := TempName(name)
	exact := perm != 0 || seen != nil
	if exact {
		mode &= perm // where it can't be changed, it is open to no more than the old one
	}
	f, err := createTemp(dir, temp, mode)
	if err != nil {
		return nil, err
	}
	defer func() {
		f.Close()
		if err != nil {
			dir.Remove(temp)
		}
	}()
	if _, err = f.Write(content); err != nil {
		return nil, err
	}
	if exact {
		if err = f.Chmod(perm); err != nil && !withoutModes(err) {
			return nil, err
		}
	}
	if err = f.Sync(); err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if ready != nil {
		ready()
	}
	if !still(dir, name, seen) || !still(dir, temp, info) {
		return nil, ErrChanged
	}
	if err = swap(dir, temp, name, seen == nil); err != nil {
		return nil, err
	}
	return info, nil
}

// withoutModes reports whether a file of ours could not be given permissions since its disk
// keeps none.
func withoutModes(err error) bool { return errors.Is(err, syscall.EPERM) || unable(err) }

// createTemp makes the file temp, and removes one that a kill left.
func createTemp(dir *os.Root, temp string, mode fs.FileMode) (*os.File, error) {
	const flag = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	f, err := dir.OpenFile(temp, flag, mode)
	if errors.Is(err, fs.ErrExist) {
		if err = dir.Remove(temp); err == nil || errors.Is(err, fs.ErrNotExist) {
			f, err = dir.OpenFile(temp, flag, mode)
		}
	}
	return f, err
}

// swap gives the written file its name, and syncs the folder. Where fresh, it
// replaces no file that came into being in this moment.
func swap(dir *os.Root, temp, name string, fresh bool) error {
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	if !fresh {
		err = dir.Rename(temp, name)
	} else if err = RenameNew(d, temp, name); errors.Is(err, fs.ErrExist) {
		err = ErrChanged
	}
	if err != nil {
		return err
	}
	if err := SyncFolder(d); err != nil {
		return fmt.Errorf("%w: %w", ErrNotSynced, err)
	}
	return nil
}

// Chmod gives the file name in dir the permissions perm, after check has looked at it.
// The rest is as of Remove.
func Chmod(dir *os.Root, name string, perm fs.FileMode, check func(old *os.File) error) error {
	f, err := openChecked(dir, name, check)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Chmod(perm); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("%w: %w", ErrNotSynced, err)
	}
	return nil
}

// Remove removes the file name in dir, after check has looked at it. The rest is
// as of Change; if there is no file the error is fs.ErrNotExist.
func Remove(dir *os.Root, name string, check func(old *os.File) error) error {
	f, err := openChecked(dir, name, check)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := dir.Remove(name); err != nil {
		return err
	}
	return Sync(dir)
}

// openChecked opens a file that check has looked at, and that still has its name then.
func openChecked(dir *os.Root, name string, check func(old *os.File) error) (*os.File, error) {
	f, err := Open(dir, name)
	if err != nil {
		return nil, err
	}
	seen, err := f.Stat()
	if err == nil {
		err = check(f)
	}
	if err == nil && !still(dir, name, seen) {
		err = ErrChanged
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// still reports whether name is what it was when info was taken, nil for absent.
func still(dir *os.Root, name string, info fs.FileInfo) bool {
	now, err := dir.Lstat(name)
	if info == nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return err == nil && os.SameFile(info, now) && now.Size() == info.Size() && now.ModTime().Equal(info.ModTime())
}

const tempPrefix = ".vibey-"

// TempName is the name under which a file is written before it is renamed. It
// follows from the file's, so that what a kill left is removed by the next write.
func TempName(name string) string {
	sum := sha256.Sum256([]byte(name))
	return tempPrefix + hex.EncodeToString(sum[:8]) + ".tmp"
}

// IsTemp reports whether a file of that name is one that Change has not renamed
// yet, or never will because of a kill.
func IsTemp(name string) bool { return strings.HasPrefix(name, tempPrefix) }
