package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"vibey/tools/disk"
	"vibey/tools/disk/tree"
)

// An exit is a link that leaves the folder, by its letters. Where it leads into the
// HOME of commands, a repository that a command has made there is entered as if it
// were below the folder.

// exitFolders is how many folders behind the exits are looked at, some 50 ms' worth.
const exitFolders = 10_000

// maxExits is how many exits a folder may have: some seconds' worth.
const maxExits = 50_000

// errExits is why a look ends that finds more than maxExits.
var errExits = fmt.Errorf("it holds more than %d links that lead out of it, too many to see whether git would find a repository behind one: remove some, or move them out", maxExits)

// know adds to the HOMEs of commands.
func (k *gitKeeper) know(homes ...string) {
	for _, h := range compact(homes...) {
		if !slices.Contains(k.homes, h) {
			k.homes = append(k.homes, h)
		}
	}
}

// leaves reports whether the letters of a path lead out of the folder.
func (v *gitVisit) leaves(dir, to string) bool {
	_, in := v.inside(dir, to)
	return !in
}

// closeExits removes the links into a HOME behind which git would find a
// repository; by another name they would lead there still. Where ctx ends first it
// removes none of those that it did not follow to the end.
func (m *mending) closeExits(ctx context.Context) {
	var homes []string
	found, dirs := map[string]bool{}, map[string]string{}
	for _, name := range m.exits {
		if homes == nil {
			if homes = realPaths(m.homes); len(homes) == 0 {
				return
			}
		}
		to, real := m.exit(name, dirs)
		if real == "" || !withinAny(real, homes) {
			continue
		}
		behind, known := found[real]
		if !known {
			behind = repositoryBehind(ctx, real, homes)
			found[real] = behind
		}
		if m.stop(ctx, 0) {
			return
		}
		if now, err := m.root.Readlink(name); !behind || err != nil || now != to {
			continue // or a human has just made something else of it
		}
		m.uncover(path.Dir(name))
		did := "was a link into the HOME of commands, to where git would find a repository, and was removed"
		if err := m.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			m.err = errUndone
			did = fmt.Sprintf("is a link into the HOME of commands, and could not be removed (%v): don't use git there", disk.Cause(err))
		}
		m.undone = append(m.undone, strings.Map(visible, name)+": "+did)
	}
}

// exit returns what an exit says, and where it comes out, "" where that is nowhere.
// dirs are the folders in which others do, free of links: thousands lead into few.
func (m *mending) exit(name string, dirs map[string]string) (to, real string) {
	at := m.abs(name)
	to, err := os.Readlink(at)
	if err != nil {
		return "", ""
	}
	dir, base := path.Split(to)
	if !path.IsAbs(to) {
		dir = path.Dir(at) + "/" + dir // with its "..", which a link may have before it
	}
	in, known := dirs[dir]
	if !known {
		in, _ = filepath.EvalSymlinks(dir)
		dirs[dir] = in
	}
	if in == "" {
		return to, ""
	}
	real = filepath.Join(in, base)
	info, err := os.Lstat(real)
	switch {
	case err != nil:
		return to, ""
	case info.Mode()&fs.ModeSymlink != 0 || base == "..":
		real, _ = filepath.EvalSymlinks(at)
	}
	return to, real
}

// repositoryBehind reports whether git could find a repository in a HOME from a
// folder on: there, above or below.
func repositoryBehind(ctx context.Context, at string, homes []string) bool {
	left := exitFolders
	for next, seen := []string{at}, map[string]bool{}; len(next) > 0; next = next[1:] {
		at := next[0]
		if seen[at] || !withinAny(at, homes) {
			continue
		}
		if info, err := os.Stat(at); err != nil || !info.IsDir() {
			continue // git does not enter a file
		}
		seen[at] = true
		for up := at; withinAny(up, homes); up = filepath.Dir(up) {
			if isRepository(up) {
				return true
			}
		}
		behind := newGitKeeper(at)
		behind.folders = left
		v, err := behind.visit(ctx)
		if err != nil {
			return !errors.Is(err, fs.ErrNotExist)
		}
		v.close()
		if left -= v.count; v.blind != nil || v.crowded || len(v.repos)+len(v.doors) > 0 {
			return true
		}
		for _, e := range v.exits {
			if real, err := filepath.EvalSymlinks(behind.abs(e)); err == nil {
				next = append(next, real)
			}
		}
	}
	return false
}

// isRepository reports whether git takes a folder for a repository, or one stands in
// it.
func isRepository(dir string) bool {
	entries, _ := os.ReadDir(dir)
	n := gitNode{name: filepath.Base(dir)}
	for _, e := range entries {
		if disk.IsGit(e.Name()) {
			return true
		}
		n.mark([]byte(e.Name()), tree.FileKind, false)
	}
	return n.repository()
}
