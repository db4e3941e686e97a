package disk

import (
	"errors"
	"os"
)

// Sync makes what was created, renamed or removed in a folder outlive a power cut.
func Sync(dir *os.Root) error {
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Mkdir makes a folder in dir that outlives a power cut.
func Mkdir(dir *os.Root, name string) error {
	if err := dir.Mkdir(name, 0o755); err != nil {
		return err
	}
	return Sync(dir)
}
