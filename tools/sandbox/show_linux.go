package sandbox

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vibey/tools/disk/tree"
)

// programMarks are files by which the folder of a program is known that has its parts
// around it, such as node_modules.
var programMarks = []string{"package.json", "pyproject.toml", "requirements.txt", "setup.py", "go.mod", "Cargo.toml", "deno.json", "Gemfile", venvMark}

// venvMark stands in a virtual environment of Python, whose programs need all of it.
const venvMark = "pyvenv.cfg"

// programKinds are what names of programs end in that need no permission to be run.
var programKinds = []string{".js", ".mjs", ".cjs", ".ts", ".mts", ".py", ".pyz", ".rb", ".pl", ".php", ".lua", ".sh", ".jar"}

// programDepth is how many folders above a file the mark may be.
const programDepth = 6

// showing decides what of Spec.Show a command is shown.
type showing struct {
	home  string   // the human's, free of links; "" for none
	apart []string // what is shown to no command, and the deeds of now
}

// allowed returns what of Spec.Show a command is shown, free of links, and the links on the
// way. A program is shown with the folder that has its parts, unless that holds more than a
// program; any other file, such as a key, alone. Nothing is shown that is hidden or lies in
// a deed, or to which a link there leads: a command may have put it there.
func (v *view) allowed(paths []string, c Config) (shown []string, links []tree.Link) {
	if len(paths) == 0 {
		return nil, nil
	}
	s := showing{realHome(c), v.apart}
	if c.Deeds != nil {
		s.apart = slices.Concat(v.apart, realPaths(c.Deeds()))
	}
	for _, path := range paths {
		real, met, _, err := tree.Follow(path)
		if err != nil || s.isApart(path, real, met) {
			continue
		}
		info, err := os.Stat(real)
		if err != nil {
			continue
		}
		switch {
		case !info.IsDir() && !info.Mode().IsRegular():
			continue
		case info.IsDir() && s.holdsMore(real):
			continue
		case isProgram(real, info):
			real = s.around(real)
			if env := venvOf(path); env != "" && !s.isApart(env, env, nil) && !s.holdsMore(env) && !v.shows(env) {
				shown = append(shown, env)
			}
		}
		links = append(links, met...)
		if !v.shows(real) {
			shown = append(shown, real)
		}
	}
	return outermost(shown), links
}

// isApart reports whether a path, what it leads to, or a link on its way lies where nothing
// is shown from.
func (s *showing) isApart(path, real string, met []tree.Link) bool {
	apart := func(p string) bool { return withinAny(p, s.apart) }
	return apart(path) || apart(real) || slices.ContainsFunc(met, func(l tree.Link) bool { return apart(l.At) })
}

// isProgram reports whether a file is a program, by its ending, or by its permission and how
// it begins: on some disks all files have that permission.
func isProgram(file string, info os.FileInfo) bool {
	switch {
	case !info.Mode().IsRegular():
		return false
	case slices.Contains(programKinds, filepath.Ext(file)):
		return true
	case info.Mode().Perm()&0o111 == 0:
		return false
	}
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, 4)
	n, _ := io.ReadFull(f, begin)
	return string(begin[:n]) == "\x7fELF" || strings.HasPrefix(string(begin[:n]), "#!")
}

// around is the folder of a program, or its own, or the program alone where those hold more.
func (s *showing) around(program string) string {
	for _, dir := range []string{programOf(program), filepath.Dir(program)} {
		if !s.holdsMore(dir) {
			return dir
		}
	}
	return program
}

// holdsMore reports whether a folder is no program's: what all use, a person's own, or one
// that holds the projects, the state or a deed.
func (s *showing) holdsMore(dir string) bool {
	own := s.home != "" && filepath.Dir(dir) == s.home && strings.HasPrefix(filepath.Base(dir), ".")
	return own || slices.Contains([]string{"/", "/var/tmp", shm}, dir) || privateFolder(dir, s.home, s.apart)
}

// venvOf is the virtual environment that a program is named in, "" for none: its python is
// a link that leads out of it.
func venvOf(path string) string {
	env, _, _, err := tree.Follow(filepath.Dir(filepath.Dir(path)))
	if err != nil {
		return ""
	}
	if _, err := os.Lstat(filepath.Join(env, venvMark)); err != nil {
		return ""
	}
	return env
}

// programOf is the outermost node_modules that a file lies in, where a package finds its
// others, or the nearest folder above it that has a mark of a program, else its own.
func programOf(file string) string {
	const packages = "/node_modules"
	if i := strings.Index(file, packages+"/"); i >= 0 {
		return file[:i+len(packages)]
	}
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
