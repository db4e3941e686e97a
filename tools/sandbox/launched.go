package sandbox

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// launched is the first process of a command within its walls. Until it is given
// the command it waits for it, if its job can.
type launched struct {
	mark           mark
	job            *job
	stdout, stderr *capture
	readers        *readers
	process        *process
	told           chan struct{}              // closed once the command is written; after give
	kill           func() *syscall.WaitStatus // ends all of it; again and again the same
	guard          func(what string, f func() error) error
}

// launch builds a command's walls and starts its first process.
func (r *Runner) launch(l *layout, s Spec) (c *launched, err error) {
	s.mark = newMark()
	j, err := r.walls.build(l, s)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			j.close()
		}
	}()
	argv := j.argv
	if j.leash == nil && j.end == nil {
		argv = append([]string{"/bin/sh", "-c", gate, "/bin/sh"}, argv...)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = s.Dir, append(r.environ(s, s.mark.tag()), j.env...), attributes(j.leash != nil)
	cmd.SysProcAttr.Credential = j.credential
	c = &launched{mark: s.mark, job: j, stdout: newCapture(r.config.Output), stderr: newCapture(r.config.Output), readers: new(readers), guard: r.config.Guard}
	if err = c.connect(cmd, s.serve); err == nil {
		c.process = start(cmd, s.mark, j, r.config.Guard)
		err = c.process.err
	}
	c.readers.closeWriters()
	if err != nil {
		c.readers.finish(0)
		return nil, err
	}
	c.kill = sync.OnceValue(c.process.kill)
	for _, f := range j.begun {
		f(cmd.Process.Pid)
	}
	return c, nil
}

// connect gives cmd its pipes. The two streams of a server go into one capture, and of one
// at pipes only its errors.
func (c *launched) connect(cmd *exec.Cmd, serve *Server) error {
	stdout, stderr := c.stdout, c.stderr
	if serve != nil {
		stdout, stderr = serve.output, serve.output
	}
	errs, err := c.readers.pipe(stderr, c.guard)
	if err != nil {
		return err
	}
	cmd.Stderr = errs
	if serve != nil && serve.pipes != nil {
		return serve.pipes.connect(cmd, c.readers)
	}
	out, err := c.readers.pipe(stdout, c.guard)
	cmd.Stdout = out
	return err
}

// give sends the command to the first process, if that waits for it. The length is
// written before the text, so that a part of a command is never run. The pipe stays
// open until the end: by it the first process knows that this program lives.
func (c *launched) give(command string) {
	order := c.job.order
	if order == nil {
		return
	}
	c.told = make(chan struct{})
	text := append(binary.NativeEndian.AppendUint32(nil, uint32(len(command))), command...)
	go c.guard("telling a command", func() error {
		defer close(c.told)
		order.Write(text)
		return nil
	})
}

// untold is why a command that has ended was never run: its walls broke before the first
// process had read all of it, as where something that they show or hide went away between
// the look and the mount. nil where it ran, or may have.
func (c *launched) untold() error {
	if c.job.heard == nil {
		return nil
	}
	if unread(c.job.heard) == 0 {
		<-c.told // else it has more to write than the pipe holds
	}
	if unread(c.job.heard) == 0 {
		return nil
	}
	return &wallsError{string(bytes.TrimSpace(c.stderr.output(1 << 10).Text))}
}

// wallsError is what a program that builds walls said when it could not. Nothing ran.
type wallsError struct{ said string }

func (e *wallsError) Error() string { return "its sandbox could not be built: " + e.said }

// end kills what is left of the command, takes down its walls, and returns what the
// outcome is to say of them.
func (c *launched) end() []string {
	c.kill()
	c.readers.finish(killGrace)
	return c.job.close()
}

// wait makes the first process wait for its command at the descriptor fd, which is
// that of the next of the job's files.
func (j *job) wait(order *int, fd int) error {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return err
	}
	*order = fd
	j.order, j.heard, j.files = ours, theirs, append(j.files, theirs)
	j.cleanup(func() string { ours.Close(); theirs.Close(); return "" })
	return nil
}

// gate is the first shell of a command without a supervisor: it waits, at
// descriptor 3, until its process is marked; a command that forks at once would
// else be faster.
const gate = `read -r gate <&3; exec 3<&- "$@"`

// environ is all that a command gets to see: no key of a provider, nothing of
// the server's own. The tag marks its processes; the address is git's last
// resort for who commits.
func (r *Runner) environ(s Spec, tag string) []string {
	env := []string{"PATH=" + r.config.Path, "LANG=C.UTF-8", "TERM=dumb", "EMAIL=agent@localhost", "PWD=" + s.Dir, tagName + "=" + tag}
	if s.Home != "" {
		env = append(env, "HOME="+s.Home)
	}
	if s.serve != nil && s.serve.pipes != nil {
		env = append(env, s.serve.pipes.env...)
	}
	return env
}
