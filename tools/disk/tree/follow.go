package tree

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Link is a symbolic link.
type Link struct {
	At string // its path, in a folder free of links
	To string // the path in it
}

// Compare orders links by their paths.
func (l Link) Compare(m Link) int { return cmp.Or(cmp.Compare(l.At, m.At), cmp.Compare(l.To, m.To)) }

// MaxLinks is how many links a path may lead over, as on Linux.
const MaxLinks = 40

// Follow returns where an absolute path leads, free of links, and the links that it met.
// Nothing is done to "..", which a link may have before it. The way is all that the path
// leads over, links too, the last its end: each is free of links but for its last name. A
// program that may write a folder with one of them in it can make the path lead elsewhere.
// The way is returned with an error too, as far as it was found.
func Follow(path string) (real string, met []Link, way []string, err error) {
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
		if met = append(met, Link{at, to}); len(met) > MaxLinks {
			return "", nil, way, &fs.PathError{Op: "follow", Path: path, Err: syscall.ELOOP}
		}
		if filepath.IsAbs(to) {
			real = "/"
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	return real, met, way, nil
}
