package view

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/why"
	"vibey/server/project"
	"vibey/tools"
	"vibey/tools/disk"
)

// whyMost is how many bytes of a file are read for its history.
const whyMost = 64 << 20

// Why returns who brought each line of a file of p in, and what the file holds. path is that
// of a doc, or of a file of the deed. It reads the project's files alone, and changes none.
// Without a key Macs are not judged. Errors: fs.ErrNotExist, project.ErrTooLarge.
func Why(p *project.Project, path string, key []byte) (h why.History, present []byte, err error) {
	if present, err = readPresent(p, path); err != nil {
		return h, nil, err
	}
	src := why.Source{
		Path: path, Present: present, Authority: grant.Authority{Key: key, Project: p.Name()},
		// Where links led when a call ran is not known any more: a path is taken as it is.
		Policy: grant.Policy{NeverBlanket: tools.NeverBlanket, Path: tools.Named, Real: tools.Named, Layers: func() bool { return true }},
		Kept: func(sha string) ([]byte, bool) {
			b, err := p.Kept(sha)
			return b, err == nil
		},
	}
	src.Saves = func(path string) []why.Save {
		text, err := p.Saves(path)
		if err != nil {
			return nil
		}
		return why.ParseSaves(text, src.Authority, path)
	}
	src.Dialogs, err = dialogsAbout(p, path)
	if err != nil {
		return h, nil, err
	}
	return why.Of(src), present, nil
}

// History is Why for this installation.
func (r *Reader) History(p *project.Project, path string) (why.History, []byte, error) {
	return Why(p, path, r.w.Key)
}

// readPresent reads a doc, or a file of the deed, wherever that lies.
func readPresent(p *project.Project, path string) ([]byte, error) {
	rest, inDeed := strings.CutPrefix(path, "deed/")
	if !inDeed {
		if _, _, isDialog := dialog.ParseName(path); isDialog {
			return nil, fmt.Errorf("%s is a dialog, and no doc: %w", path, fs.ErrNotExist)
		}
		if !dialog.ValidFile(path) {
			return nil, fmt.Errorf("%q is neither a doc nor a file of the deed: %w", path, fs.ErrNotExist)
		}
		f, err := p.ReadFile(path)
		return []byte(f.Content), err
	}
	dir, err := p.DeedDir()
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, disk.Cause(err)
	}
	defer root.Close()
	f, err := disk.Open(root, rest)
	if other, ok := errors.AsType[*disk.NotFileError](err); ok {
		err = &notFileError{path, other.Kind()}
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, whyMost+1))
	if len(b) > whyMost {
		err = project.ErrTooLarge
	}
	return b, err
}

// notFileError is something else where a file is asked about: there is no such file, and the
// words say what stands there.
type notFileError struct{ path, kind string }

func (e *notFileError) Error() string        { return e.path + " is " + e.kind + ", not a file" }
func (e *notFileError) Is(target error) bool { return target == fs.ErrNotExist }

// errNotAbout is of a dialog's text that says nothing of a file.
var errNotAbout = errors.New("it does not name the file")

// dialogsAbout returns the dialogs that changed a file, under this path or an earlier one. One
// that only names it is parsed once, and not read again for as long as its file stays as it is.
func dialogsAbout(p *project.Project, path string) (all []why.Dialog, err error) {
	names, err := p.Files()
	if err != nil {
		return nil, err
	}
	inDeed := strings.HasPrefix(path, "deed/")
	texts := map[string]string{} // of those that may be about an earlier path: only a file of the deed is moved
	for _, name := range names {
		id, _, ok := dialog.ParseName(name)
		if !ok {
			continue
		}
		var text string
		var d *dialog.Dialog
		paths, err := p.PathsIn(name, func(read string) ([]string, error) {
			if text = read; !why.About(text, []string{path}) {
				return nil, errNotAbout
			}
			d = dialog.Parse(text)
			return why.Paths(d), nil
		})
		changed := slices.Contains(paths, path)
		if d == nil && (changed || inDeed && err == nil && len(paths) > 0) { // they were known
			var f project.File
			if f, err = p.ReadFile(name); err == nil {
				if text = f.Content; changed {
					d = dialog.Parse(text)
				}
			}
		}
		switch {
		case errors.Is(err, fs.ErrNotExist): // renamed since: it is being written
		case err != nil && err != errNotAbout:
			return nil, err
		case changed:
			all = append(all, why.Dialog{ID: id, D: d})
		case inDeed && text != "":
			texts[id] = text
		}
	}
	paths := []string{path}
	for more := paths; len(more) > 0 && len(texts) > 0; {
		var earlier []string
		for _, d := range all {
			earlier = append(earlier, why.Earlier(d.D, more)...)
		}
		more = slices.DeleteFunc(earlier, func(path string) bool { return slices.Contains(paths, path) })
		paths = append(paths, more...)
		for id, text := range texts {
			if why.About(text, more) {
				all = append(all, why.Dialog{ID: id, D: dialog.Parse(text)})
				delete(texts, id)
			}
		}
	}
	return all, nil
}
