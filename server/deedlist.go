package server

import (
	"io/fs"
	"net/http"
	"os"
	"strings"
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

// listDeed tells the files of the deed in the order of their paths. Links are not
// followed, and names that begin with a dot are left out, with all that lies below.
func (s *server) listDeed(w http.ResponseWriter, _ *http.Request, p *project.Project) error {
	files := []deedFile{}
	dir, err := p.DeedDir()
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	seen := 0
	err = fs.WalkDir(root.FS(), ".", func(path string, e fs.DirEntry, err error) error {
		seen++
		switch {
		case len(files) == maxDeedFiles || seen > 100*maxDeedFiles:
			return fs.SkipAll
		case path == ".":
			return err
		case strings.HasPrefix(e.Name(), "."):
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case err != nil || !e.Type().IsRegular():
			return nil // a folder that can't be read, or was deleted meanwhile, is empty
		}
		if info, err := e.Info(); err == nil {
			files = append(files, deedFile{path, info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano)})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return writeJSON(w, files)
}
