package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"vibey/dialog"
	"vibey/server/project"
)

// whyFile is the file, and the line, that a human names.
type whyFile struct {
	store   *project.Store
	project *project.Project
	path    string // in the project
	line    string // digits, "" for all
}

// find finds FILE[:LINE]. A file whose own name ends so comes first.
func (c *whyCmd) find(arg string) (at whyFile, err error) {
	at, err = c.file(arg)
	if i := strings.LastIndexByte(arg, ':'); err != nil && i > 0 {
		if line := arg[i+1:]; line != "" && strings.Trim(line, "0123456789") == "" {
			at, err = c.file(arg[:i])
			at.line = line
		}
	}
	return at, err
}

// file finds a file by its name in the project that -p names, by its path on the disk, as
// PROJECT/FILE, or by its name alone where one project has it.
func (c *whyCmd) file(arg string) (whyFile, error) {
	if c.Project != "" {
		return c.within(c.Dir, c.Project, arg)
	}
	if dir, name, path, ok := c.onDisk(arg); ok {
		return c.within(dir, name, path)
	}
	head, rest, inProject := strings.Cut(filepath.ToSlash(arg), "/")
	if inProject && project.ValidProject(head) {
		if at, err := c.within(c.Dir, head, rest); err == nil {
			return at, nil
		}
	}
	return c.anywhere(arg)
}

// within is a file of a project in the folder of projects dir.
func (c *whyCmd) within(dir, name, file string) (at whyFile, err error) {
	at.store, err = dirFlag{dir}.namedStore(project.Options{})
	if err != nil {
		return at, err
	}
	if at.project, err = (dirFlag{dir}).namedProject(at.store, name); err == nil {
		at.path, err = c.named(dir, name, file)
	}
	if err != nil {
		at.store.Close()
	}
	return at, err
}

// named returns the path in a project that a human calls file: its own, a doc's without
// doc- and .md, or a path on the disk that leads there.
func (c *whyCmd) named(dir, name, file string) (string, error) {
	clean := path.Clean(filepath.ToSlash(file))
	for _, p := range []string{clean, "doc-" + clean + ".md", clean + ".md"} {
		if isFileOf(filepath.Join(dir, name), p) {
			return p, nil
		}
	}
	if d, n, p, ok := c.onDisk(file); ok && n == name && sameFolder(d, dir) {
		return p, nil
	}
	return "", fmt.Errorf("there is no file %s in project %s", drawnLine(file), name)
}

// isFileOf reports whether path is that of a doc, or of a file of the deed, of a project's
// folder, and a file stands there.
func isFileOf(folder, path string) bool {
	if !ofProject(path) {
		return false
	}
	info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(path)))
	return err == nil && info.Mode().IsRegular()
}

// ofProject reports whether a path can be a doc's, or that of a file of the deed.
func ofProject(path string) bool {
	rest, inDeed := strings.CutPrefix(path, "deed/")
	return inDeed && fs.ValidPath(rest) && rest != "." || !strings.Contains(path, "/") && dialog.ValidFile(path)
}

// anywhere is a file that is named without its project.
func (c *whyCmd) anywhere(arg string) (at whyFile, err error) {
	var found []string
	if store, err := c.namedStore(project.Options{}); err == nil {
		names, _ := store.Projects()
		store.Close()
		for _, name := range names {
			if at, err := c.within(c.Dir, name, arg); err == nil {
				at.store.Close()
				found = append(found, name)
			}
		}
	}
	switch len(found) {
	case 0:
		return at, fmt.Errorf("there is no file %s, on the disk or in a project below %s", drawnLine(arg), c.Dir)
	case 1:
		return c.within(c.Dir, found[0], arg)
	}
	return at, unable{fmt.Errorf("%d projects have a file %s: say which with -p (%s)", len(found), drawnLine(arg), strings.Join(found, ", "))}
}

// onDisk finds the project of a path on the disk: one in the folder of projects, one whose
// deed lies elsewhere and has the file, or the folder above it that looks like one.
func (c *whyCmd) onDisk(arg string) (dir, name, file string, ok bool) {
	info, err := os.Stat(arg)
	if err != nil || !info.Mode().IsRegular() {
		return "", "", "", false
	}
	for _, at := range spellings(arg) {
		for _, root := range spellings(c.Dir) {
			if name, file, ok := inProject(root, at); ok {
				return root, name, file, true
			}
		}
		if name, file, ok := c.inDeed(at); ok {
			return c.Dir, name, file, true
		}
	}
	for _, at := range spellings(arg) {
		for above := filepath.Dir(at); above != filepath.Dir(above); above = filepath.Dir(above) {
			entries, err := os.ReadDir(above)
			if n, f, in := inProject(filepath.Dir(above), at); err == nil && in && isProject(above, entries) {
				dir, name, file, ok = filepath.Dir(above), n, f, true // the outermost
			}
		}
	}
	return dir, name, file, ok
}

// inProject takes an absolute path below a folder of projects apart.
func inProject(root, at string) (name, file string, ok bool) {
	rel, err := filepath.Rel(root, at)
	if err != nil {
		return "", "", false
	}
	name, file, _ = strings.Cut(filepath.ToSlash(rel), "/")
	return name, file, project.ValidProject(name) && ofProject(file)
}

// inDeed finds the project in whose deed a file lies.
func (c *whyCmd) inDeed(at string) (name, file string, ok bool) {
	for _, deed := range deedsOf(c.Dir) {
		real, err := realPath(deed)
		if err != nil {
			continue
		}
		rel, err := filepath.Rel(real, at)
		if file = "deed/" + filepath.ToSlash(rel); err == nil && ofProject(file) {
			return filepath.Base(filepath.Dir(deed)), file, true
		}
	}
	return "", "", false
}
