package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"vibey/tools/disk/tree"
)

// toolFinder finds the programs of a person's PATH, and what they need beside
// them, for the view:
//
//   - A folder of the PATH is shown, with all below it.
//   - Where it is the bin, sbin or shims of an installation, the installation is
//     shown: the folder that holds it, if that has a lib, lib64, libexec or share
//     too, or is a folder of /opt. Its var and run are data, and covered.
//   - Where a program is a link, so is what it leads to: an installation, else in
//     /opt its folder, and elsewhere the file alone.
//   - Never shown is what a path leads to through a deed, a home, a folder directly below /, and one that holds homes
//     or projects; nor, as an installation, one that holds a person's own things.
type toolFinder struct {
	view   *view
	getenv func(string) string
	home   string
	opt    string // /opt
	hidden []string
	seen   map[string]bool
}

// maxTools is how many places the PATH may add to the view, because a mount takes
// a tenth of a millisecond. The first of the PATH are taken.
const maxTools = 64

func newToolFinder(v *view, c Config, hidden []string) *toolFinder {
	return &toolFinder{view: v, getenv: c.getenv, home: realHome(c), opt: "/opt", hidden: hidden, seen: map[string]bool{}}
}

// realHome is the human's home, free of links; "" for none.
func realHome(c Config) string {
	if real, _, _, err := tree.Follow(c.home()); err == nil && real != "/" {
		return real
	}
	return ""
}

// find adds the tools of a PATH to the view.
func (f *toolFinder) find(path string) {
	system := len(f.view.shown)
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) && !windows.MatchString(dir) {
			f.folder(dir)
		}
	}
	f.managers()
	f.modules()
	if tools := outermost(f.view.shown[system:]); len(tools) > maxTools {
		f.view.shown = slices.DeleteFunc(f.view.shown, func(p string) bool { return withinAny(p, tools[maxTools:]) })
	}
}

// windows are the drives of the Windows around a WSL, whose PATH it has: their
// programs don't run here, and each look at them is slow.
var windows = regexp.MustCompile(`^/mnt/[a-z]/`)

// folder adds a folder of programs, and what its links lead to.
func (f *toolFinder) folder(dir string) {
	real, met, err := f.view.follow(dir)
	if err != nil || f.seen[real] || f.private(real) {
		return
	}
	f.seen[real] = true
	if !f.view.shows(real) {
		if info, err := os.Stat(real); err != nil || !info.IsDir() || !isBin(real) && personal(real) {
			return
		}
		f.show(real)
	}
	f.view.links = append(f.view.links, met...)
	entries, _ := os.ReadDir(real)
	for _, e := range entries {
		name := filepath.Join(real, e.Name())
		if e.Type()&fs.ModeSymlink == 0 {
			continue
		}
		if to, err := os.Readlink(name); err == nil && filepath.Base(to) != to { // else to one beside it
			f.program(name)
		}
	}
}

// program adds what a link in a folder of programs leads to.
func (f *toolFinder) program(name string) {
	file, met, err := f.view.follow(name)
	if err != nil {
		return
	}
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return
	}
	dir := filepath.Dir(file)
	switch {
	case f.view.shows(file):
	case withinAny(file, f.hidden):
		return
	case f.installation(dir) != "":
		f.folder(dir)
	case within(dir, f.opt) && dir != f.opt && !personal(dir):
		f.show(dir)
	default: // its folder may hold anything: a site, another disk's things, a home
		f.view.shown = append(f.view.shown, file)
	}
	f.view.links = append(f.view.links, met...)
}

// show adds a folder of programs, or the installation that it belongs to.
func (f *toolFinder) show(dir string) {
	root := f.installation(dir)
	if root == "" {
		f.view.shown = append(f.view.shown, dir)
		return
	}
	f.view.shown = append(f.view.shown, root)
	for _, data := range []string{"var", "run"} {
		if data = filepath.Join(root, data); isDir(data) {
			f.view.covered = append(f.view.covered, data)
		}
	}
	if bin := filepath.Join(root, "bin"); bin != dir && isDir(bin) {
		f.folder(bin)
	}
}

// installation returns the folder that holds all of what dir's programs are a
// part of, or "".
func (f *toolFinder) installation(dir string) string {
	root := filepath.Dir(dir)
	switch {
	case !isBin(dir) || f.private(root):
		return ""
	case filepath.Base(dir) == "shims": // of a version manager, which has a folder of its own
		return root
	case personal(root):
		return ""
	case filepath.Dir(root) == f.opt:
		return root
	}
	for _, lib := range []string{"lib", "lib64", "libexec", "share"} {
		if isDir(filepath.Join(root, lib)) {
			return root
		}
	}
	return ""
}

func isBin(dir string) bool {
	return slices.Contains([]string{"bin", "sbin", "shims"}, filepath.Base(dir))
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// private reports whether a folder must not be shown, whatever leads there.
func (f *toolFinder) private(dir string) bool { return privateFolder(dir, f.home, f.hidden) }

// privateFolder is private for a human's home, "" for none, and what is hidden.
func privateFolder(dir, home string, hidden []string) bool {
	if filepath.Dir(dir) == "/" || slices.Contains([]string{"/home", "/var/home", "/Users"}, filepath.Dir(dir)) || withinAny(dir, hidden) {
		return true
	}
	for _, kept := range append([]string{home, "/home", "/root"}, hidden...) {
		if kept != "" && within(kept, dir) {
			return true
		}
	}
	for _, name := range []string{".config", ".cache", ".local", ".local/share", ".local/state"} {
		if home != "" && dir == filepath.Join(home, name) {
			return true
		}
	}
	return false
}

// personal reports whether a folder holds a person's own things: it is a home, or
// the source of a program, which may have secrets beside it.
func personal(dir string) bool {
	for _, name := range []string{".ssh", ".gnupg", ".config", ".bashrc", ".profile", ".aws", ".netrc", ".npmrc", ".git", ".hg", ".env", ".envrc"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// managers shows the folders of tool managers whose programs look for them in
// HOME, which is another one for commands, and tells by a variable where they are.
func (f *toolFinder) managers() {
	for _, m := range []struct{ bin, folder, variable string }{
		{".cargo/bin", ".rustup", "RUSTUP_HOME"},
		{".volta/bin", ".volta", "VOLTA_HOME"},
		{".asdf/shims", ".asdf", "ASDF_DATA_DIR"},
		{".local/share/mise/shims", ".local/share/mise", "MISE_DATA_DIR"},
	} {
		folder := f.getenv(m.variable)
		if folder == "" && f.home != "" && f.seen[filepath.Join(f.home, m.bin)] {
			folder = filepath.Join(f.home, m.folder)
		}
		real, met, err := f.view.follow(folder)
		if folder == "" || err != nil || !isDir(real) || f.private(real) {
			continue
		}
		f.view.shown = append(f.view.shown, real)
		f.view.links = append(f.view.links, met...)
		f.view.env = append(f.view.env, m.variable+"="+real)
	}
}

// modules shows what the human's Go has downloaded, for Go without a network to
// take modules from. With one it asks where it always does, which knows newer ones.
func (f *toolFinder) modules() {
	dir := f.getenv("GOMODCACHE")
	if dir == "" {
		path := filepath.SplitList(f.getenv("GOPATH"))
		if len(path) == 0 {
			path = []string{filepath.Join(f.home, "go")}
		}
		dir = filepath.Join(path[0], "pkg/mod")
	}
	real, met, err := f.view.follow(filepath.Join(dir, "cache/download"))
	if err != nil || !filepath.IsAbs(dir) || f.private(real) {
		return
	}
	f.view.shown = append(f.view.shown, real)
	f.view.links = append(f.view.links, met...)
	f.view.offline = append(f.view.offline, "GOPROXY=file://"+real)
}
