package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/tools/disk"
	"vibey/tools/sandbox"
)

const (
	deedName = "deed"
	// MainDoc is the doc that leads a project.
	MainDoc = "doc-main.md"
	// makingPrefix begins the name of a project that is being made.
	makingPrefix = ".making-"
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
	if err := s.naming(name, func() error { return s.makeProject(name, deed) }); err != nil {
		return fmt.Errorf("create %s: %w", name, err)
	}
	return nil
}

// naming calls make, which gives a folder that name, when the name is free and
// nothing is kept of the one that had it before.
func (s *Store) naming(name string, make func() error) error {
	remove := func() error { return nil }
	defer func() { // when the lock is free again
		if err := remove(); err != nil {
			s.o.Log.Warn("what was kept of an earlier project of that name could not be removed", "project", name, "err", err)
		}
		s.Sweep()
	}()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.free(name); err != nil {
		return err
	}
	forgotten, err := s.o.Forget(name)
	if err != nil {
		return err
	}
	remove = forgotten
	return make()
}

// free errs with fs.ErrExist where a name is taken, and sets aside what a kill
// left of making one. What another process, or a restore of this one, is building
// right now is locked, and stays.
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
	for _, n := range all {
		if !strings.HasPrefix(n, makingPrefix) {
			continue
		}
		f, err := s.dir.root.Open(n)
		if err == nil {
			if err = lockFile(f); err == nil {
				_, err = SetAside(s.dir.root, n)
			}
			f.Close()
		}
		if err != nil && !errors.Is(err, ErrBusy) {
			s.o.Log.Warn("left-over folder", "name", n, "err", err)
		}
	}
	return nil
}

// Sweep removes what a kill left of making or deleting projects.
func (s *Store) Sweep() {
	if err := Sweep(s.dir.root); err != nil {
		s.o.Log.Warn("a left-over folder could not be removed", "err", err)
	}
}

// making makes the folder in which a project is built. Its lock tells other
// processes that it is no left-over; it goes with the dir.
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
	for file, text := range map[string]string{MainDoc: s.o.Template(name), idName: newID() + "\n"} {
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

// Delete removes a project with all that is in it and all that is kept of it
// elsewhere. A deed that is a link goes, what it points at stays. stop ends the
// project's agents in this process; it is called before the project loses its
// name, and again after that, because one could have begun between the two. Then
// what still holds one of its dialogs gets fs.ErrNotExist. Errors: fs.ErrNotExist;
// ErrElsewhere, where nothing was changed.
func (s *Store) Delete(name string, stop func() error) error {
	p, err := s.Project(name)
	if err == nil {
		err = p.checkElsewhere()
	}
	if err == nil {
		err = stop()
	}
	if err == nil {
		err = p.checkElsewhere() // again: stopping may have taken a second
	}
	var remove func() error
	if err == nil {
		remove, err = s.setAside(p)
	}
	if err != nil {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	if err := errors.Join(stop(), remove()); err != nil {
		return fmt.Errorf("delete %s: the project is deleted, but something of it is left: %w", name, err)
	}
	return nil
}

// setAside takes a project its name and its HOME, and returns what removes them.
func (s *Store) setAside(p *Project) (remove func() error, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st, err := s.dir.lstat(p.name); err != nil || !p.dir.is(st) {
		return nil, fs.ErrNotExist
	}
	forget, err := s.o.Forget(p.name)
	if err != nil {
		return nil, err
	}
	p.gone.Store(true)
	folder, err := SetAside(s.dir.root, p.name)
	if err == nil {
		err = s.dir.sync()
	}
	if err != nil {
		p.gone.Store(false)
		return nil, err
	}
	delete(s.open, p.name)
	return func() error { return errors.Join(folder(), forget()) }, nil
}

// checkElsewhere errs with ErrElsewhere where another process writes one of the
// project's dialogs.
func (p *Project) checkElsewhere() error {
	names, err := p.dir.names()
	if err != nil {
		return err
	}
	for _, n := range names {
		if id, _, ok := dialog.ParseName(n); ok && p.elsewhere(id, n) {
			return fmt.Errorf("%w the dialog %s: stop it there, or wait until it ends", ErrElsewhere, id)
		}
	}
	return nil
}

// elsewhere reports whether another process holds the dialog in file. One that
// only repairs it holds it for a moment.
func (p *Project) elsewhere(id, file string) bool {
	g := p.enter(id)
	defer p.leave(id, g)
	for try := 0; g.holder == nil && try < busyTries; try++ {
		f, err := p.lockPlain(file)
		if !errors.Is(err, ErrBusy) {
			if err == nil {
				disk.Unlock(f)
			}
			return false
		}
		time.Sleep(busyPause)
	}
	return g.holder == nil
}
