package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"vibey/dialog"
	"vibey/server/project"
	"vibey/tools/disk"
)

// namedStore opens the folder of projects for a verb that makes none.
func (f dirFlag) namedStore(o project.Options) (*project.Store, error) {
	if _, err := os.Stat(f.Dir); err != nil {
		return nil, unable{fmt.Errorf("there is no folder of projects %s: name it with --dir", f.Dir)}
	}
	store, err := project.Open(f.Dir, o)
	if err != nil {
		return nil, unable{err}
	}
	return store, nil
}

// namedProject opens the project that a human names.
func (f dirFlag) namedProject(store *project.Store, name string) (*project.Project, error) {
	p, err := store.Project(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("there is no project %q in %s", name, f.Dir)
		names, _ := store.Projects()
		if like := disk.Listed(names, name); like != "" {
			err = fmt.Errorf("%w; there is %q", err, like)
		}
	}
	if err != nil {
		return nil, unable{err}
	}
	return p, nil
}

// namedDialog finds the dialog that a human names: by its file, as PROJECT/ID, or
// by its id alone where only one project has it. A file's status may have changed
// since: it is not part of the id.
func (f dirFlag) namedDialog(arg string) (name, id string, err error) {
	store, err := f.namedStore(project.Options{})
	if err != nil {
		return "", "", err
	}
	defer store.Close()
	if name, id, err = f.parts(store, arg); err != nil {
		return "", "", err
	}
	p, err := f.namedProject(store, name)
	if err != nil {
		return "", "", err
	}
	if _, err := p.ReadDialog(id); errors.Is(err, fs.ErrNotExist) {
		return "", "", unable{fmt.Errorf("project %s has no dialog %s", name, id)}
	}
	return name, id, nil
}

// parts takes a dialog's name apart.
func (f dirFlag) parts(store *project.Store, arg string) (name, id string, err error) {
	head, tail := filepath.Split(filepath.Clean(arg))
	id = tail
	if i, _, ok := dialog.ParseName(tail); ok {
		id = i
	}
	if !dialog.ValidID(id) {
		return "", "", unable{fmt.Errorf("%q names no dialog: say its file, PROJECT/ID, or its id, such as 20260216-201100-read-vibey", arg)}
	}
	if head == "" {
		if _, err := os.Lstat(arg); err == nil { // the file, and we stand in its project
			head = "."
		} else {
			return onlyProject(store, id)
		}
	}
	folder, err := filepath.Abs(head)
	if err != nil {
		return "", "", unable{err}
	}
	if _, err := os.Stat(folder); err == nil && sameFolder(filepath.Dir(folder), f.Dir) {
		return filepath.Base(folder), id, nil
	}
	if name = filepath.Clean(head); project.ValidProject(name) {
		return name, id, nil
	}
	return "", "", unable{fmt.Errorf("%s is not in a project below %s: name the folder of projects with --dir", arg, f.Dir)}
}

func sameFolder(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// onlyProject finds the one project that has a dialog of that id.
func onlyProject(store *project.Store, id string) (name, _ string, err error) {
	all, err := store.All()
	if err != nil {
		return "", "", unable{err}
	}
	var found []string
	for _, p := range all {
		if _, err := p.ReadDialog(id); !errors.Is(err, fs.ErrNotExist) {
			found = append(found, p.Name())
		}
	}
	switch len(found) {
	case 0:
		return "", "", unable{fmt.Errorf("no project has a dialog %s", id)}
	case 1:
		return found[0], id, nil
	}
	return "", "", unable{fmt.Errorf("%d projects have a dialog %s: say which, as PROJECT/ID (%s)", len(found), id, strings.Join(found, ", "))}
}
