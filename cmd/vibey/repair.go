package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"vibey/server/project"
)

type repairCmd struct {
	stateFlag
	Path string `arg:"" help:"A folder of projects, or a project."`
}

func (c *repairCmd) Help() string {
	return "Closes what a kill left, lets interrupted dialogs wait, and parts two files of one dialog; a line a file. No text is deleted. Exit code: 0 nothing is left to do, 1 a human must decide something, 2 it could not run."
}

// Run repairs and prints. What it leaves to a human is on stdout too, in the same list.
func (c *repairCmd) Run(to streams) error {
	root, names, err := projectsAt(c.Path)
	if err != nil {
		return unable{err}
	}
	s, err := c.look(to.err)
	if err != nil {
		return err
	}
	store, err := project.Open(root, project.Options{State: s.dir})
	if err != nil {
		return unable{err}
	}
	defer store.Close()
	left := false
	for _, name := range names {
		p, err := store.Project(name)
		if err != nil {
			return unable{err}
		}
		mended, err := p.Repair()
		if err != nil {
			return unable{err}
		}
		for _, m := range mended {
			file := drawnLine(filepath.Join(root, name, m.File))
			if m.Did != "" {
				fmt.Fprintf(to.out, "%s: repaired: %s\n", file, drawn(m.Did))
			}
			if m.Left != "" {
				fmt.Fprintf(to.out, "%s: left: %s\n", file, drawn(m.Left))
				left = true
			}
		}
	}
	if left {
		return exit(1)
	}
	return nil
}

// projectsAt returns the projects that a path names, itself or those in it, and the
// folder that they are in, as the path was written.
func projectsAt(path string) (root string, names []string, err error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return "", nil, err
	}
	if isProject(path, entries) {
		name, err := filepath.Abs(path)
		if name = listedName(name); err == nil && !project.ValidProject(name) {
			err = errors.New(path + " can't be a project's folder: its name has letters, digits, _, - and dots, 100 at most, no dot in front and no two in a row")
		}
		return filepath.Join(path, ".."), []string{name}, err
	}
	for _, e := range entries {
		if e.Type()&fs.ModeType == fs.ModeDir && project.ValidProject(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return path, names, nil
}
