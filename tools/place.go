package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"vibey/tools/disk"
	"vibey/tools/git"
)

// place is one file of the project and its open folder. There is no link between
// the two, so that a link made after find cannot redirect the write.
type place struct {
	name string // in results: "doc-notes.md", "deed/src/app.js"
	base string // its name in dir, "" for the folder dir itself (findAny)
	dir  *os.Root
	open []*os.Root // folders opened on the way, to be closed

	linked bool // a link was followed on the way
}

// lstat returns what stands under the file's very name: the error is fs.ErrNotExist if the
// folder lists it in another spelling.
func (p *place) lstat() (fs.FileInfo, error) {
	listed, err := disk.Spelled(p.dir, p.base)
	if err == nil && listed != p.base {
		err = fmt.Errorf("%s is listed as %s: %w", p.base, listed, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	return p.dir.Lstat(p.base)
}

// spelled returns the name under which dir lists what it opens as name; name itself where
// that is nothing.
func spelled(dir *os.Root, name string) string {
	if listed, err := disk.Spelled(dir, name); err == nil {
		return listed
	}
	return name
}

// file opens the file for reading, under its very name as lstat does.
func (p *place) file() (*os.File, error) {
	if _, err := p.lstat(); err != nil {
		return nil, err
	}
	return disk.Open(p.dir, p.base)
}

func (p *place) close() {
	for _, r := range p.open {
		r.Close()
	}
}

// find returns the place of a path that a call names. With create it makes missing
// folders below deed. Its errors are in words for the model.
func find(env Env, given string, create bool) (*place, error) {
	clean, err := cleanPath(env, given)
	if err != nil {
		return nil, err
	}
	return locate(env, given, clean, create)
}

// locate is find for a path that was checked and cleaned.
func locate(env Env, given, clean string, create bool) (*place, error) {
	p, err := locateAny(env, given, clean, create)
	if err == nil && p.base == "" {
		p.close()
		return nil, refuse("the path leads to a folder. Name a file in it.")
	}
	return p, err
}

// locateAny is locate, also for a path that leads to a folder by a link.
func locateAny(env Env, given, clean string, create bool) (*place, error) {
	below, inDeed := strings.CutPrefix(clean, "deed/")
	if !inDeed {
		return findDoc(env, given, clean)
	}
	deed, err := openDeed(env, create)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &missingError{clean, err}
	}
	if err != nil {
		return nil, err
	}
	w := walk{given: given, stack: []*os.Root{deed}, create: create}
	base, err := w.to(strings.Split(below, "/"))
	if err == nil {
		name := path.Join(append(append([]string{"deed"}, w.names...), base)...)
		return &place{name: name, base: base, dir: w.top(), open: w.stack, linked: w.links > 0}, nil
	}
	w.close()
	if w.missing != nil && errors.Is(err, fs.ErrNotExist) {
		return nil, &missingError{path.Join(append([]string{"deed"}, w.missing...)...), err}
	}
	if errors.Is(err, errLeaves) {
		suggestion := "deed/" + path.Base(clean)
		if suggestion == clean {
			suggestion = "deed/new-" + path.Base(clean)
		}
		return nil, outside(env, given, suggestion)
	}
	return nil, err
}

// notOfGit refuses a file of the deed that git runs, or takes settings from, because
// a human's config or link leads there.
func (p *place) notOfGit(ctx context.Context, env Env, given string) error {
	name, inDeed := strings.CutPrefix(p.name, "deed/")
	if !inDeed {
		return nil
	}
	named, err := env.Sandbox.NamedByGit(ctx, deedDir(env), name)
	if named {
		return refuse("'%s' is a file that git runs, or takes its settings from, by the config of this repository: only a human may change it. Ask them to.", clip(given, 300))
	}
	if err != nil {
		return refuse("nothing was written, for deed/ can't be guarded against what git would run: %s.", disk.Words(err))
	}
	return nil
}

// findDoc is find for a doc: a plain file directly in the project.
func findDoc(env Env, given, name string) (*place, error) {
	fi, err := env.Project.Lstat(name)
	if err == nil && fi.Mode()&fs.ModeSymlink != 0 {
		return nil, outside(env, given, "deed/"+name) // wherever it leads: a doc is a file of its own
	}
	return &place{name: name, base: name, dir: env.Project}, nil
}

// maxLinks is how many links a path may lead through, as in Linux itself.
const maxLinks = 40

// maxDepth is how many folders deep a file of the deed may lie for a file tool:
// each on the way to it is held open.
const maxDepth = 64

var errLeaves = errors.New("a link leads out of the deed")

// missingError is a folder that is missing on the way to a file, which would lie at
// name if the missing ones were made.
type missingError struct {
	name string
	err  error
}

func (e *missingError) Error() string { return e.err.Error() }
func (e *missingError) Unwrap() error { return e.err }

// walk goes down from the deed's folder one name at a time and keeps every folder
// open. It reads links itself and follows them within the deed; what it opens is no
// link. An os.Root would stay within the deed too, but not report to which path in
// it the links lead.
type walk struct {
	given  string     // the path of the call, for messages
	stack  []*os.Root // the deed first
	names  []string   // of the folders below it
	create bool
	links  int // followed until now

	missing []string // the names to the file, where a folder among them is missing
}

func (w *walk) top() *os.Root { return w.stack[len(w.stack)-1] }

func (w *walk) close() {
	for _, r := range w.stack {
		r.Close()
	}
}

// to walks parts, the last of which is the file, and returns the file's name in
// the folder that is then on top, or "" if a link leads to that folder itself.
func (w *walk) to(parts []string) (base string, err error) {
	for len(parts) > 0 {
		part := parts[0]
		parts = parts[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if err := w.up(); err != nil {
				return "", err
			}
			continue
		}
		part = spelled(w.top(), part) // a file keeps its name, however a call spells it
		switch {
		case disk.IsGit(part), git.Arms(part, w.has): // also in a repository that is not called .git
			return "", refuseGit(w.given, part)
		}
		link, err := w.step(part, len(parts) == 0)
		if err != nil {
			if !slices.Contains(parts, "..") { // behind a folder that is not there no link is known
				w.missing = slices.Concat(w.names, []string{part}, parts)
			}
			return "", err
		}
		if link == "" {
			if len(parts) == 0 {
				return part, nil
			}
			continue
		}
		if w.links++; w.links > maxLinks {
			return "", refuse("too many links on the way to '%s'. Name the file itself.", part)
		}
		if path.IsAbs(link) {
			return "", errLeaves
		}
		parts = append(strings.Split(link, "/"), parts...)
	}
	return "", nil
}

// has reports whether the folder on top has an entry of that name.
func (w *walk) has(name string) bool {
	_, err := w.top().Lstat(name)
	return err == nil
}

// up goes back to the folder above.
func (w *walk) up() error {
	if len(w.names) == 0 {
		return errLeaves
	}
	w.top().Close()
	w.stack, w.names = w.stack[:len(w.stack)-1], w.names[:len(w.names)-1]
	return nil
}

// step enters a folder, or checks the last name. If either is a link it returns the
// link's target.
func (w *walk) step(part string, last bool) (link string, err error) {
	if last {
		fi, err := w.top().Lstat(part)
		if err != nil || fi.Mode()&fs.ModeSymlink == 0 {
			return "", nil // a file, or none yet: opening it returns other errors
		}
		return w.top().Readlink(part)
	}
	if len(w.names) >= maxDepth {
		return "", refuse("the path leads more than %d folders deep. Choose one nearer to deed/.", maxDepth)
	}
	dir, err := openChild(w.top(), part, w.create)
	if l, linked := errors.AsType[*linkError](err); linked {
		return l.to, nil
	}
	if err != nil {
		return "", err
	}
	w.stack, w.names = append(w.stack, dir), append(w.names, spelled(w.top(), part)) // it may be new
	return "", nil
}

// linkError is a link where a folder was expected.
type linkError struct{ to string }

func (e *linkError) Error() string { return "is a link to " + e.to }

// openChild opens a folder in parent that is no link, and makes it where it is
// missing and create is set.
func openChild(parent *os.Root, name string, create bool) (*os.Root, error) {
	for range 5 { // again while another program replaces it
		fi, err := parent.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && create:
			if err := disk.Mkdir(parent, name); err != nil && !errors.Is(err, fs.ErrExist) {
				return nil, err
			}
			continue
		case err != nil:
			return nil, err
		case fi.Mode()&fs.ModeSymlink != 0:
			to, err := parent.Readlink(name)
			if err != nil {
				continue
			}
			return nil, &linkError{to}
		case !fi.IsDir():
			return nil, refuse("'%s' is a file, not a folder: nothing can lie below it. Choose another path.", name)
		}
		child, err := parent.OpenRoot(name)
		if err != nil {
			continue
		}
		if sameDir(child, parent.Lstat, name) {
			return child, nil
		}
		child.Close()
	}
	return nil, fmt.Errorf("'%s' could not be opened as a folder; look at it with ls, then try again", name)
}
