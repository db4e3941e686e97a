package sandbox

import (
	"os"
	"slices"

	"vibey/tools/sandbox/helper"
)

// fenced is the levels landlock and container: the helper's walls alone, on the
// machine as it is, below a supervisor.
type fenced struct {
	self   *os.File
	config Config
	views  *views
}

func (f *fenced) look(s Spec) (*layout, error) {
	p, err := foldersOf(s, f.config)
	if err != nil {
		return nil, err
	}
	v := f.views.with(p.deed)
	named, _ := v.allowed(s.Show, f.config)
	readable := append(v.readable(), named...)
	if s.Network {
		readable = append(readable, v.network...)
	}
	l := &layout{folders: p, waits: s.serve == nil, env: v.environ(p.deed, s.Network)}
	l.basis = append(compact(p.project, p.deed, p.home), readable...)
	l.plan = helper.Plan{
		Dir: p.dir, Read: append(compact(p.deed), append(readable, "/proc", p.project)...), Write: p.writable(s),
		Device:  []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"},
		Network: s.Network, ABI: f.config.abi,
	}
	return l, nil
}

func (f *fenced) build(l *layout, s Spec) (*job, error) {
	j := &job{credential: withoutGroups()}
	tmp, err := f.config.folder("tmp-", j)
	if err != nil {
		return nil, err
	}
	j.env = append(temporary(tmp, s), l.env...)
	plan := l.plan
	plan.Write = append(slices.Clone(plan.Write), tmp)
	plan.Limits = f.config.limits(os.Geteuid() == 0)
	if err := j.supervise(plan, f.self, s); err != nil {
		j.close()
		return nil, err
	}
	return j, nil
}

// watched is level none: a supervisor, and no walls.
type watched struct{ self *os.File }

func (w watched) look(Spec) (*layout, error) { return new(layout), nil }

func (w watched) build(_ *layout, s Spec) (*job, error) {
	j := new(job)
	if err := j.supervise(helper.Plan{Dir: s.Dir, Open: true}, w.self, s); err != nil {
		j.close()
		return nil, err
	}
	return j, nil
}

// supervise makes the job's process a supervisor with that plan, on a leash.
func (j *job) supervise(p helper.Plan, self *os.File, s Spec) error {
	ours, theirs, err := helper.ControlPair()
	if err != nil {
		return err
	}
	j.cleanup(func() string { ours.Close(); theirs.Close(); return "" })
	j.begun = append(j.begun, func(int) { theirs.Close() }) // else the supervisor's end is never seen
	p.Supervise, p.Mark = true, s.mark.number()
	j.files, j.leash = []*os.File{theirs, self}, ours
	if !p.Open && s.serve == nil {
		if err := j.wait(&p.Order, helper.LeashFD+len(j.files)); err != nil {
			return err
		}
	}
	j.argv = p.Argv(s.Command)
	return nil
}
