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

// SyncDisk makes all that was written to the disk of an open file or folder outlive a power
// cut. It is cheaper than many single syncs.
func SyncDisk(f *os.File) error {
	defer runtime.KeepAlive(f)
	return unix.Syncfs(int(f.Fd()))
}

// Forget has the system read the file's bytes from the disk when they are read next, as far
// as they don't wait to be written: after a failed write it may show some that no disk has.
func Forget(f *os.File) {
	unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
	runtime.KeepAlive(f)
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
