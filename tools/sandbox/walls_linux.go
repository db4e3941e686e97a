package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// fenced is the levels landlock and container: the helper's walls alone, on the
// machine as it is. The processes of a command are killed by their marks.
type fenced struct {
	self    *os.File
	config  Config
	read    []string
	servers *serverList
}

// readable is what programs need of a machine to run at all. What is not named,
// homes, sockets and others' files, can't be opened.
var readable = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix", "/snap", "/proc", "/sys", "/var/lib/dpkg", "/var/cache/fontconfig",
	"/run/systemd/resolve", "/run/resolvconf",
}

func newFenced(self *os.File, c Config) *fenced {
	f := &fenced{self: self, config: c, read: slices.Clone(readable)}
	secret := slices.Concat(emptied, covered)
	names, _ := os.ReadDir("/etc")
	for _, n := range names {
		if path := filepath.Join("/etc", n.Name()); !slices.ContainsFunc(secret, func(s string) bool { return within(s, path) }) {
			f.read = append(f.read, path)
		}
	}
	// /etc/ssl holds private keys in one folder, and what every client needs beside it.
	f.read = append(f.read, "/etc/ssl/certs", "/etc/ssl/openssl.cnf")
	f.read = append(f.read, toolFolders(c.Path, []string{"/"})...)
	return f
}

func (f *fenced) wrap(s Spec) (*job, error) {
	p, err := placesOf(s, f.config.Hide)
	if err != nil {
		return nil, err
	}
	j := &job{files: []*os.File{f.self}}
	plan := plan{
		Dir: p.dir, Read: append(slices.Clone(f.read), p.project), Write: compact(p.deed, p.home),
		Device:  []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"},
		Network: s.Network, Limits: f.config.limits(os.Geteuid() == 0),
	}
	if p.deed != "" {
		watchGit(p.deed, j)
	}
	tmp, err := os.MkdirTemp(p.home, "tmp-") // in the system's own where there is no home
	if err != nil {
		j.close()
		return nil, err
	}
	j.defer_(func() string { os.RemoveAll(tmp); return "" })
	plan.Write = append(plan.Write, tmp)
	if err := f.servers.connect(&plan, s, j); err != nil {
		j.close()
		return nil, err
	}
	j.argv, j.env = plan.helper(s.Command), []string{"TMPDIR=" + tmp}
	return j, nil
}
