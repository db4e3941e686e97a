package sandbox

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"vibey/tools/sandbox/helper"
)

// build makes the walls of a level, or says why this machine can't have them.
func build(level Level, c Config, servers *serverList, layers *layers) (walls, error) {
	self, err := os.Open("/proc/self/exe") // stays open: an update may replace the file
	if err != nil {
		return nil, err
	}
	switch {
	case level != Bwrap && !helper.KnowsChildren():
		err = errors.New("this kernel does not tell which processes are a command's")
	case level == Bwrap:
		paths := bwrapPaths
		if c.bwrap != nil {
			paths = c.bwrap
		}
		err = errNotInstalled
		for _, path := range paths {
			info, serr := os.Stat(path)
			if serr != nil || !info.Mode().IsRegular() {
				continue
			}
			if info.Mode()&os.ModeSetuid != 0 {
				err = errSetuid
				continue
			}
			b := newBubble(path, self, c)
			b.servers, b.layers = servers, layers
			return b, nil
		}
	case level == Landlock && truncationHeld(), level == Container && inContainer():
		return &fenced{self: self, config: c, views: newViews(c)}, nil
	default:
		err = fmt.Errorf("%s is not to be had here", level)
	}
	self.Close()
	return nil, err
}

// truncationHeld reports whether this kernel's Landlock can keep a command from
// emptying a file that it may not write.
func truncationHeld() bool { return helper.ABI() >= 3 }

// inContainer reports whether this program runs in its own image, which says so.
func inContainer() bool {
	_, err := os.Stat("/etc/vibey-container")
	return err == nil || os.Getenv("VIBEY_CONTAINER") != ""
}

// guardSelf keeps this process's memory and environment from others of its
// user: from here on only root can read them in /proc, or trace it.
func guardSelf() { unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

// unwalled is level none: a command with its supervisor, where this system can
// have one.
func unwalled() walls {
	self, err := os.Open("/proc/self/exe")
	if err != nil || !helper.KnowsChildren() {
		return open{}
	}
	return watched{self}
}
