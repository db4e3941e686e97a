package folder

import (
	"errors"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"vibey/tools/disk"
)

// errNames is of a file that is not linked, since it has several names already: its
// bytes may be changed by any of them.
var errNames = errors.New("the file has other names")

// Link gives f, which is the file name in from, the second name to in d, which stays open.
// Errors: disk.ErrChanged if name is another file by now; those of a disk that gives
// no second name, or not in that folder. Then there is no file to.
func (d *Folder) Link(f *os.File, from *os.Root, name, to string) error {
	var own, linked unix.Stat_t
	err := unix.Fstat(int(f.Fd()), &own)
	runtime.KeepAlive(f)
	if err != nil {
		return err
	}
	if own.Nlink != 1 {
		return errNames
	}
	source, err := from.Open(".")
	if err != nil {
		return err
	}
	defer source.Close()
	if err := unix.Linkat(int(source.Fd()), name, int(d.self.Fd()), to, 0); err != nil {
		return &os.LinkError{Op: "link", Old: name, New: to, Err: err}
	}
	err = unix.Fstatat(int(d.self.Fd()), to, &linked, unix.AT_SYMLINK_NOFOLLOW)
	if err == nil && (linked.Dev != own.Dev || linked.Ino != own.Ino) {
		err = disk.ErrChanged
	}
	if err != nil {
		unix.Unlinkat(int(d.self.Fd()), to, 0)
	}
	runtime.KeepAlive(d)
	return err
}

// Links returns how many names the file name in d, which stays open, has on its whole disk;
// 0 if it can't be told.
func (d *Folder) Links(name string) uint64 {
	var st unix.Stat_t
	err := unix.Fstatat(int(d.self.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW)
	runtime.KeepAlive(d)
	if err != nil {
		return 0
	}
	return uint64(st.Nlink)
}

// TryLock locks the folder, which stays open, as disk.TryLock does, until it is closed.
func (d *Folder) TryLock() (taken bool, err error) { return disk.TryLock(d.self) }
