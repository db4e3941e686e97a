package server

import (
	"context"
	"io/fs"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"vibey/server/project"
)

// deedFile is a file of the deed. Path is relative to the deed, with slashes.
type deedFile struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	MTime string `json:"mtime"` // RFC 3339
}

// Bounds of the list: how many files it has, how many names are read for it in all and
// of one folder, how many of a folder while any may be, and how many folders a file may
// lie in. A deed may hold folders of a package manager with 100,000 files, and a window
// asks again each time they change. A folder is opened by its path, from the top: without
// a depth, folders one in another cost the square of their number.
const (
	maxDeedFiles = 5000
	deedNames    = 4 * maxDeedFiles
	folderMost   = 2 * maxDeedFiles
	folderLeast  = 200
	deedDepth    = 100
)

// fetched are folders with what others wrote, by the names that package managers and
// compilers give them. They are listed if there is room.
var fetched = []string{"node_modules", "bower_components", "vendor", "site-packages", "venv", "__pycache__", "target"}

// listDeed lists the files of the deed in the order of their paths. Links are not
// followed, and names that begin with a dot are left out, with all that lies below.
func (s *server) listDeed(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	dir, err := p.DeedDir()
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	l := deedList{ctx: r.Context(), root: root, names: deedNames, files: []deedFile{}}
	for level := []string{"."}; len(level) > 0; {
		level = l.level(level)
	}
	for level := l.later; len(level) > 0; {
		l.later = nil
		level = append(l.level(level), l.later...)
	}
	if err := l.ctx.Err(); err != nil {
		return err
	}
	slices.SortFunc(l.files, func(a, b deedFile) int { return byFolders(a.Path, b.Path) })
	return writeJSON(w, l.files)
}

// byFolders compares two paths, what is in a folder before what has a longer name.
func byFolders(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	a, b = a[i:], b[i:]
	switch folder := strings.HasPrefix(a, "/"); {
	case folder == strings.HasPrefix(b, "/") || a == "" || b == "":
		return strings.Compare(a, b)
	case folder:
		return -1
	}
	return 1
}

// deedList gathers files if there are too many for all: those near the top first and
// of one depth those in small folders, so that a large folder hides no other one's.
type deedList struct {
	ctx   context.Context // nothing more is read when it has ended
	root  *os.Root
	names int // that may still be read
	files []deedFile
	later []string // fetched folders
}

// folder is what a folder holds, by its names.
type folder struct {
	path    string
	entries []fs.DirEntry
}

// level lists the files of folders of one depth, and returns the folders in them.
func (l *deedList) level(paths []string) (below []string) {
	var all []folder
	for i, at := range paths {
		if len(l.files) >= maxDeedFiles || l.names <= 0 || l.ctx.Err() != nil {
			break
		}
		// Large folders share what there is.
		share := max(l.names/(len(paths)-i), folderLeast)
		all = append(all, folder{at, l.read(at, min(share, folderMost, l.names))})
	}
	slices.SortStableFunc(all, func(a, b folder) int { return len(a.entries) - len(b.entries) })
	for _, f := range all {
		below = append(below, l.add(f)...)
	}
	return below
}

// read returns what a folder holds, by name, but at most n names. One that can't be read,
// or was deleted meanwhile, is empty.
func (l *deedList) read(at string, n int) []fs.DirEntry {
	f, err := l.root.OpenFile(at, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(n)
	l.names -= len(entries)
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") })
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries
}

// add lists the files of a folder, and returns the folders in it.
func (l *deedList) add(f folder) (below []string) {
	var in *os.Root // f, opened for its first file, and no pipe that came in its place
	for _, e := range f.entries {
		switch {
		case e.IsDir() && strings.Count(f.path, "/") >= deedDepth-1: // too deep
		case e.IsDir() && slices.Contains(fetched, e.Name()):
			l.later = append(l.later, path.Join(f.path, e.Name()))
		case e.IsDir():
			below = append(below, path.Join(f.path, e.Name()))
		case e.Type().IsRegular() && len(l.files) < maxDeedFiles:
			if in == nil {
				var err error
				if in, err = l.root.OpenRoot(f.path + "/."); err != nil || l.ctx.Err() != nil {
					return nil
				}
				defer in.Close()
			}
			if info, err := in.Lstat(e.Name()); err == nil && info.Mode().IsRegular() {
				l.files = append(l.files, deedFile{path.Join(f.path, e.Name()), info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano)})
			}
		}
	}
	return below
}
