package sandbox

import (
	"os"
)

// fenced is the levels landlock and container: the helper's walls alone, on the
// machine as it is. The processes of a command are killed by their marks.
type fenced struct {
	self   *os.File
	config Config
	view   *view
}

func newFenced(self *os.File, c Config) *fenced {
	return &fenced{self: self, config: c, view: newView(c)}
}

func (f *fenced) wrap(s Spec) (*job, error) {
	p, err := placesOf(s, f.config)
	if err != nil {
		return nil, err
	}
	j := &job{files: []*os.File{f.self}, credential: withoutGroups()}
	plan := plan{
		Dir: p.dir, Read: append(f.view.readable(), "/proc", p.project), Write: compact(p.deed, p.home),
		Device:  []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"},
		Network: s.Network, Limits: f.config.limits(os.Geteuid() == 0),
	}
	if s.Network {
		plan.Read = append(plan.Read, f.view.network...)
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
	j.argv = plan.helper(s.Command)
	j.env = append([]string{"TMPDIR=" + tmp}, f.view.environ(s.Network)...)
	return j, nil
}
