package sandbox

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// folders are those of one command, absolute and free of links.
type folders struct {
	dir     string // where it begins
	project string
	deed    string // "" where there is none
	home    string // "" where there is none
	links   []link // on the way to these
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
		real, met, err := follow(one.path)
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
		if real, _, err := follow(h); h != "" && err == nil && within(real, p.deed) {
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

// link is a symbolic link.
type link struct {
	at string // where it is, in a folder free of links
	to string // what it says
}

func (l link) compare(m link) int { return cmp.Or(cmp.Compare(l.at, m.at), cmp.Compare(l.to, m.to)) }

// maxLinks is how many links a path may lead over, as on Linux.
const maxLinks = 40

// follow returns where an absolute path leads, free of links, and the links that
// it met. Nothing is done to "..", which a link may have before it.
func follow(path string) (real string, met []link, err error) {
	real, met, _, err = walk(path)
	return real, met, err
}

// Way returns all that an absolute path leads over, links too, the last its end: each
// is free of links but for its last name. A program that may write a folder with one
// of them in it can make the path lead elsewhere.
func Way(path string) ([]string, error) {
	_, _, way, err := walk(path)
	return way, err
}

func walk(path string) (real string, met []link, way []string, err error) {
	if !filepath.IsAbs(path) {
		return "", nil, nil, &fs.PathError{Op: "follow", Path: path, Err: syscall.EINVAL}
	}
	real = "/"
	for rest := strings.Split(path, "/"); len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		if name == "" || name == "." {
			continue
		}
		if name == ".." {
			real = filepath.Dir(real)
			continue
		}
		at := filepath.Join(real, name)
		way = append(way, at)
		info, err := os.Lstat(at)
		if err != nil {
			return "", nil, way, err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			real = at
			continue
		}
		to, err := os.Readlink(at)
		if err != nil {
			return "", nil, way, err
		}
		if met = append(met, link{at, to}); len(met) > maxLinks {
			return "", nil, way, &fs.PathError{Op: "follow", Path: path, Err: syscall.ELOOP}
		}
		if filepath.IsAbs(to) {
			real = "/"
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	return real, met, way, nil
}

// realPaths returns the paths that are there, free of links.
func realPaths(paths []string) (real []string) {
	for _, path := range paths {
		if r, _, err := follow(path); err == nil {
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
