package disk

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// Lock waits until the caller is the only one to hold dir's lock, in this
// process and in all others. It is the caller's until unlock, which others wait
// for: a write takes milliseconds. Editors know nothing of it. It guards what
// callers agree on: a project's folder is locked for its docs and for its deed,
// wherever that lies.
func Lock(dir *os.Root) (unlock func(), err error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	for {
		if err = unix.Flock(int(f.Fd()), unix.LOCK_EX); err != unix.EINTR {
			break
		}
	}
	runtime.KeepAlive(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return func() { Unlock(f) }, nil
}

// TryLock locks an open file or folder without waiting. taken reports that another
// holds the lock.
func TryLock(f *os.File) (taken bool, err error) {
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	runtime.KeepAlive(f)
	if err == unix.EWOULDBLOCK {
		return true, nil
	}
	return false, err
}

// Unlock gives a lock back and closes the file. It is given back by itself,
// because a process that is just being started may hold a copy of the descriptor
// for a moment longer.
func Unlock(f *os.File) error {
	unix.Flock(int(f.Fd()), unix.LOCK_UN)
	return f.Close()
}
