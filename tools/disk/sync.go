package disk

import (
	"errors"
	"os"
	"syscall"
)

// Sync makes what was created, renamed or removed in a folder outlive a power cut, see
// SyncFolder.
func Sync(dir *os.Root) error {
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(SyncFolder(d), d.Close())
}

// SyncFolder is Sync for an open folder. A disk that can't sync folders is no error: see
// Durable.
func SyncFolder(dir *os.File) error {
	if err := dir.Sync(); !unable(err) {
		return err
	}
	return nil
}

// Durable reports whether the disk of an open folder syncs folders. On one that does not, a
// power cut may take what was acknowledged.
func Durable(dir *os.File) bool { return !unable(dir.Sync()) }

// unable reports whether err says that a disk has no such call: what is asked for can't
// be had there, whatever is done.
func unable(err error) bool {
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOSYS)
}

// Mkdir makes a folder in dir that outlives a power cut.
func Mkdir(dir *os.Root, name string) error {
	if err := dir.Mkdir(name, 0o755); err != nil {
		return err
	}
	return Sync(dir)
}
