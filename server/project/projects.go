package project

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"vibey/dialog"
)

const (
	deedName = "deed"
	// MainDoc is the doc that leads a project.
	MainDoc = "doc-main.md"
)

// Projects lists the projects' names, sorted.
func (s *Store) Projects() ([]string, error) {
	names, err := s.dir.Names()
	if err != nil {
		return nil, fmt.Errorf("list projects: %w", err)
	}
	names = slices.DeleteFunc(names, func(n string) bool {
		if !ValidProject(n) {
			return true
		}
		st, err := s.dir.Lstat(n)
		return err != nil || !st.Folder
	})
	slices.Sort(names)
	return names, nil
}

// All returns the projects, by name. One that can't be opened, as if it was deleted since
// it was listed, is left out.
func (s *Store) All() (all []*Project, err error) {
	names, err := s.Projects()
	for _, name := range names {
		if p, err := s.Project(name); err == nil {
			all = append(all, p)
		}
	}
	return all, err
}

// Create makes a project with an id, a doc-main.md and a deed: an empty folder, or a
// link to the absolute, existing folder deed. The project appears whole or not
// at all. Errors: ErrName, ErrDeed, and fs.ErrExist if the name, or one that
// differs only in case, is taken.
func (s *Store) Create(name, deed string) error { return s.create(name, name, deed) }

// create is Create with what the heading of doc-main.md says, as markdown.
func (s *Store) create(name, heading, deed string) (err error) {
	if !ValidProject(name) {
		return fmt.Errorf("project %q: %w: use letters, digits, - _ . (not first), at most 100", name, ErrName)
	}
	defer wrap(&err, "create %s", name)
	if err := s.checkDeed(deed); err != nil {
		return err
	}
	return s.build(name, func(b *builder) error { return b.complete(deed, s.o.Template(heading), time.Time{}) })
}

// Listed returns the name under which the store's folder lists the project that was made
// as name: some disks keep another spelling.
func (s *Store) Listed(name string) string {
	if listed, err := s.dir.Spelled(name); err == nil {
		return listed
	}
	return name
}

// ValidProject reports whether name can be a project's: a letter, digit, _ or -,
// then at most 99 of these and dots, and no "..".
func ValidProject(name string) bool {
	return len(name) >= 1 && len(name) <= 100 && name[0] != '.' && dialog.SimpleName(name)
}

// Sweep removes what a kill left of making or deleting projects.
func (s *Store) Sweep() {
	s.locks().Sweep()
	if err := Sweep(s.dir.Root()); err != nil {
		s.o.Log.Warn("a left-over folder could not be removed", "err", err)
	}
}

// Delete removes a project with all its files and with what Options.Forget
// removes. A deed that is a link is removed, its target stays. stop ends the
// project's agents and servers in this process; it is called first, and again after
// the project is renamed away, because one could have begun between the two. A
// DialogFile that is still open then returns fs.ErrNotExist. Errors:
// fs.ErrNotExist; ErrElsewhere, after which all was stopped and nothing removed.
func (s *Store) Delete(name string, stop func() error) error {
	p, err := s.Project(name)
	if err == nil {
		err = s.locks().Check() // without locks it is not known who writes it
	}
	if err == nil {
		err = stop()
	}
	if err == nil {
		err = p.checkElsewhere()
	}
	var aside Aside
	if err == nil {
		aside, err = s.setAside(p)
	}
	if err != nil {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	err = errors.Join(stop(), aside.Remove())
	s.locks().Sweep()
	if err != nil {
		return fmt.Errorf("delete %s: %w: %w", name, ErrLeft, err)
	}
	return nil
}

// setAside renames a project's folder and HOME, so that its name is free: both, or
// none. From then on the project's methods fail with fs.ErrNotExist.
func (s *Store) setAside(p *Project) (Aside, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := p.Stands(); err != nil {
		return Aside{}, err
	}
	if st, err := s.dir.Lstat(p.name); err != nil || !p.dir.Is(st) {
		return Aside{}, fs.ErrNotExist
	}
	homes, err := s.o.Forget(p.name)
	if err != nil {
		return Aside{}, err
	}
	p.gone.Store(true)
	folder, err := SetAside(s.dir.Root(), p.name)
	if err != nil {
		p.gone.Store(false)
		return Aside{}, errors.Join(err, homes.Back())
	}
	if err = s.dir.Sync(); err == nil {
		err = s.Stands()
	}
	if err != nil {
		err = errors.Join(err, folder.Back(), homes.Back())
		p.gone.Store(false)
		return Aside{}, err
	}
	s.drop(p.name)
	return Aside{Remove: func() error { return errors.Join(folder.Remove(), homes.Remove()) }}, nil
}

// checkElsewhere returns ErrElsewhere if another process is writing one of the
// project's dialogs.
func (p *Project) checkElsewhere() error {
	names, err := p.dir.Names()
	if err != nil {
		return err
	}
	for _, n := range names {
		if id, _, ok := dialog.ParseName(n); ok {
			if by, held := p.elsewhere(id); held {
				return &elsewhereError{by, id}
			}
		}
	}
	return nil
}

// elsewhereError is ErrElsewhere with who writes which dialog.
type elsewhereError struct{ by, id string }

func (e *elsewhereError) Error() string {
	return e.by + " is writing the dialog " + e.id + ": stop it there, or wait until it ends"
}
func (e *elsewhereError) Unwrap() error { return ErrElsewhere }

// elsewhere reports whether another process holds the lock of a dialog, and which, see
// HolderOf.
func (p *Project) elsewhere(id string) (by string, held bool) {
	g := p.enter(id)
	defer p.leave(id, g)
	if g.holder != nil || !p.held(id) {
		return "", false
	}
	lock, err := p.try(id)
	if err == nil {
		lock.Release()
		return "", false
	}
	return HolderOf(err), true
}
