//go:build unix

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// A program that runs commands holds a lease: a file that it has locked, named
// after the mark of its commands. A file that nobody has locked is what a killed
// program has left, and perhaps so are its commands.

// holdLease makes this program's lease in dir, and returns it. It holds as long
// as the file is open.
func holdLease(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	// Locked first, then named: else another program could take it for a dead one's.
	// That can happen to the unnamed one, too, but then it is only removed.
	f, err := os.CreateTemp(dir, ".new-")
	if err != nil {
		return nil, err
	}
	err = lockNow(f)
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, fmt.Sprintf("%08x", thisProgram)))
	}
	if err != nil {
		os.Remove(f.Name())
		f.Close()
		return nil, err
	}
	return f, nil
}

// endLeases kills the commands of programs that have left a lease in dir and are
// gone, and removes the leases.
func endLeases(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		f, err := os.Open(filepath.Join(dir, e.Name()))
		if err != nil {
			continue
		}
		if lockNow(f) == nil {
			if program, err := strconv.ParseUint(e.Name(), 16, programBits); err == nil && program != 0 {
				sweepProgram(uint32(program))
			}
			os.Remove(f.Name())
		}
		f.Close()
	}
}

// lockNow locks a file for as long as it is open, or returns an error at once.
func lockNow(f *os.File) error { return flock(f, unix.LOCK_EX|unix.LOCK_NB) }
