package sandbox

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"vibey/tools/disk/tree"
)

// folders are those of one command, absolute and free of links.
type folders struct {
	dir     string // where it begins
	project string
	deed    string      // "" where there is none
	home    string      // "" where there is none
	links   []tree.Link // on the way to these
}

// foldersOf finds them, and refuses a deed that would open what is hidden.
func foldersOf(s Spec, c Config) (p folders, err error) {
	p.dir = s.Dir
	for _, one := range []struct {
		real *string
		path string
	}{{&p.project, cmp.Or(s.Project, s.Dir)}, {&p.home, s.Home}, {&p.deed, s.Deed}, {new(string), s.Dir}} {
		if one.path == "" {
			continue
		}
		real, met, _, err := tree.Follow(one.path)
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			return p, e.Err // without the path, which is the machine's
		}
		*one.real = real
		p.links = append(p.links, met...)
	}
	if p.deed == "" {
		return p, nil
	}
	for _, h := range append(slices.Clone(c.Hide), c.home(), p.project) {
		if real, _, _, err := tree.Follow(h); h != "" && err == nil && within(real, p.deed) {
			return p, errors.New("deed/ leads to a folder that holds others which commands must not reach. A human must link it to another one")
		}
	}
	if p.deed == "/" {
		return p, errors.New("deed/ leads to the root of this machine. A human must link it to another folder")
	}
	return p, nil
}

// writable are the folders of its own that a command may write.
func (p folders) writable(s Spec) []string {
	if s.ReadOnly {
		return nil
	}
	return compact(p.deed, p.home)
}

// temporary are the variables that name a command's folder for temporary files, which
// is the HOME of one that has no other.
func temporary(dir string, s Spec) []string {
	if s.ReadOnly {
		return []string{"TMPDIR=" + dir, "HOME=" + dir}
	}
	return []string{"TMPDIR=" + dir}
}

// realPaths returns the paths that are there, free of links.
func realPaths(paths []string) (real []string) {
	for _, path := range paths {
		if r, _, _, err := tree.Follow(path); err == nil {
			real = append(real, r)
		}
	}
	return real
}

// outermost returns the paths, sorted and each once, without those that lie
// within another.
func outermost(paths []string) []string {
	all := slices.Compact(slices.Sorted(slices.Values(paths)))
	return slices.DeleteFunc(slices.Clone(all), func(d string) bool {
		return slices.ContainsFunc(all, func(p string) bool { return p != d && within(d, p) })
	})
}

// compact returns the paths that are not empty.
func compact(paths ...string) []string {
	return slices.DeleteFunc(paths, func(s string) bool { return s == "" })
}

// within reports whether path is dir or below it; both are clean.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// withinAny reports whether path is within one of the folders.
func withinAny(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return within(path, d) })
}
