//go:build unix

package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"

	"vibey/tools/disk"
)

// A program that runs commands holds a lease: a file that it has locked, named
// after the mark of its commands. A file without a lock is what a killed
// program has left, and perhaps so are its commands, and what they needed: a folder
// beside the lease.

// scratchSuffix is what the folder's name has after the lease's.
const scratchSuffix = ".d"

// lease is this program's in one folder, shared by its Runners that were given that folder.
type lease struct {
	name    string
	file    *os.File // locked while it is open
	holders int      // Runners; guarded by leases
}

// scratch is the folder beside the lease.
func (l *lease) scratch() string { return l.name + scratchSuffix }

// leases are those of this program, by name. Its lock is held while a lease, with the
// folder beside it, is made and while it is removed: a Runner that begins while the last
// other one ends has either the lease of that one or a new one, never half of each.
var leases = struct {
	sync.Mutex
	held map[string]*lease
}{held: map[string]*lease{}}

// holdLease returns this program's lease in dir, which it makes for the first Runner, with
// the folder beside it. It returns nil if there can be none; commands run all the same.
func holdLease(dir string) *lease {
	leases.Lock()
	defer leases.Unlock()
	name := leaseName(dir)
	l := leases.held[name]
	if l == nil {
		file, err := newLease(dir)
		if err != nil {
			return nil
		}
		l = &lease{name: name, file: file}
		if err := os.Mkdir(l.scratch(), 0o700); err != nil && !errors.Is(err, fs.ErrExist) { // kept by release for what still ran
			os.Remove(name)
			file.Close()
			return nil
		}
		leases.held[name] = l
	}
	l.holders++
	return l
}

// release gives a Runner's hold on the lease back. The last one removes the lease and its
// folder, unless a process with a mark of this program is left, which the next start ends.
func (l *lease) release() {
	leases.Lock()
	defer leases.Unlock()
	if l.holders--; l.holders > 0 {
		return
	}
	delete(leases.held, l.name)
	if !programRuns(thisProgram) {
		remove(l.scratch())
		os.Remove(l.name)
	}
	l.file.Close()
}

// newLease makes this program's lease in dir. The caller must hold leases.
func newLease(dir string) (*os.File, error) {
	if err := disk.MakeIn(dir); err != nil {
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
		err = os.Rename(f.Name(), leaseName(dir))
	}
	if err != nil {
		os.Remove(f.Name())
		f.Close()
		return nil, err
	}
	return f, nil
}

func leaseName(dir string) string { return filepath.Join(dir, fmt.Sprintf("%08x", thisProgram)) }

// endLeases kills the commands of programs that have left a lease in dir and are
// gone, and removes the leases with their folders. It leaves this program's own, which
// another Runner may be making or removing.
func endLeases(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() || e.Name() == filepath.Base(leaseName(dir)) {
			continue
		}
		f, err := os.Open(filepath.Join(dir, e.Name()))
		if err != nil {
			continue
		}
		if lockNow(f) == nil {
			if program, err := strconv.ParseUint(e.Name(), 16, programBits); err == nil && program != 0 {
				sweepProgram(uint32(program))
				remove(f.Name() + scratchSuffix)
			}
			os.Remove(f.Name())
		}
		f.Close()
	}
}

// lockNow locks a file for as long as it is open, or returns an error at once.
func lockNow(f *os.File) error { return flock(f, unix.LOCK_EX|unix.LOCK_NB) }
