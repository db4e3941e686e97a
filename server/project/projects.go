package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"vibey/tools/disk"
	"vibey/tools/sandbox"
)

const (
	deedName = "deed"
	mainDoc  = "doc-main.md"
	// What is made and what is deleted has such a name in front while it is in
	// pieces; no project's name begins with a dot.
	makingPrefix  = ".making-"
	removedPrefix = ".removed-"
)

// Projects lists the projects' names, sorted.
func (s *Store) Projects() ([]string, error) {
	all, err := s.dir.names()
	if err != nil {
		return nil, fmt.Errorf("list projects: %w", err)
	}
	names := []string{}
	for _, n := range all {
		if !ValidProject(n) {
			continue
		}
		if st, err := s.dir.lstat(n); err == nil && st.folder {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Create makes a project with an id, a doc-main.md and a deed: an empty folder, or a
// link to the absolute, existing folder deed. The project appears whole or not
// at all. Errors: ErrName, ErrDeed, and fs.ErrExist where the name is taken, be
// it in other letters' case.
func (s *Store) Create(name, deed string) error {
	if !ValidProject(name) {
		return fmt.Errorf("project %q: %w: use letters, digits, - _ . (not first), at most 100", name, ErrName)
	}
	if err := s.checkDeed(deed); err != nil {
		return fmt.Errorf("create %s: %w", name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.free(name)
	if err == nil {
		err = s.o.Forget(name)
	}
	if err == nil {
		err = s.makeProject(name, deed)
	}
	if err != nil {
		return fmt.Errorf("create %s: %w", name, err)
	}
	return nil
}

// free errs with fs.ErrExist where a name is taken, and sweeps.
func (s *Store) free(name string) error {
	all, err := s.dir.names()
	if err != nil {
		return err
	}
	for _, n := range all {
		if strings.EqualFold(n, name) {
			return fmt.Errorf("there is %s: %w", n, fs.ErrExist)
		}
	}
	s.sweep(all)
	return nil
}

// making makes the folder in which a project is built. Its lock tells other
// processes that somebody is building there; it goes with the dir.
func (s *Store) making(name string) (*dir, error) {
	making := makingPrefix + name
	if err := s.dir.root.Mkdir(making, 0o755); err != nil {
		return nil, err
	}
	root, err := s.dir.root.OpenRoot(making)
	if err != nil {
		return nil, err
	}
	d, err := newDir(root)
	if err != nil {
		return nil, err
	}
	if err := lockFile(d.self); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

func (s *Store) makeProject(name, deed string) (err error) {
	d, err := s.making(name)
	if err != nil {
		return err
	}
	defer d.close()
	defer func() {
		if err != nil {
			sandbox.RemoveTree(s.dir.root, makingPrefix+name)
		}
	}()
	if deed == "" {
		err = d.root.Mkdir(deedName, 0o755)
	} else {
		err = d.root.Symlink(deed, deedName)
	}
	if err != nil {
		return err
	}
	for file, text := range map[string]string{mainDoc: s.o.Template(name), idName: newID() + "\n"} {
		_, err := disk.Change(d.root, file, createMode, func(*os.File) ([]byte, error) { return []byte(text), nil })
		if err != nil {
			return err
		}
	}
	if err := d.sync(); err != nil {
		return err
	}
	if err := s.dir.rename(makingPrefix+name, name); err != nil {
		return err
	}
	return s.dir.sync()
}

// Delete removes a project with all that is in it. A deed that is a link goes,
// what it points at stays. The caller has stopped the project's agents; what
// still holds one of its dialogs gets fs.ErrNotExist from then on.
func (s *Store) Delete(name string) error {
	if _, err := s.Project(name); err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.open[name]; p != nil {
		p.gone.Store(true)
		delete(s.open, name)
	}
	all, err := s.dir.names()
	if err != nil {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	s.sweep(all)
	removed := removedPrefix + name
	err = s.dir.rename(name, removed)
	if errors.Is(err, unix.EEXIST) || errors.Is(err, unix.ENOTEMPTY) { // what sweep could not remove
		removed, err = name, nil
	}
	if err != nil {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	if err := s.dir.sync(); err != nil {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	if err := errors.Join(sandbox.RemoveTree(s.dir.root, removed), s.o.Forget(name)); err != nil {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	return nil
}

// sweep removes what a kill left of creating or deleting a project. What another
// process, or a restore of this one, is building right now is locked, and stays.
func (s *Store) sweep(names []string) {
	for _, n := range names {
		if !strings.HasPrefix(n, makingPrefix) && !strings.HasPrefix(n, removedPrefix) {
			continue
		}
		f, err := s.dir.root.Open(n)
		if err == nil {
			if err = lockFile(f); err == nil {
				err = sandbox.RemoveTree(s.dir.root, n)
			}
			f.Close()
		}
		if err != nil && !errors.Is(err, ErrBusy) {
			s.o.Log.Warn("left-over folder", "name", n, "err", err)
		}
	}
}
