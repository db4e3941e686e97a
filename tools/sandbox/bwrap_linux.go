package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"vibey/tools/disk/tree"
	"vibey/tools/sandbox/helper"
)

// bwrapPaths is where a system has bubblewrap. PATH is not asked: an agent's
// own program must not become the wall around it.
var bwrapPaths = []string{"/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"}

// bubble is level bwrap: an empty root, made for one command, into which the
// view of the machine and the command's own folders are mounted.
type bubble struct {
	program string
	self    *os.File // this program, which is the helper
	views   *views
	tmp     string   // the folder for temporary files, empty and the command's own
	scratch []string // tmp, and shm unless that is the folder of all projects
	config  Config
	servers *serverList
	layers  *layers
}

// shm is the folder for what processes share in memory.
const shm = "/dev/shm"

// The most that a command may put into its folders in memory.
const (
	tmpSize = 512 << 20
	shmSize = 256 << 20
)

func newBubble(program string, self *os.File, c Config) *bubble {
	b := &bubble{program: program, self: self, config: c, views: newViews(c), tmp: "/tmp"}
	// Projects directly in /tmp would stand in a folder that commands may write.
	hidden := realPaths(c.Hide)
	if slices.Contains(hidden, b.tmp) {
		b.tmp = "/var/tmp"
	}
	b.scratch = []string{b.tmp}
	if !slices.Contains(hidden, shm) {
		b.scratch = append(b.scratch, shm)
	}
	return b
}

// base are the arguments that every command with that view has.
func (b *bubble) base(v *view) []string {
	args := []string{
		"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--cap-drop", "ALL", "--size", strconv.Itoa(tmpSize), "--tmpfs", b.tmp,
		// Before the project: it may lie below one of these, and would stand under them.
		"--dev", "/dev", "--size", strconv.Itoa(shmSize), "--tmpfs", shm, "--proc", "/proc",
	}
	for _, path := range v.mounts {
		args = append(args, "--ro-bind", path, path)
	}
	for _, dir := range v.covered {
		args = append(args, "--tmpfs", dir)
	}
	return args
}

// readOnly are the folders in memory that a command can't write. Landlock refuses the
// same where there is one, and a mount takes a tenth of a millisecond.
func readOnly(v *view) []string {
	if helper.ABI() > 0 {
		return nil
	}
	return append(slices.Clone(v.covered), "/dev")
}

func (b *bubble) look(s Spec) (*layout, error) {
	p, err := foldersOf(s, b.config)
	if err != nil {
		return nil, err
	}
	if p.project == "/" { // the probe's
		p.project = ""
	}
	v := b.views.with(p.deed)
	l := &layout{folders: p, waits: s.serve == nil, args: b.base(v)}
	if !s.Network {
		l.args = append(l.args, "--unshare-net")
	}
	named, links := v.allowed(s.Show, b.config)
	p.links = append(p.links, links...)
	own := compact(p.project, p.deed, p.home)
	sealed := b.sealed(append(slices.Clone(own), named...))
	for _, dir := range sealed {
		l.args = append(l.args, "--tmpfs", dir)
	}
	shown := slices.Concat(v.mounts, own, named)
	if s.Network {
		shown = append(shown, v.network...)
	}
	readable := v.readable()
	l.basis = slices.Compact(slices.Sorted(slices.Values(slices.Concat(shown, v.covered, readable))))
	if mounts, err := os.ReadFile("/proc/self/mountinfo"); err == nil {
		l.mounts = string(mounts)
	}
	if b.tmp == "/tmp" && !slices.ContainsFunc(shown, func(p string) bool { return within(p, "/var/tmp") }) {
		l.args = append(l.args, "--symlink", "/tmp", "/var/tmp")
	}
	if s.Layer && p.deed != "" {
		l.layer = b.layers.by
	}
	l.args = append(l.args, symlinks(slices.Concat(v.links, p.links), shown)...)
	if s.Network {
		for _, path := range v.network {
			l.args = append(l.args, "--ro-bind", path, path)
		}
	}
	for _, path := range named {
		l.args = append(l.args, "--ro-bind", path, path)
	}
	if p.project != "" {
		l.args = append(l.args, "--ro-bind", p.project, p.project)
	}
	if p.deed != "" && (s.ReadOnly || l.layer != "") {
		l.args = append(l.args, "--ro-bind", p.deed, p.deed)
	} else if p.deed != "" {
		how := "--bind"
		if s.Git {
			how = "--ro-bind"
		}
		l.args = append(l.args, how, p.deed, p.deed)
		for _, path := range s.shield {
			l.args = append(l.args, "--ro-bind-try", path, path)
		}
		if s.serve == nil {
			if err := l.shieldGit(p.deed); err != nil {
				return nil, err
			}
		}
	}
	switch {
	case p.home != "" && s.Tried:
		l.args = append(l.args, "--ro-bind", p.home, p.home)
	case p.home != "":
		l.args = append(l.args, "--bind", p.home, p.home)
	}
	l.layered(s)
	for _, path := range sockets(shown) {
		l.args = append(l.args, "--ro-bind", "/dev/null", path)
		l.basis = append(l.basis, path)
	}
	if !slices.Contains(b.scratch, shm) {
		sealed = append(sealed, shm)
	}
	for _, dir := range slices.Concat(readOnly(v), sealed, []string{"/"}) {
		l.args = append(l.args, "--remount-ro", dir)
	}
	read := append(readable, "/proc")
	read = append(append(read, own...), named...)
	if s.Network {
		read = append(read, v.network...)
	}
	l.plan = helper.Plan{
		Dir: p.dir, List: []string{"/"}, Read: read, Write: append(p.writable(s), b.scratch...), Device: []string{"/dev"},
		Own: true, Overlays: l.overlays(), Network: s.Network, Limits: b.config.limits(true), Listen: b.servers.ports(s),
	}
	l.env = slices.Concat(temporary(b.tmp, s), v.environ(p.deed, s.Network))
	return l, nil
}

func (b *bubble) build(l *layout, s Spec) (*job, error) {
	j := &job{files: []*os.File{b.self}, credential: withoutGroups(), env: l.env}
	args, plan := slices.Clip(l.args), l.plan // which several jobs share
	err := b.servers.connect(&plan, s, j)
	for i, below := range l.below {
		if err == nil {
			args, err = b.addLayer(j, args, i, below, l.layer)
		}
	}
	if err == nil {
		err = j.wait(&plan.Order, helper.SelfFD+len(j.files))
	}
	if err == nil {
		args, err = b.follow(j, args)
	}
	if err != nil {
		j.close()
		return nil, err
	}
	j.argv = slices.Concat([]string{b.program}, args, []string{"--chdir", "/", "--"}, plan.Argv(s.Command))
	return j, nil
}

// follow lets the job end with the namespace of its processes.
func (b *bubble) follow(j *job, args []string) ([]string, error) {
	n, theirs, err := newNamespace()
	if err != nil {
		return nil, err
	}
	args = append(args, "--info-fd", strconv.Itoa(helper.SelfFD+len(j.files)))
	j.files = append(j.files, theirs)
	j.begun = append(j.begun, func(bwrap int) {
		theirs.Close() // else its end is never seen
		go b.config.Guard("finding a command's first process", func() error { n.read(bwrap); return nil })
	})
	j.cleanup(func() string { theirs.Close(); n.close(); return "" })
	j.end = n.end
	return args, nil
}

// sealed returns the folders directly in those for temporary files that lead to
// the command's own: what it writes beside those must be refused, not lost in a
// folder that ends with it.
func (b *bubble) sealed(own []string) (dirs []string) {
	for _, path := range own {
		for _, scratch := range b.scratch {
			rest, in := strings.CutPrefix(path, scratch+"/")
			first, _, _ := strings.Cut(rest, "/")
			if dir := filepath.Join(scratch, first); in && !slices.Contains(own, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	return outermost(dirs)
}

// symlinks makes the links that are not in what is shown already.
func symlinks(links []tree.Link, shown []string) (args []string) {
	for _, l := range slices.Compact(slices.SortedFunc(slices.Values(links), tree.Link.Compare)) {
		if !withinAny(l.At, shown) {
			args = append(args, "--symlink", l.To, l.At)
		}
	}
	return args
}
