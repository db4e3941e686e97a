package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// LockWait is how long a lock of another process is waited for. A write takes
// milliseconds, so that a lock held for longer will be held on.
const LockWait = 2 * time.Second

// HeldError is a lock that another holder has. By is the Locks.By of the holder, such as
// "vibey run"; "" if it is not known, or if a program that is not this one has the lock:
// the name may be of one that was killed.
type HeldError struct{ By string }

func (e *HeldError) Error() string {
	if e.By == "" {
		return "the lock is held by another program"
	}
	return "the lock is held by another program, " + e.By
}

// locksName is the folder of lock files.
const locksName = ".locks"

// Locks are the locks of what lies in Dir, by name: one file each, in the folder .locks
// of Dir. Whoever can open a file can lock it, also one that may only read it: so no lock
// lies on what commands are shown, and Dir is a folder that they never see.
type Locks struct {
	Dir *os.Root
	By  string // what this program is called in a HeldError: letters and blanks
}

// Held is a lock, until Release or Drop.
type Held struct {
	of   Locks
	name string
	file *os.File
}

// Wait takes the lock of that name. It waits until ctx ends, or for LockWait; then the
// error is a *HeldError.
func (l Locks) Wait(ctx context.Context, name string) (h *Held, err error) {
	err = wait(ctx, func() error { h, err = l.Try(name); return err })
	return h, err
}

// Try takes the lock of that name if it is free, else the error is a *HeldError.
func (l Locks) Try(name string) (*Held, error) { return l.try(name, os.O_CREATE) }

// Check returns syscall.ENOLCK if the disk of Dir gives no locks. A Dir that can't be written
// needs none. It leaves nothing behind.
func (l Locks) Check() error {
	h, err := l.Try("+") // no project's lock has this name
	if err == nil {
		h.Release()
		_ = l.Dir.Remove(locksName)
	}
	if errors.Is(err, syscall.ENOLCK) {
		return err
	}
	return nil
}

// Clear removes the file of a lock if it is free, and makes none.
func (l Locks) Clear(name string) {
	if h, err := l.try(name, 0); err == nil {
		h.Release()
	}
}

// try is Try with that flag for opening the file, os.O_CREATE or 0.
func (l Locks) try(name string, create int) (*Held, error) {
	for range 100 { // more only if holders keep releasing it at that moment
		f, err := l.open(name, create)
		if err != nil {
			return nil, err
		}
		taken, err := TryLock(f)
		if taken {
			err = &HeldError{By: holderOf(f)}
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		if h := (&Held{l, name, f}); h.named() {
			h.writeHolder()
			return h, nil
		}
		Unlock(f) // it was released, and so removed, before we had it
	}
	return nil, new(HeldError)
}

// Taken reports whether the lock of that name is held, in this process or another. It
// makes no file.
func (l Locks) Taken(name string) bool {
	f, err := l.Dir.Open(locksName + "/" + name)
	if err != nil {
		return false
	}
	defer f.Close()
	return Taken(f)
}

// Taken reports whether a file or folder is locked. Any number may look at once; f is to
// be closed then.
func Taken(f *os.File) bool {
	err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB)
	runtime.KeepAlive(f)
	return err == unix.EWOULDBLOCK
}

// Sweep removes the files of locks that are free, such as what killed programs have left,
// and the folder if nothing is in it.
func (l Locks) Sweep() {
	dir, err := l.Dir.Open(locksName)
	if err != nil {
		return
	}
	names, _ := dir.Readdirnames(-1)
	dir.Close()
	for _, n := range names {
		l.Clear(n)
	}
	_ = l.Dir.Remove(locksName)
}

// open opens the file of a lock, and with os.O_CREATE makes it and the folder where there is none. What
// another user made, and lets us read, is enough for a lock on most disks.
func (l Locks) open(name string, create int) (f *os.File, err error) {
	const flag = unix.O_NOFOLLOW | unix.O_NONBLOCK
	at := locksName + "/" + name
	for range 5 { // Sweep may remove the folder behind us
		f, err = l.Dir.OpenFile(at, flag|os.O_RDWR|create, 0o666)
		if create == 0 || !errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err := l.mkdir(); err != nil {
			return nil, err
		}
	}
	if errors.Is(err, fs.ErrPermission) {
		if r, rerr := l.Dir.OpenFile(at, flag|os.O_RDONLY, 0); rerr == nil {
			return r, nil
		}
	}
	return f, err
}

// mkdir makes the folder for those alone who may write in Dir: who can open a lock's file
// can hold it.
func (l Locks) mkdir() error {
	info, err := l.Dir.Stat(".")
	if err != nil {
		return err
	}
	err = l.Dir.Mkdir(locksName, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	writers := info.Mode().Perm() & 0o022
	if perm := 0o700 | writers | writers<<1 | writers>>1; err == nil && perm != 0o700 {
		_ = l.Dir.Chmod(locksName, perm) // a disk without permissions has no need
	}
	return err
}

// named reports whether the file that was locked still has its name.
func (h *Held) named() bool {
	ours, err := h.file.Stat()
	if err != nil {
		return false
	}
	there, err := h.of.Dir.Lstat(locksName + "/" + h.name)
	return err == nil && os.SameFile(ours, there)
}

// Release removes the file and gives the lock back.
func (h *Held) Release() {
	_ = h.of.Dir.Remove(locksName + "/" + h.name) // one that can't be removed says nothing once it is free
	Unlock(h.file)
}

// Drop gives the lock back and leaves the file, for a lock that is taken again and again.
func (h *Held) Drop() { Unlock(h.file) }

// holderSize is the most that is read of a holder's name.
const holderSize = 32

// writeHolder says in the file who holds it. Where that fails the lock holds all the same.
func (h *Held) writeHolder() {
	if by := h.of.By; readHolder(h.file) != by {
		_ = h.file.Truncate(0)
		_, _ = h.file.WriteAt([]byte(by), 0)
	}
}

// holderOf returns the name in a file that is locked, "" where the system says that another
// program than this one has the lock.
func holderOf(f *os.File) string {
	self, err := os.Stat("/proc/self/exe")
	foreign := false
	for _, pid := range lockers(f) {
		exe, gone := os.Stat("/proc/" + pid + "/exe")
		if err != nil || gone != nil {
			continue // it has ended, or is another user's
		}
		if foreign = !os.SameFile(exe, self); !foreign {
			break
		}
	}
	if foreign {
		return ""
	}
	return readHolder(f)
}

// lockers are the ids of the processes that took a lock on a file, as far as the system
// tells: "7: FLOCK ADVISORY WRITE <pid> <major>:<minor>:<inode> 0 EOF".
func lockers(f *os.File) (pids []string) {
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	inode := ":" + strconv.FormatUint(info.Sys().(*syscall.Stat_t).Ino, 10)
	all, _ := os.ReadFile("/proc/locks")
	for line := range strings.Lines(string(all)) {
		w := strings.Fields(line)
		if len(w) >= 6 && w[1] == "FLOCK" && strings.HasSuffix(w[5], inode) {
			pids = append(pids, w[4])
		}
	}
	return pids
}

// readHolder returns the name in a lock's file, "" for none or for other text.
func readHolder(f *os.File) string {
	b := make([]byte, holderSize)
	n, _ := f.ReadAt(b, 0)
	for _, c := range b[:n] {
		if (c < 'a' || c > 'z') && c != ' ' {
			return ""
		}
	}
	return string(b[:n])
}

// Lock takes the lock of a folder that no command can open, on the folder itself. It
// waits as Locks.Wait does. It is the caller's until unlock.
func Lock(ctx context.Context, dir *os.Root) (unlock func(), err error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	err = wait(ctx, func() error {
		taken, err := TryLock(f)
		if taken {
			err = new(HeldError)
		}
		return err
	})
	if err != nil {
		f.Close()
		return nil, err
	}
	return func() { Unlock(f) }, nil
}

// CheckLock is Locks.Check for the lock of Lock.
func CheckLock(dir *os.Root) error {
	f, err := dir.Open(".")
	if err != nil {
		return nil
	}
	defer Unlock(f)
	if _, err := TryLock(f); errors.Is(err, syscall.ENOLCK) {
		return err
	}
	return nil
}

// wait calls try until it returns something else than a *HeldError, ctx ends, or
// LockWait is over.
func wait(ctx context.Context, try func() error) error {
	end := time.Now().Add(LockWait)
	for pause := 500 * time.Microsecond; ; pause = min(2*pause, 20*time.Millisecond) {
		err := try()
		if _, held := errors.AsType[*HeldError](err); !held || time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// TryLock locks an open file or folder without waiting. taken reports that another
// holds the lock. The error is syscall.ENOLCK for every disk without locks.
func TryLock(f *os.File) (taken bool, err error) {
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err != unix.EINTR {
			break
		}
	}
	runtime.KeepAlive(f)
	if err == unix.EWOULDBLOCK {
		return true, nil
	}
	if unable(err) {
		err = unix.ENOLCK
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
