package disk

import (
	"errors"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// errNames is of a file that is not linked, since it has several names already: its
// bytes may be changed by any of them.
var errNames = errors.New("the file has other names")

// Link gives f, which is the file name in from, the second name to in the open folder
// dir. Errors: ErrChanged where name is another file by now; those of a disk that gives
// no second name, or not in that folder. Then there is no file to.
func Link(f *os.File, from *os.Root, name string, dir *os.File, to string) error {
	var own, linked unix.Stat_t
	err := unix.Fstat(int(f.Fd()), &own)
	runtime.KeepAlive(f)
	if err != nil {
		return err
	}
	if own.Nlink != 1 {
		return errNames
	}
	d, err := from.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	if err := unix.Linkat(int(d.Fd()), name, int(dir.Fd()), to, 0); err != nil {
		return &os.LinkError{Op: "link", Old: name, New: to, Err: err}
	}
	err = unix.Fstatat(int(dir.Fd()), to, &linked, unix.AT_SYMLINK_NOFOLLOW)
	if err == nil && (linked.Dev != own.Dev || linked.Ino != own.Ino) {
		err = ErrChanged
	}
	if err != nil {
		unix.Unlinkat(int(dir.Fd()), to, 0)
	}
	runtime.KeepAlive(dir)
	return err
}

// Names is how many names the file name in the open folder dir has, on its whole disk;
// 0 where it can't be told.
func Names(dir *os.File, name string) uint64 {
	var st unix.Stat_t
	err := unix.Fstatat(int(dir.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW)
	runtime.KeepAlive(dir)
	if err != nil {
		return 0
	}
	return uint64(st.Nlink)
}
