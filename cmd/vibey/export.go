package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"vibey/server/project"
	"vibey/vibey"
)

type exportCmd struct {
	dirFlag
	stateFlag
	Project string `short:"p" required:"" help:"The project."`
	Scope   string `help:"How much: docs; dialogs, with the docs; or all, with the deed." enum:"docs,dialogs,all" default:"all"`
	File    string `arg:"" help:"The zip to write. It must not be there yet."`
}

func (c *exportCmd) Help() string {
	return "Locks, keys and responses that are just being written are not in the zip. It may be larger than what a browser can upload; `vibey import` takes it. Whatever else it lacks and is not hidden, such as a link, a folder beside the deed, or a file that import would refuse, is named on stderr and in the zip's LEFT-OUT.txt: exit code 1."
}

// Run writes the zip to a temporary file beside its place, and renames it when it is
// whole.
func (c *exportCmd) Run(to streams) (err error) {
	s, err := c.look(to.err)
	if err != nil {
		return err
	}
	store, err := c.namedStore(project.Options{State: s.dir})
	if err != nil {
		return err
	}
	defer store.Close()
	p, err := c.namedProject(store, c.Project)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(c.File); !errors.Is(err, fs.ErrNotExist) {
		return unable{fmt.Errorf("%s is there already, or can't be looked at; nothing was written. Choose another name", c.File)}
	}
	out, err := os.CreateTemp(filepath.Dir(c.File), "."+filepath.Base(c.File)+"-*")
	if err != nil {
		return unable{err}
	}
	defer os.Remove(out.Name()) // it is missing after the rename
	defer out.Close()
	leftOut, err := p.Snapshot(out, project.Scope(c.Scope))
	if err != nil {
		return unable{fmt.Errorf("%w; no zip was made", err)}
	}
	if err := out.Sync(); err != nil {
		return unable{err}
	}
	if err := os.Rename(out.Name(), c.File); err != nil {
		return unable{err}
	}
	for _, l := range leftOut {
		fmt.Fprintf(to.err, "%s: not in the zip: %s\n", drawnLine(l.File), drawn(l.Why))
	}
	if n := len(leftOut); n > 0 {
		return fmt.Errorf("%s holds the project but for %s; rename or split what is named, or move it into deed/, and export again", c.File, counted(int64(n), "file or folder", "files and folders"))
	}
	return nil
}

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
