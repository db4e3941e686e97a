package server

import (
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

// maxDeedFiles is how many files are listed at most, and a hundred times that how many names
// are looked at: a deed may hold folders of a package manager with 100,000 files.
const maxDeedFiles = 5000

// fetched are folders with what others wrote, by the names that package managers and
// compilers give them. They are listed where there is room.
var fetched = []string{"node_modules", "bower_components", "vendor", "site-packages", "venv", "__pycache__", "target"}

// listDeed tells the files of the deed in the order of their paths. Links are not
// followed, and names that begin with a dot are left out, with all that lies below.
func (s *server) listDeed(w http.ResponseWriter, _ *http.Request, p *project.Project) error {
	dir, err := p.DeedDir()
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	l := deedList{root: root, names: 100 * maxDeedFiles, files: []deedFile{}}
	for level := []string{"."}; len(level) > 0; {
		level = l.level(level)
	}
	for level := l.later; len(level) > 0; {
		l.later = nil
		level = append(l.level(level), l.later...)
	}
	slices.SortFunc(l.files, func(a, b deedFile) int {
		return strings.Compare(strings.ReplaceAll(a.Path, "/", "\x00"), strings.ReplaceAll(b.Path, "/", "\x00"))
	})
	return writeJSON(w, l.files)
}

// deedList gathers files where there are too many for all: those near the top first and
// of one depth those in small folders, so that a large folder hides no other one's.
type deedList struct {
	root  *os.Root
	names int // that may still be looked at
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
	for _, at := range paths {
		if len(l.files) < maxDeedFiles && l.names > 0 {
			all = append(all, folder{at, l.read(at)})
		}
	}
	slices.SortStableFunc(all, func(a, b folder) int { return len(a.entries) - len(b.entries) })
	for _, f := range all {
		below = append(below, l.add(f)...)
	}
	return below
}

// read returns what a folder holds, by name. One that can't be read, or was deleted
// meanwhile, is empty.
func (l *deedList) read(at string) []fs.DirEntry {
	f, err := l.root.OpenFile(at, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(l.names)
	l.names -= len(entries)
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") })
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries
}

// add lists the files of a folder, and returns the folders in it.
func (l *deedList) add(f folder) (below []string) {
	for _, e := range f.entries {
		at := path.Join(f.path, e.Name())
		switch {
		case e.IsDir() && slices.Contains(fetched, e.Name()):
			l.later = append(l.later, at)
		case e.IsDir():
			below = append(below, at)
		case e.Type().IsRegular() && len(l.files) < maxDeedFiles:
			if info, err := l.root.Lstat(at); err == nil && info.Mode().IsRegular() {
				l.files = append(l.files, deedFile{at, info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano)})
			}
		}
	}
	return below
}
