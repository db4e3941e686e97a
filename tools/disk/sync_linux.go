package disk

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// SyncData makes a file's bytes outlive a power cut, and of its metadata only
// what is needed to find them.
func SyncData(f *os.File) error {
	defer runtime.KeepAlive(f)
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return err
		}
	}
}

// renameNew renames within the folder fd and never over another file, but for
// file systems that can't, where it looks before.
func renameNew(fd int, from, to string) error {
	err := unix.Renameat2(fd, from, fd, to, unix.RENAME_NOREPLACE)
	if err == unix.EINVAL || err == unix.ENOSYS {
		return renameLooking(fd, from, to)
	}
	return err
}
