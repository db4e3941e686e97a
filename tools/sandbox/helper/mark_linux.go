package helper

import "golang.org/x/sys/unix"

// Locks is the limit that carries the mark. Linux has not enforced it since 2.4.25,
// but inherits it across fork, exec, setsid and a cleared environment, and
// shows it in /proc/<pid>/limits: a mark that a process can't lose by accident,
// and behind walls not at all, because the filter refuses to set it.
const Locks = unix.RLIMIT_LOCKS

// PutMark puts the mark on a process that has just begun, 0 for this one. Where the
// system refuses, the tag in the environment is what is left. Where this program
// runs in a command of another one like itself, the outer mark stays as the hard
// limit, with the inner one below it.
func PutMark(pid int, mark uint64) bool {
	var old unix.Rlimit
	if unix.Prlimit(pid, Locks, nil, &old) != nil {
		return false
	}
	limit := unix.Rlimit{Max: old.Max}
	for bit := 61; bit >= MarkBits && limit.Cur == 0; bit-- {
		if n := 1<<bit | mark; n <= old.Max {
			limit.Cur = n
		}
	}
	if old.Max > 1<<62 { // not marked yet
		limit.Max = limit.Cur
	}
	return limit.Cur != 0 && unix.Prlimit(pid, Locks, &limit, nil) == nil
}
