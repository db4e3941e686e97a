package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"vibey/server/project"
	"vibey/vibey"
)

type importCmd struct {
	dirFlag
	stateFlag
	File string `arg:"" help:"The zip, as export and the window make it."`
	Name string `arg:"" help:"The new project's name."`
}

func (c *importCmd) Help() string {
	return "The project is there whole or not at all. Approvals in it do not count any more: what a dialog still wants is asked again. Hooks and programs in git's config are disarmed, and told. A zip with links, with paths that lead elsewhere, or with more in it than the disk has room for, is refused."
}

// Run makes the project. A server that runs on the folder shows it at once.
func (c *importCmd) Run(to streams) error {
	if !project.ValidProject(c.Name) {
		return unable{fmt.Errorf("%q can't be a project's name: letters, digits, _, - and dots, 100 at most, no dot in front and no two in a row", c.Name)}
	}
	s, err := c.look(to.err)
	if err != nil {
		return err
	}
	key, err := s.keyIfMade(io.Discard) // a state without a key has approved nothing
	if err != nil {
		return unable{err}
	}
	f, err := os.Open(c.File)
	if err != nil {
		return unable{err}
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", c.File)
	}
	if err != nil {
		return unable{err}
	}
	store, err := project.Open(c.Dir, project.Options{Template: vibey.Template, State: s.dir, Stands: s.stands, Forget: s.forget})
	if err != nil {
		return unable{err}
	}
	defer store.Close()
	disarmed, err := store.Restore(c.Name, f, info.Size(), project.DiskLimits, key)
	var bad *project.ZipError
	switch {
	case errors.As(err, &bad):
		return fmt.Errorf("%s: %s; nothing was made", c.File, drawn(bad.Error()))
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("there is a project %s already, perhaps in other capitals; nothing was made. Choose another name", c.Name)
	case err != nil:
		return unable{fmt.Errorf("%w; nothing was made", err)}
	}
	for _, d := range disarmed {
		fmt.Fprintf(to.out, "git would have run what stood in the zip: %s\n", drawnLine(d))
	}
	return nil
}
