package sandbox

import (
	"golang.org/x/sys/unix"

	"vibey/tools/sandbox/helper"
)

// limits returns a command's limits. own: its processes are counted apart.
func (c Config) limits(own bool) helper.Limits {
	l := helper.Limits{Procs: uint64(c.Procs), File: uint64(c.Disk), Files: 8192}
	if !own { // the user's others are counted too
		l.Procs += tasks()
	}
	return l
}

// tasks is how many threads the machine runs now.
func tasks() uint64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return uint64(info.Procs)
}
