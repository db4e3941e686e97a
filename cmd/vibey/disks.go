package main

import (
	"fmt"
	"os"

	"vibey/tools/disk"
)

// checkLocks refuses a projects' folder or state dir whose disk gives no locks: two programs
// could write one file at the same time.
func checkLocks(projects, state string) error {
	err := checkLock("the projects' folder", projects, func(dir *os.Root) error { return disk.Locks{Dir: dir}.Check() })
	if err == nil {
		err = checkLock("the state dir", state, disk.CheckLock)
	}
	return err
}

func checkLock(what, dir string, check func(*os.Root) error) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open %s: %w", what, err)
	}
	defer root.Close()
	if err := check(root); err != nil {
		return fmt.Errorf("%s %s is on a disk that gives no locks%s: %w. Two programs could write one file there at the same time, so nothing is begun: make locks work on that disk (on a network disk, its lock service), or name a folder on another one", what, dir, mountOf(dir), err)
	}
	return nil
}

// mountOf is the disk of a folder within a sentence, in brackets; "" where it is not known.
func mountOf(dir string) string {
	real, err := realPath(dir)
	if err != nil {
		return ""
	}
	if m := disk.Mount(real); m != "" {
		return " (" + m + ")"
	}
	return ""
}

// durable reports whether the disks of the projects and of the state dir keep through a
// power cut what was acknowledged, and tells of one that does not in the log.
func (h *program) durable(projects string) bool {
	all := true
	for _, dir := range []string{projects, h.state.dir} {
		f, err := os.Open(dir)
		if err != nil {
			continue // each request says so
		}
		if !disk.Durable(f) {
			all = false
			h.log.Warn("this disk can't promise to survive a power cut: it does not sync folders, so that names of files may be lost; everything else works", "folder", dir, "disk", disk.Mount(dir))
		}
		f.Close()
	}
	return all
}
