package commit

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vibey/tools/disk"
)

// markName is a file in deed/.git that stands there while a commit of ours is made. One
// that is found by the next commit, which holds the lock, was left by a program that was
// killed: the locks of git that were made after it are that commit's.
const markName = "vibey-commit"

// Unfinished reports whether a commit of ours was begun in that repository, and not
// ended: one that is being made now, or one that a kill cut off.
func Unfinished(deed string) bool {
	_, err := os.Lstat(filepath.Join(deed, ".git", markName))
	return err == nil
}

// openGit opens the folder of the repository in a deed. A pipe in its place is not waited
// for: the dot is found in folders alone.
func openGit(deed string) (*os.Root, error) { return os.OpenRoot(deed + "/.git/.") }

// lockable opens the same folder to be locked.
func lockable(deed string) (*os.File, error) { return os.Open(deed + "/.git/.") }

// Recover removes what a commit that was cut off left in the repository of a deed, so
// that other gits can use it again. gone says that its git died with the program;
// otherwise it may live as long as a commit may take. A commit that is being made, here
// or by another program, is left alone.
func Recover(deed string, gone bool) error {
	f, err := lockable(deed)
	if err != nil {
		return err
	}
	if taken, err := disk.TryLock(f); taken || err != nil {
		return errors.Join(err, f.Close())
	}
	defer disk.Unlock(f)
	return recoverLocks(deed, gone)
}

// recoverLocks is Recover for the holder of the lock.
func recoverLocks(deed string, gone bool) error {
	git, err := openGit(deed)
	if err != nil {
		return err
	}
	defer git.Close()
	mark, err := git.Lstat(markName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	end := mark.ModTime().Add(Limit + grace)
	if !gone && time.Now().Before(end) {
		return nil
	}
	for _, name := range locksOf(git) {
		if info, err := git.Lstat(name); err == nil && !info.ModTime().Before(mark.ModTime()) && !info.ModTime().After(end) {
			git.Remove(name)
		}
	}
	return git.Remove(markName)
}

// indexLock is git's lock of the index.
const indexLock = "index.lock"

// nextLocks names the locks of a commit --only, which stand beside indexLock.
func nextLocks(git *os.Root) []string {
	names, _ := fs.Glob(git.FS(), "next-index-*.lock")
	return names
}

// locksOf names the locks that a commit takes.
func locksOf(git *os.Root) []string {
	locks := append(nextLocks(git), indexLock, "HEAD.lock")
	if ref, ok := strings.CutPrefix(strings.TrimSpace(readHead(git)), "ref: "); ok && fs.ValidPath(ref) {
		locks = append(locks, ref+".lock")
	}
	return locks
}

// readHead reads the HEAD of a repository, "" where it is none.
func readHead(git *os.Root) string {
	f, err := disk.Open(git, "HEAD")
	if err != nil {
		return ""
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 4096))
	return string(head)
}

// mark makes the mark of a commit. A link that a command left in its place is removed: what
// it leads to, such as the config, only a human may write.
func mark(git *os.Root) error {
	if err := git.Remove(markName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := git.OpenFile(markName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}
