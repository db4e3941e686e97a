//go:build unix && !linux

package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// SyncData makes a file's bytes outlive a power cut.
func SyncData(f *os.File) error { return f.Sync() }

// SyncDisk has the system write all that waits to be written.
func SyncDisk(*os.File) error { return unix.Sync() }

// Forget does nothing: this system has no such call.
func Forget(*os.File) {}

func renameNew(fd int, from, to string) error { return renameLooking(fd, from, to) }
