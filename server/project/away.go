package project

import "vibey/tools/disk"

// AwayError is a folder that was unmounted, moved or renamed while it was held open: the
// projects', a project's, or the state dir.
type AwayError = disk.AwayError

// ErrAway is of the kind of every *AwayError.
var ErrAway = disk.ErrAway

// Stands returns an *AwayError unless the folder of projects, and what Options.Stands
// looks at, are where they were found. Whoever writes asks it before, and once more before
// the write is acknowledged.
func (s *Store) Stands() error {
	if err := s.place.Stands(); err != nil {
		return err
	}
	return s.o.Stands()
}

// StandsWith is Stands, also for the project of that name, if there is one or was.
func (s *Store) StandsWith(name string) error {
	if p := s.opened(name); p != nil {
		return p.Stands()
	}
	return s.Stands()
}

// Moved returns the open project whose folder had that name and was moved or renamed since,
// nil if there is none. Its methods that write return ErrAway.
func (s *Store) Moved(name string) *Project {
	if p := s.opened(name); p != nil && p.moved() {
		return p
	}
	return nil
}

// opened returns the open project of that name, or nil.
func (s *Store) opened(name string) *Project {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[name]
}

// Stands is Store.Stands, also for the project's folder. One that was removed does not
// count: what is looked for in it is not found.
func (p *Project) Stands() error {
	if err := p.store.Stands(); err != nil {
		return err
	}
	if !p.moved() || p.gone.Load() {
		return nil
	}
	return &AwayError{What: "the project " + p.name}
}

// moved reports whether the project's folder has another name by now, or lies elsewhere.
func (p *Project) moved() bool {
	st, err := p.store.dir.Lstat(p.name)
	return (err != nil || !p.dir.Is(st)) && p.dir.Linked()
}
