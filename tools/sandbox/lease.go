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

// holdLease makes this program's lease in dir, and the folder beside it. The lease
// holds as long as the file is open. Where it can't be had commands run all the
// same.
func holdLease(dir string) (lease *os.File, scratch string) {
	lease, err := newLease(dir)
	if err != nil {
		return nil, ""
	}
	scratch = leaseName(dir) + scratchSuffix
	if err := os.Mkdir(scratch, 0o700); err != nil && !errors.Is(err, fs.ErrExist) { // another Runner of this program
		scratch = ""
	}
	leases.Lock()
	defer leases.Unlock()
	leases.held[leaseName(dir)]++
	return lease, scratch
}

// leases counts by their names the leases that the Runners of this program hold.
var leases = struct {
	sync.Mutex
	held map[string]int
}{held: map[string]int{}}

// endLease removes the lease and its folder, unless another Runner of this program has it
// or a process with a mark of this program is left, which the next start ends.
func (r *Runner) endLease() {
	leases.Lock()
	defer leases.Unlock()
	if r.lease == nil {
		return
	}
	name := leaseName(r.config.Leases)
	if leases.held[name]--; leases.held[name] == 0 {
		delete(leases.held, name)
		if !programRuns(thisProgram) {
			letGo(name + scratchSuffix)
			remove(name + scratchSuffix)
			os.Remove(name)
		}
	}
	r.lease.Close()
	r.lease = nil
}

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
// gone, and removes the leases with their folders.
func endLeases(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		f, err := os.Open(filepath.Join(dir, e.Name()))
		if err != nil {
			continue
		}
		if lockNow(f) == nil {
			if program, err := strconv.ParseUint(e.Name(), 16, programBits); err == nil && program != 0 {
				sweepProgram(uint32(program))
				letGo(f.Name() + scratchSuffix)
				remove(f.Name() + scratchSuffix)
			}
			os.Remove(f.Name())
		}
		f.Close()
	}
}

// lockNow locks a file for as long as it is open, or returns an error at once.
func lockNow(f *os.File) error { return flock(f, unix.LOCK_EX|unix.LOCK_NB) }
