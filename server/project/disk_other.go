//go:build unix && !linux

package project

import "os"

func syncData(f *os.File) error { return f.Sync() }

func renameNoReplace(fd int, from, to string) error { return renameLooking(fd, from, to) }
