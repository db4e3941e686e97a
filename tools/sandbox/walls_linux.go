package sandbox

import (
	"os"

	"vibey/tools/sandbox/helper"
)

// fenced is the levels landlock and container: the helper's walls alone, on the
// machine as it is, below a supervisor.
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
	j := &job{credential: withoutGroups()}
	plan := helper.Plan{
		Dir: p.dir, Read: append(f.view.readable(), "/proc", p.project), Write: compact(p.deed, p.home),
		Device:  []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"},
		Network: s.Network, Limits: f.config.limits(os.Geteuid() == 0), ABI: f.config.abi,
	}
	if s.Network {
		plan.Read = append(plan.Read, f.view.network...)
	}
	tmp, err := os.MkdirTemp(p.home, "tmp-") // in the system's own where there is no home
	if err != nil {
		j.close()
		return nil, err
	}
	j.defer_(func() string { remove(tmp); return "" })
	plan.Write = append(plan.Write, tmp)
	j.env = append([]string{"TMPDIR=" + tmp}, f.view.environ(p.deed, s.Network)...)
	if err := j.supervise(plan, f.self, s); err != nil {
		j.close()
		return nil, err
	}
	return j, nil
}

// watched is level none: a supervisor, and no walls.
type watched struct{ self *os.File }

func (w watched) wrap(s Spec) (*job, error) {
	j := new(job)
	if err := j.supervise(helper.Plan{Dir: s.Dir, Open: true}, w.self, s); err != nil {
		j.close()
		return nil, err
	}
	return j, nil
}

// supervise makes the job a supervisor with that plan, and the two ends of its leash.
func (j *job) supervise(p helper.Plan, self *os.File, s Spec) error {
	ours, theirs, err := helper.ControlPair()
	if err != nil {
		return err
	}
	j.defer_(func() string { ours.Close(); theirs.Close(); return "" })
	j.begun = append(j.begun, func(int) { theirs.Close() }) // else the supervisor's end is never seen
	p.Supervise, p.Mark = true, s.mark.number()
	j.argv, j.files, j.leash = p.Argv(s.Command), []*os.File{theirs, self}, ours
	return nil
}
