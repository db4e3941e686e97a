package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Bounds of what a command's changes may cost. Beyond walkLimit entries the
// answer is "unknown"; beyond listLimit changed files the rest is a number (a
// model would pay some 45 tokens for each); what would make more than hashLimit
// bytes to read is told by its size alone.
const (
	walkLimit = 20_000
	listLimit = 200
	hashLimit = 256 << 20
)

// stamp is what a stat tells of a file. Whatever is written, made anew or
// renamed gets another one: ctime is the kernel's and can't be set back.
type stamp struct {
	size, mtime, ctime int64
	inode              uint64
	mode               uint32
}

// tree is the stamps of all files of the deed by their path in it; nil where
// they could not all be told.
type tree map[string]stamp

// survey walks the deed, if it has at most limit entries. Folders named .git and node_modules are left out;
// links are told as links, never followed.
func survey(deed *os.Root, limit int) tree {
	root, err := deed.Open(".")
	if err != nil {
		return nil
	}
	defer root.Close()
	t := tree{}
	if !t.walk(root, "", &limit) {
		return nil
	}
	return t
}

// walk adds what stands below dir; false if that is too much, or hidden from us.
func (t tree) walk(dir *os.File, at string, left *int) bool {
	names, err := dir.Readdirnames(*left + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return errors.Is(err, fs.ErrNotExist) // removed while we looked
	}
	if *left -= len(names); *left < 0 {
		return false
	}
	fd := int(dir.Fd())
	for _, name := range names {
		var st unix.Stat_t
		if unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
			continue // gone meanwhile
		}
		switch st.Mode & unix.S_IFMT {
		case unix.S_IFDIR:
			if name != ".git" && name != "node_modules" && !t.enter(fd, name, path.Join(at, name), left) {
				return false
			}
		case unix.S_IFREG, unix.S_IFLNK:
			if !strings.HasPrefix(name, tempPrefix) {
				t[path.Join(at, name)] = stampOf(&st)
			}
		}
	}
	return true
}

func (t tree) enter(parent int, name, at string, left *int) bool {
	fd, err := unix.Openat(parent, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err == unix.ENOENT || err == unix.ELOOP || err == unix.ENOTDIR // swapped while we looked
	}
	dir := os.NewFile(uintptr(fd), name)
	defer dir.Close()
	return t.walk(dir, at, left)
}

// changes is what differs between two surveys, as a result tells it.
type changes struct {
	files   []FileHash
	more    int // changed files that are not listed
	unknown bool
}

// compare lists what changed from before to after, sorted by path, with the
// hashes of what stands there now.
func compare(ctx context.Context, deed *os.Root, before, after tree) changes {
	if before == nil || after == nil {
		return changes{unknown: true}
	}
	var paths []string
	for p, s := range after {
		if old, ok := before[p]; !ok || old != s {
			paths = append(paths, p)
		}
	}
	for p := range before {
		if _, ok := after[p]; !ok {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	c := changes{more: max(0, len(paths)-listLimit)}
	budget := int64(hashLimit)
	for _, p := range paths[:len(paths)-c.more] {
		f := FileHash{Path: "deed/" + strings.ToValidUTF8(p, "\uFFFD")}
		if s, ok := after[p]; ok {
			f = evidence(ctx, deed, p, s, f, &budget)
		} else {
			f.Deleted = true
		}
		c.files = append(c.files, f)
	}
	return c
}

// evidence adds to f what a file of the deed holds.
func evidence(ctx context.Context, deed *os.Root, p string, s stamp, f FileHash, budget *int64) FileHash {
	if s.mode&unix.S_IFMT == unix.S_IFLNK {
		to, _ := deed.Readlink(p)
		f.Link = strings.ToValidUTF8(to, "\uFFFD")
		return f
	}
	if s.size > *budget || ctx.Err() != nil {
		f.Bytes = s.size
		return f
	}
	*budget -= s.size
	// A pipe could have taken its place: never wait for one.
	in, err := deed.OpenFile(p, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return f
	}
	defer in.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(in, s.size)); err == nil {
		f.SHA256 = hex.EncodeToString(h.Sum(nil))
	}
	return f
}

// topNames are the entries of the project's folder that are neither docs nor
// dialogs nor the server's: a command that adds one wrote beside the deed.
func topNames(project *os.Root) map[string]bool {
	dir, err := project.Open(".")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	out := map[string]bool{}
	for _, n := range names {
		if !strings.HasPrefix(n, ".") && !strings.HasSuffix(n, ".md") {
			out[n] = true
		}
	}
	return out
}
