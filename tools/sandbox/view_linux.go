package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"vibey/tools/disk/tree"
	"vibey/tools/sandbox/helper"
)

// view is what commands see of this machine besides their own folders, and may
// read and run there. It names what is seen: homes, other disks, sockets and the
// data of daemons are not there because nothing names them. It is the same at
// every level: bwrap mounts it into an empty root, Landlock opens nothing else.
type view struct {
	shown   []string    // files and folders, free of links, sorted, none within another
	covered []string    // folders within shown of which nothing is seen
	links   []tree.Link // the links on the way to what is shown
	network []string    // files that are shown with the network alone
	mounts  []string    // what to mount for it, parents first
	env     []string    // variables by which programs find what is shown
	offline []string    // the same, for where there is no network
	apart   []string    // folders that no way to what is shown leads through
}

// systemPaths hold programs and what those need to run. What lies in /opt or
// elsewhere is found by the PATH that leads there, see toolFinder.
var systemPaths = []string{
	"/usr", "/usr/local", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
	"/nix/store", "/gnu/store", "/run/current-system/sw",
	"/sys/devices/system/cpu",
	"/var/lib/dpkg", "/var/lib/rpm", "/var/lib/ca-certificates", "/var/lib/texmf", "/var/lib/ghc", "/var/lib/gems",
}

// etcPatterns are what is seen of /etc: names, zones, fonts, certificates and
// the settings of compilers and interpreters, without those that hold a password.
var etcPatterns = []string{
	"passwd", "group", "nsswitch.conf", "hosts", "host.conf", "hostname", "gai.conf", "networks", "protocols", "services", "rpc", "ethertypes", "netconfig",
	"ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ld.so.preload", "alternatives", "shells", "login.defs", "profile", "profile.d", "bash.bashrc", "bashrc", "inputrc", "terminfo", "DIR_COLORS",
	"localtime", "timezone", "locale.alias", "locale.conf", "locale.gen", "default/locale", "vconsole.conf", "os-release", "*-release", "debian_version", "lsb-release", "issue",
	"ssl/certs", "ssl/openssl.cnf", "ssl/cert.pem", "ca-certificates", "ca-certificates.conf", "pki/tls/certs", "pki/tls/cert.pem", "pki/tls/openssl.cnf", "pki/ca-trust", "pki/java", "crypto-policies", "gnutls",
	"fonts", "mime.types", "magic", "magic.mime", "papersize", "X11", "xdg", "gtk-*", "glvnd", "vulkan", "OpenCL", "chromium", "chromium.d", "xml", "sgml", "texmf", "groff", "vim",
	"java*", "maven", "gradle", "ant", "python*", "perl", "php", "ruby*", "ghc*", "R", "emacs", "dotnet", "gitconfig", "gitattributes", "npmrc", "pip.conf", "wgetrc", "dpkg",
	"static", "nix/registry.json", "nix/nix.conf", // NixOS has links to these in /etc
}

// views are the view as it is when more and more deeds are known. Nothing is shown to
// which a path leads through a deed: a command may have put a link there, to whatever
// it wants to see. A deed shows itself.
type views struct {
	config Config

	mu    sync.Mutex
	deeds []string
	view  *view
}

func newViews(c Config) *views {
	v := &views{config: c}
	if c.Deeds != nil {
		v.deeds = realPaths(c.Deeds())
	}
	v.view = newView(c, v.deeds)
	return v
}

// with returns the view for a command with that deed, "" for none.
func (v *views) with(deed string) *view {
	v.mu.Lock()
	defer v.mu.Unlock()
	if deed != "" && !slices.Contains(v.deeds, deed) {
		v.deeds = append(v.deeds, deed)
		v.view = newView(v.config, v.deeds)
	}
	return v.view
}

// newView finds what there is to see here, without what is reached through the deeds.
// What is installed later is seen after the next start.
func newView(c Config, deeds []string) *view {
	hidden := realPaths(c.Hide)
	v := &view{apart: slices.Concat(deeds, hidden)}
	for _, path := range systemPaths {
		v.system(path)
	}
	for _, pattern := range etcPatterns {
		paths, _ := filepath.Glob(filepath.Join("/etc", pattern))
		for _, path := range paths {
			if !keepsCredential(path) {
				v.system(path)
			} else if without := settings[pattern]; without != "" {
				v.env = append(v.env, without)
			}
		}
	}
	// How many processors and how much memory a container has. In its first
	// version it is a dozen mounts, and few have that.
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err == nil {
		v.system("/sys/fs/cgroup")
	}
	if real, met, err := v.follow("/etc/resolv.conf"); err == nil && public(real) {
		v.network = []string{real}
		v.links = append(v.links, met...)
	}
	newToolFinder(v, c, hidden).find(c.Path)
	v.shown = outermost(v.shown)
	for _, dir := range append(hidden, realPaths([]string{c.home()})...) {
		if dir != "/" && v.shows(dir) {
			v.covered = append(v.covered, dir)
		}
	}
	v.covered = outermost(v.covered)
	v.mounts = v.toMount()
	v.links = slices.DeleteFunc(v.links, func(l tree.Link) bool { return withinAny(l.At, v.mounts) })
	return v
}

// follow is Follow for a path that does not lead through a folder which commands may
// write, or which is hidden from them.
func (v *view) follow(path string) (real string, met []tree.Link, err error) {
	real, met, way, err := tree.Follow(path)
	if err == nil && slices.ContainsFunc(way, func(at string) bool { return withinAny(at, v.apart) }) {
		return "", nil, fs.ErrPermission
	}
	return real, met, err
}

// system adds a path of the system, if others than its owner may read it.
func (v *view) system(path string) {
	if real, met, err := v.follow(path); err == nil && public(real) {
		v.shown = append(v.shown, real)
		v.links = append(v.links, met...)
	}
}

// public reports whether everybody may read a file or enter a folder. What needs
// root or a group is a secret, or may be one.
func public(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	need := fs.FileMode(0o004)
	if info.IsDir() {
		need = 0o005
	}
	return info.Mode().Perm()&need == need && (info.IsDir() || info.Mode().IsRegular())
}

// shows reports whether path is in the view.
func (v *view) shows(path string) bool { return withinAny(path, v.shown) }

// toMount returns what to mount, parents first. /etc is mounted whole where
// Landlock keeps what it does not name from being read, because a mount for each
// of its sixty names would take 4 ms.
func (v *view) toMount() (paths []string) {
	for _, path := range v.shown {
		if helper.ABI() > 0 && within(path, "/etc") {
			path = "/etc"
		}
		paths = append(paths, path)
	}
	return outermost(paths)
}

// readable returns what may be read, without what is covered: a rule of Landlock
// holds for all below a folder, so the folders that hold something covered are
// named by what else they hold.
func (v *view) readable() (paths []string) {
	for _, path := range v.shown {
		paths = append(paths, except(path, v.covered)...)
	}
	return paths
}

// environ returns the variables by which a command's programs find what is shown.
func (v *view) environ(deed string, network bool) (env []string) {
	env = slices.Clone(v.env)
	if !network {
		env = append(env, v.offline...)
	}
	if _, err := os.Lstat(filepath.Join(deed, ".git/HEAD")); deed != "" && err != nil {
		// There is none, or it leads out of the deed: the go command would ask git
		// about it and fail.
		env = append(env, "GOFLAGS=-buildvcs=false")
	}
	return env
}

// except returns the folder, or what it is made of but for the covered paths.
func except(dir string, covered []string) (paths []string) {
	switch {
	case slices.Contains(covered, dir):
		return nil
	case !slices.ContainsFunc(covered, func(c string) bool { return within(c, dir) }):
		return []string{dir}
	}
	names, _ := os.ReadDir(dir)
	for _, n := range names {
		paths = append(paths, except(filepath.Join(dir, n.Name()), covered)...)
	}
	return paths
}
