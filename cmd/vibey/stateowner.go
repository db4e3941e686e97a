package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"vibey/tools/disk"
	"vibey/tools/disk/tree"
	"vibey/tools/sandbox"
)

// What stands in the state dir is believed: whoever writes its key approves in the human's
// place, and its files agents, mcp and providers name programs and hosts. So it is used
// only if no other user can have written there, or can read it: openState looks at the
// folders that lead to it and at what is in it, and state.open at each file again.

// othersAll are the permissions of all but a file's owner, othersWrite the two of them that
// let change it.
const (
	othersAll   fs.FileMode = 0o077
	othersWrite fs.FileMode = 0o022
)

// owner returns the id of the user that a file belongs to.
func owner(info fs.FileInfo) int { return int(info.Sys().(*syscall.Stat_t).Uid) }

// checkWay looks at the folders and links by which path leads to the state dir of the
// user us, and not at the state dir. It returns an error if one of them is another user's
// than us or root, or if others may write in one, but for root's sticky folders. What
// lies above home is not looked at, nor is what is missing. home is nil if there is none.
func checkWay(path string, home fs.FileInfo, us int) error {
	_, _, way, err := tree.Follow(path)
	there := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var fault error
	for i, at := range append([]string{"/"}, way...) {
		info, err := os.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) || there && i == len(way) {
			break
		}
		if err != nil {
			return err
		}
		if home != nil && os.SameFile(info, home) {
			fault = nil
		}
		if fault == nil {
			fault = checkAbove(at, info, us)
		}
		if fault != nil && info.Mode()&fs.ModeSymlink != 0 {
			return fault // whoever can change the link decides where it leads, a home or not
		}
	}
	return fault
}

// checkAbove is checkWay for one folder or link.
func checkAbove(at string, info fs.FileInfo, us int) error {
	who, mode := owner(info), info.Mode()
	switch {
	case who != us && who != 0:
		return fmt.Errorf("%s belongs to another user (uid %d), who could put another state dir in the place of yours. Nothing was read or changed. Name a state dir elsewhere with --state", at, who)
	case mode&fs.ModeSymlink != 0, mode&othersWrite == 0, who == 0 && mode&fs.ModeSticky != 0:
		return nil
	}
	return fmt.Errorf("other users may write in %s (mode %o), and could put another state dir in the place of yours. Nothing was read or changed. Close it with: chmod go-w %s. Or name a state dir elsewhere with --state", at, mode.Perm(), sandbox.Quote(at))
}

// private closes a file or folder of the state dir to all but its owner us. stood is what
// others were allowed until then. It returns an error, and changes nothing, if the owner
// is another user, or if it is a link or device; and an error if others are still allowed
// something afterwards.
func private(path string, us int, stat func() (fs.FileInfo, error), chmod func(fs.FileMode) error) (stood fs.FileMode, err error) {
	info, err := stat()
	if err != nil {
		return 0, err
	}
	mode := info.Mode()
	if who := owner(info); who != us {
		return 0, fmt.Errorf("%s belongs to another user (uid %d), so nothing in the state dir is believed. Nothing was changed. Look at it and remove it, or name another state dir with --state", path, who)
	}
	if !mode.IsRegular() && !mode.IsDir() {
		return 0, fmt.Errorf("%s is %s, and the state dir holds files and folders alone. Nothing was changed. Put the file itself there, or name another state dir with --state", path, (&disk.NotFileError{Mode: mode}).Kind())
	}
	if stood = mode & othersAll; stood == 0 {
		return 0, nil
	}
	err = chmod(mode.Perm() &^ othersAll)
	if info, err2 := stat(); err2 != nil || info.Mode()&othersAll != 0 {
		why := "its disk keeps no permissions"
		if err = errors.Join(err, err2); err != nil {
			why = disk.Cause(err).Error()
		}
		return 0, fmt.Errorf("%s is open to other users (mode %o) and can't be closed to them: %s. Name a state dir on another disk with --state", path, mode.Perm(), why)
	}
	return stood, nil
}

// privateFile is private for an open file or folder.
func (s *state) privateFile(path string, f *os.File) (stood fs.FileMode, err error) {
	return private(path, s.user, f.Stat, f.Chmod)
}

// sweep makes what is in the state dir private: its files and folders, what is in these,
// and all in a folder in which others could write. It tells of keys that stood open.
func (s *state) sweep() error {
	return fs.WalkDir(s.root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // another program of ours removed it
		}
		if err != nil || name == "." {
			return err
		}
		stood, err := private(s.path(name), s.user,
			func() (fs.FileInfo, error) { return s.root.Lstat(name) },
			func(mode fs.FileMode) error { return s.root.Chmod(name, mode) })
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		s.tellOpen(name, stood)
		if e.IsDir() && strings.Contains(name, "/") && stood&othersWrite == 0 {
			return fs.SkipDir
		}
		return nil
	})
}

// afterOpen says what to do about a file that others could read or change.
var afterOpen = map[string]string{
	"key":    "remove it, and a new one is made: what was approved until then does not count any more",
	"token":  "remove it, and a new one is made: each browser then needs a new code",
	keysFile: "make new keys where the providers gave you these, and type them in",
}

// tellOpen tells that a key stood open to others, if it is one and did.
func (s *state) tellOpen(name string, stood fs.FileMode) {
	do, ok := afterOpen[name]
	if !ok || stood == 0 {
		return
	}
	could := "read"
	if stood&othersWrite != 0 {
		could = "read and change"
	}
	s.tell(fmt.Sprintf("other users of this computer could %s %s until now; it is closed to them. If one of them may have: %s", could, s.path(name), do))
}
