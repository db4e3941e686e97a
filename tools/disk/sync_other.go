//go:build unix && !linux

package disk

import "os"

// SyncData makes a file's bytes outlive a power cut.
func SyncData(f *os.File) error { return f.Sync() }

func renameNew(fd int, from, to string) error { return renameLooking(fd, from, to) }
