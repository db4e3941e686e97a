package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// programMarks are files by which the folder of a program is known that has its parts
// around it, such as node_modules.
var programMarks = []string{"package.json", "pyproject.toml", "requirements.txt", "setup.py", "go.mod", "Cargo.toml", "deno.json", "Gemfile"}

// programDepth is how many folders above a file the mark may be.
const programDepth = 6

// allowed returns what of Spec.Show a command is shown, free of links, and the links on the
// way. A file is shown with the folder of its program, or else with its own, unless that
// holds more than a program: then alone. Nothing is shown that is hidden or lies in a deed,
// or to which a link there leads: a command may have put it there.
func (v *view) allowed(paths []string, home string) (shown []string, links []link) {
	for _, path := range paths {
		real, met, err := follow(path)
		apart := func(p string) bool { return withinAny(p, v.apart) }
		if err != nil || apart(path) || apart(real) || slices.ContainsFunc(met, func(l link) bool { return apart(l.at) }) {
			continue
		}
		info, err := os.Stat(real)
		if err != nil {
			continue
		}
		switch dir := programOf(real); {
		case !info.IsDir() && !info.Mode().IsRegular():
			continue
		case info.IsDir() && v.holdsMore(real, home):
			continue
		case info.IsDir():
		case !v.holdsMore(dir, home):
			real = dir
		case !v.holdsMore(filepath.Dir(real), home):
			real = filepath.Dir(real)
		}
		links = append(links, met...)
		if !v.shows(real) {
			shown = append(shown, real)
		}
	}
	return outermost(shown), links
}

// programOf is the nearest folder above a file that has a mark of a program, else its own.
func programOf(file string) string {
	dir := filepath.Dir(file)
	for at, n := dir, 0; at != "/" && n < programDepth; at, n = filepath.Dir(at), n+1 {
		for _, mark := range programMarks {
			if _, err := os.Lstat(filepath.Join(at, mark)); err == nil {
				return at
			}
		}
	}
	return dir
}

// holdsMore reports whether a folder is no program's: the top of the machine, what all use,
// a home, or one that holds the projects, the state or a deed.
func (v *view) holdsMore(dir, home string) bool {
	if strings.Count(dir, "/") < 2 || slices.Contains([]string{"/var/tmp", shm}, dir) || within(home, dir) {
		return true
	}
	if parent := filepath.Dir(dir); parent == "/home" || parent == "/Users" {
		return true
	}
	return slices.ContainsFunc(v.apart, func(p string) bool { return within(p, dir) })
}
