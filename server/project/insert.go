package project

import (
	"fmt"
	"slices"

	"vibey/dialog"
)

// Insert appends the section that next makes, whether or not a turn of this process
// holds the dialog; with ok false it appends nothing. A holder goes on without the
// section, and has it in Dialog from its own next append or Refresh on: what changes the
// history must not be inserted while a request is made. Its id must be none
// that a turn gives; taken reports whether the dialog has one. When Insert returns nil
// the section outlives a power cut. Errors: as of OpenDialog and Append; ErrConflict
// where another program changed the file and the holder has not read that yet.
func (p *Project) Insert(id string, next func(taken func(id string) bool) (s dialog.Section, ok bool)) error {
	g := p.enter(id)
	defer p.leave(id, g)
	f := g.holder
	if f == nil {
		var err error
		if f, err = p.openIdle(id, g); err != nil {
			return fmt.Errorf("open dialog %s: %w", id, err)
		}
		defer f.free()
	}
	return f.insert(next)
}

// insert is Insert for an open dialog. What a holder parsed belongs to the turn's goroutine,
// so that the section is written now, and refresh adds it there.
func (f *DialogFile) insert(next func(taken func(id string) bool) (s dialog.Section, ok bool)) (err error) {
	defer wrap(&err, "append to %s", f.id)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err = f.usable(); err == nil {
		err = f.resolveDoubt()
	}
	if err != nil {
		return err
	}
	if now, err := f.p.dir.Lstat(f.name()); err != nil || now != f.at {
		return fmt.Errorf("another program has just saved its file: %w", ErrConflict)
	}
	s, ok := next(f.hasID)
	if !ok {
		return nil
	}
	secs, err := f.checked([]dialog.Section{s})
	if err == nil {
		err = f.write(f.d.Encode(secs...))
	}
	if err != nil {
		return err
	}
	f.inserted = append(f.inserted, secs...)
	return nil
}

// hasID reports whether a section of the file has that id. The caller must hold f.mu.
func (f *DialogFile) hasID(id string) bool {
	return f.d.HasID(id) || slices.ContainsFunc(f.inserted, func(s dialog.Section) bool { return s.ID == id })
}
