package tree

import (
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// The methods here change entries directly in f. Their names have no separators.

// Move gives the entry name the name as in the folder to, where it replaces what may be
// replaced by it. Where fresh it replaces nothing: the error is fs.ErrExist then.
func (f *Folder) Move(name string, to *Folder, as string, fresh bool) error {
	rename := unix.Renameat
	if fresh {
		rename = moveNew
	}
	if err := rename(f.fd, name, to.fd, as); err != nil {
		return &os.LinkError{Op: "rename", Old: name, New: as, Err: err}
	}
	return nil
}

// Unlink removes what is no folder.
func (f *Folder) Unlink(name string) error {
	return wrap("unlink", name, unix.Unlinkat(f.fd, name, 0))
}

// Rmdir removes a folder in which nothing is.
func (f *Folder) Rmdir(name string) error {
	return wrap("rmdir", name, unix.Unlinkat(f.fd, name, unix.AT_REMOVEDIR))
}

// Mkdir makes a folder.
func (f *Folder) Mkdir(name string, perm fs.FileMode) error {
	return wrap("mkdir", name, unix.Mkdirat(f.fd, name, uint32(perm.Perm())))
}

// Symlink makes a link to a path.
func (f *Folder) Symlink(to, name string) error {
	return wrap("symlink", name, unix.Symlinkat(to, f.fd, name))
}

// Create makes a file that does not stand there, open for writing.
func (f *Folder) Create(name string, perm fs.FileMode) (*os.File, error) {
	fd, err := unix.Openat(f.fd, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, uint32(perm.Perm()))
	if err != nil {
		return nil, wrap("open", name, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// Chmod gives the folder itself the permissions that chmod(2) takes, those beside rwx too.
func (f *Folder) Chmod(perm uint32) error { return wrap("chmod", ".", unix.Fchmod(f.fd, perm)) }

// SetMtime sets an entry's time of change, a link's own, and that of its last reading with it.
func (f *Folder) SetMtime(name string, at time.Time) error {
	ts := unix.NsecToTimespec(at.UnixNano())
	return wrap("utimes", name, unix.UtimesNanoAt(f.fd, name, []unix.Timespec{ts, ts}, unix.AT_SYMLINK_NOFOLLOW))
}

// moveLooking is moveNew where the system has none.
func moveLooking(from int, name string, to int, as string) error {
	var st unix.Stat_t
	if err := unix.Fstatat(to, as, &st, unix.AT_SYMLINK_NOFOLLOW); err != unix.ENOENT {
		if err == nil {
			err = unix.EEXIST
		}
		return err
	}
	return unix.Renameat(from, name, to, as)
}

func wrap(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}
