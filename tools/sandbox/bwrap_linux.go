package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// bwrapPaths is where a system has bubblewrap. PATH is not asked: an agent's
// own program must not become the wall around it.
var bwrapPaths = []string{"/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"}

// bubble is level bwrap: a view of the machine made for one command, in which
// what it must not touch is read-only and what it must not see is not there.
type bubble struct {
	program string
	self    *os.File // this program, which is the helper
	base    []string // the arguments that every command has
	sealed  []string // folders that base empties, made read-only once all else stands in them
	config  Config
	servers *serverList
}

// The most that a command may put into its folders in memory.
const (
	tmpSize = 512 << 20
	shmSize = 256 << 20
)

// emptied are folders that hold sockets, others' files and people's secrets.
var emptied = []string{
	"/home", "/root", "/run", "/var/run", "/run/user", "/media", "/mnt/wslg",
	"/var/lib/docker", "/var/lib/containerd", "/var/lib/kubelet", "/var/lib/rancher", "/var/spool/cron", "/var/mail", "/var/log", "/var/backups",
	"/etc/ssh", "/etc/ssl/private", "/etc/kubernetes", "/etc/wireguard", "/etc/NetworkManager", "/etc/sudoers.d", "/etc/letsencrypt",
}

// covered are files with secrets that only root can read, for where we are root.
var covered = []string{"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/krb5.keytab"}

func newBubble(program string, self *os.File, c Config) *bubble {
	b := &bubble{program: program, self: self, config: c}
	b.base = []string{
		"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--cap-drop", "ALL", "--ro-bind", "/", "/",
	}
	b.sealed = hidden(c.Hide)
	for _, dir := range b.sealed {
		b.base = append(b.base, "--tmpfs", dir)
	}
	for _, dir := range []string{"/tmp", "/var/tmp"} {
		b.base = append(b.base, "--size", strconv.Itoa(tmpSize), "--tmpfs", dir)
	}
	for _, file := range covered {
		if f, err := os.Open(file); err == nil {
			f.Close()
			b.base = append(b.base, "--ro-bind", "/dev/null", file)
		}
	}
	for _, dir := range toolFolders(c.Path, b.sealed) {
		b.base = append(b.base, "--ro-bind", dir, dir)
	}
	return b
}

// hidden returns the folders to empty, real and each once, parents first.
func hidden(hide []string) (dirs []string) {
	home, _ := os.UserHomeDir()
	for _, dir := range slices.Concat(emptied, []string{home}, hide) {
		real, err := filepath.EvalSymlinks(dir)
		if dir == "" || err != nil || real == "/" || within(real, "/tmp") || within(real, "/var/tmp") { // these two are private
			continue
		}
		if info, err := os.Stat(real); err == nil && info.IsDir() {
			dirs = append(dirs, real)
		}
	}
	return outermost(dirs)
}

// outermost returns the paths, sorted and each once, without those that lie
// within another.
func outermost(dirs []string) []string {
	slices.Sort(dirs)
	all := slices.Compact(dirs)
	return slices.DeleteFunc(slices.Clone(all), func(d string) bool {
		return slices.ContainsFunc(all, func(p string) bool { return p != d && within(d, p) })
	})
}

// wrap makes the view for one command.
func (b *bubble) wrap(s Spec) (*job, error) {
	p, err := placesOf(s, b.config.Hide)
	if err != nil {
		return nil, err
	}
	j := &job{files: []*os.File{b.self}}
	args := slices.Clone(b.base)
	if !s.Network {
		args = append(args, "--unshare-net")
	}
	if p.project != "/" {
		args = append(args, "--ro-bind", p.project, p.project)
	}
	if p.deed != "" {
		args = append(args, "--bind", p.deed, p.deed)
		git, err := shieldGit(p.deed, p.home, j)
		if err != nil {
			j.close()
			return nil, err
		}
		args = append(args, git...)
	}
	if p.home != "" {
		args = append(args, "--bind", p.home, p.home)
	}
	for _, dir := range b.sealed {
		if landlockABI() > 0 {
			break // it refuses the same, and a mount less is a quarter of a millisecond less
		}
		if p.deed != dir && p.home != dir && p.project != dir {
			args = append(args, "--remount-ro", dir)
		}
	}
	args = append(args, "--dev", "/dev", "--size", strconv.Itoa(shmSize), "--tmpfs", "/dev/shm", "--remount-ro", "/dev", "--proc", "/proc", "--chdir", "/", "--")
	plan := plan{
		Dir: p.dir, Read: []string{"/"}, Write: compact(p.deed, p.home, "/tmp", "/var/tmp", "/dev/shm"), Device: []string{"/dev"},
		Own: true, Network: s.Network, Limits: b.config.limits(true),
	}
	if err := b.servers.connect(&plan, s, j); err != nil {
		j.close()
		return nil, err
	}
	j.argv = slices.Concat([]string{b.program}, args, plan.helper(s.Command))
	j.env = []string{"TMPDIR=/tmp"}
	return j, nil
}
