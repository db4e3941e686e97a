package sandbox

import (
	"os"
	"path/filepath"

	"vibey/tools/disk/tree"
)

// folder makes a folder that the job needs, and no other command reaches.
func (c Config) folder(name string, j *job) (string, error) {
	dir, err := os.MkdirTemp(c.scratch, name)
	if err == nil {
		j.cleanup(func() string {
			go c.Guard("removing a command's folder", func() error { remove(dir); return nil })
			return ""
		})
	}
	return dir, err
}

// remove removes a folder that a command has filled.
func remove(dir string) {
	root, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return
	}
	defer root.Close()
	tree.Remove(root, filepath.Base(dir))
}
