package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"vibey/server/project"
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
