package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/server/project"
)

type fmtCmd struct {
	stateFlag
	Path []string `arg:"" help:"Dialog files, projects, or folders of projects."`
}

func (c *fmtCmd) Help() string {
	return "Tells what it changed, a line a file. A dialog that is being written is left alone. No word of a text is lost."
}

// Run rewrites the dialogs that are not canonical.
func (c *fmtCmd) Run(to streams) error {
	s, err := c.look(to.err)
	if err != nil {
		return err
	}
	failed := false
	for _, path := range c.Path {
		files, err := dialogFiles(path)
		if err != nil {
			return unable{err}
		}
		for _, file := range files {
			changed, err := rewrite(file, s.dir)
			if err != nil {
				fmt.Fprintf(to.err, "vibey: %s: %s\n", file, words(err))
				failed = true
			} else if len(changed) > 0 {
				fmt.Fprintf(to.out, "%s: %s\n", file, strings.Join(changed, ", "))
			}
		}
	}
	if failed {
		return exit(1)
	}
	return nil
}

// dialogFiles returns the dialogs that path names: itself, or those below it.
func dialogFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		if _, _, ok := dialog.ParseName(filepath.Base(path)); !ok {
			return nil, fmt.Errorf("%s is no dialog: its name is not dialog-<YYYYMMDD-HHmmss>-<slug>-<active|waiting|done>.md", path)
		}
		return []string{path}, nil
	}
	var files []string
	for _, pattern := range []string{"dialog-*.md", "*/dialog-*.md"} {
		found, err := fs.Glob(os.DirFS(path), pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range found {
			if _, _, ok := dialog.ParseName(filepath.Base(name)); ok {
				files = append(files, filepath.Join(path, name))
			}
		}
	}
	slices.Sort(files)
	return files, nil
}

// rewrite replaces one dialog by its canonical form, and returns what it changed.
func rewrite(path, stateDir string) (changed []string, err error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(abs)
	store, err := project.Open(filepath.Dir(dir), project.Options{State: stateDir})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	p, err := store.Project(listedName(dir))
	if err != nil {
		return nil, err
	}
	id, _, _ := dialog.ParseName(listedName(abs))
	now, err := p.ReadDialog(id) // it marks what a kill tore, so that half a call does not become a whole one
	if err != nil {
		return nil, err
	}
	if now.Status == dialog.Active {
		return nil, errWritten
	}
	name := now.Filename
	f, err := p.ReadFile(name)
	if err != nil {
		return nil, err
	}
	text, changed, err := canonical(f.Content, id, now.Status)
	if err != nil || len(changed) == 0 {
		return nil, err
	}
	_, err = p.WriteFile(name, text, f.ETag)
	switch {
	case errors.Is(err, project.ErrActive):
		return nil, errWritten
	case errors.Is(err, project.ErrConflict):
		return nil, errors.New("it was changed at the same moment; nothing of that was touched. Try again")
	}
	return changed, err
}

var errWritten = errors.New("it is being written; nothing was changed. Try again when it waits or is done")

// canonical returns a dialog's text in canonical form, with what a hand-written one
// lacks. changed lists what was added, and is empty for a canonical text. The error is
// a text of which something would be lost.
func canonical(text, id string, st dialog.Status) (out string, changed []string, err error) {
	d := dialog.Parse(text)
	for _, p := range d.Problems {
		if p.Rule == "field" {
			return "", nil, fmt.Errorf("line %d: %s; written anew it would be lost. Nothing was changed", p.Line, p.Text)
		}
	}
	before := content(d)
	f := filler{d: d}
	f.header(id, st)
	f.sections()
	out = dialog.Format(d)
	if out == text {
		return out, nil, nil
	}
	again := dialog.Parse(out)
	if !slices.Equal(content(again), before) || dialog.Format(again) != out {
		return "", nil, errors.New("it is written so that its text would not come back as it is; nothing was changed. `vibey check` tells the lines to look at")
	}
	return out, f.told(), nil
}

// content returns all texts of a dialog that canonical must keep.
func content(d *dialog.Dialog) []string {
	out := []string{d.Header.Loose}
	for i := range d.Sections {
		s := &d.Sections[i]
		out = append(out, string(s.Role), s.Loose)
		for _, p := range s.Payloads {
			out = append(out, p.Type, p.Text)
		}
		for _, m := range s.Meta {
			out = append(out, m.Key, m.Value)
		}
	}
	return out
}
