package disk

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// RenameNew gives a file of the open folder dir another name; fs.ErrExist where
// that is taken.
func RenameNew(dir *os.File, from, to string) error {
	err := renameNew(int(dir.Fd()), from, to)
	runtime.KeepAlive(dir)
	if err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}

// renameLooking is renameNew where the system has none.
func renameLooking(fd int, from, to string) error {
	var st unix.Stat_t
	if err := unix.Fstatat(fd, to, &st, unix.AT_SYMLINK_NOFOLLOW); err != unix.ENOENT {
		if err == nil {
			err = unix.EEXIST
		}
		return err
	}
	return unix.Renameat(fd, from, fd, to)
}
