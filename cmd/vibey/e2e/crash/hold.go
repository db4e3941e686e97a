package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"vibey/server/project"
)

// holder starts on states and holds the promises against what it finds.
type holder struct {
	key []byte // the install key
	now time.Time
	// dir is where states are laid out; the repaired ones are kept as projects
	// below it for `vibey check`.
	dir  string
	n    int
	seen map[string]int // what was repaired, for the figures
}

// hold lays a state out, starts on it as the program does, and returns every
// promise that is broken.
func (h *holder) hold(s *state) (broken []string) {
	h.n++
	root := filepath.Join(h.dir, "start")
	if err := lay(root, s.tree); err != nil {
		return []string{"the state could not be laid out: " + err.Error()}
	}
	defer os.RemoveAll(root)
	store, err := project.Open(root, project.Options{Now: func() time.Time { return h.now }})
	if err != nil {
		return []string{"the store does not open: " + err.Error()}
	}
	defer store.Close()
	v := &verdict{h: h, s: s, root: root}
	if v.project(store) {
		v.files()
		v.dialogs()
		name := fmt.Sprintf("s%06d", h.n)
		if err := os.Rename(filepath.Join(root, projectName), filepath.Join(h.dir, "checked", name)); err != nil {
			v.say("%v", err)
		}
	}
	return v.broken
}

// lay writes a tree below root.
func lay(root string, t tree) error {
	err := os.MkdirAll(root, 0o755)
	for name, text := range t {
		dir, file := filepath.Split(root + "/" + name)
		if err == nil {
			err = os.MkdirAll(dir, 0o755)
		}
		if err == nil && file != "" {
			err = os.WriteFile(dir+file, []byte(text), 0o644)
		}
	}
	return err
}
