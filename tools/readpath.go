package tools

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"vibey/tools/disk"
)

// findFile returns the place of a file that a call reads: a doc or dialog of the
// project, or a file of the deed. It need not be there.
func findFile(env Env, given string) (*place, error) {
	clean, err := tidy(env, given)
	switch {
	case err != nil:
		return nil, err
	case clean == "." || clean == "deed" || namesFolder(given):
		return nil, refuse("'%s' names a folder. Name a file in it; list_files names them.", clip(given, 300))
	case !strings.HasPrefix(clean, "deed/"):
		if err := checkName(env, given, clean); err != nil {
			return nil, err
		}
	}
	return locate(env, given, clean, false)
}

// findAny returns the place of a file or folder that a call looks through. "" is the
// project. Of a folder it is dir, and base is "".
func findAny(env Env, given string) (*place, error) {
	if given == "" {
		given = "."
	}
	clean, err := tidy(env, given)
	if err != nil {
		return nil, err
	}
	switch {
	case clean == ".":
		return &place{name: clean, dir: env.Project}, nil
	case clean == "deed":
		deed, err := openDeed(env, false)
		return &place{name: clean, dir: deed, open: []*os.Root{deed}}, err
	case !strings.HasPrefix(clean, "deed/"):
		if err := checkName(env, given, clean); err != nil {
			return nil, err
		}
	}
	p, err := locateAny(env, given, clean, false)
	if err != nil || p.base == "" {
		return p, err
	}
	if fi, err := p.lstat(); err != nil || !fi.IsDir() {
		return p, nil // opening it tells what it is
	}
	child, err := openChild(p.dir, p.base, false)
	if err != nil {
		p.close()
		return nil, err
	}
	p.dir, p.base, p.open = child, "", append(p.open, child)
	return p, nil
}

// readFailure is the result of a call that could not read, in words for the model.
func readFailure(given string, err error) Result {
	name := clip(given, 300)
	var r *refusal
	var other *disk.NotFileError
	switch {
	case errors.As(err, &r):
		return failed(Permission, "%s", r.text)
	case errors.As(err, &other) && other.Mode.IsDir():
		return failed(ExecError, "'%s' is a folder. Name a file in it; list_files names them.", name)
	case errors.As(err, &other):
		return failed(Permission, "'%s' is %s, not a file. Choose another path.", name, other.Kind())
	case errors.Is(err, fs.ErrNotExist):
		return failed(ExecError, "there is no '%s'. Look with list_files for what there is.", name)
	case errors.Is(err, disk.ErrChanged):
		return failed(ExecError, "'%s' was replaced while it was read. Read it again.", name)
	case errors.Is(err, fs.ErrPermission):
		return failed(ExecError, "the system does not let this server read '%s'. Ask the human.", name)
	case errors.Is(err, syscall.ENAMETOOLONG):
		return failed(ExecError, "a name in '%s' is too long for this disk, so there is no such file.", name)
	}
	return failed(ExecError, "'%s' could not be read: %v.", name, disk.Cause(err))
}
