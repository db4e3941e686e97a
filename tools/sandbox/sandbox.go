// Package sandbox runs shell commands so that they end: within their time,
// with bounded output, and with nothing of them left running.
//
//	r := sandbox.Probe(sandbox.Config{Path: path})
//	out := r.Command(ctx, sandbox.Spec{Command: "ls", Dir: project})
//
// Level says what walls stand around a command. So far there is none but a
// cleared environment; argv and attributes are where walls will be put.
package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Level names the walls around a command, as results and the client show it.
type Level string

// None: a command may do whatever the server's user may do.
const None Level = "none"

// Config is what a Runner is made from; zero values mean the defaults.
type Config struct {
	Path   string        // PATH of commands
	Limit  time.Duration // the longest that one runs: 30 s
	Output int           // bytes kept of stdout and stderr together: 1 MiB
}

const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// Runner runs commands at one level. It may be used from many goroutines.
type Runner struct {
	level  Level
	config Config
}

// Probe looks once at what this machine can do and returns a Runner for it.
func Probe(c Config) *Runner {
	c.Path = cmp.Or(c.Path, defaultPath)
	c.Limit = cmp.Or(c.Limit, 30*time.Second)
	c.Output = cmp.Or(c.Output, 1<<20)
	return &Runner{level: None, config: c}
}

// Level is the level of every command of this Runner.
func (r *Runner) Level() Level { return r.level }

// Limit is the longest that a command runs.
func (r *Runner) Limit() time.Duration { return r.config.Limit }

// Spec is one command.
type Spec struct {
	Command string // for /bin/sh -c
	Dir     string // working directory, absolute
	Home    string // HOME; "" leaves it unset
}

// Outcome is what a command came to.
type Outcome struct {
	Err      error          // it could not be started; all else is zero
	ExitCode int            // 128 + signal where a signal ended it, as a shell says it
	Signal   syscall.Signal // 0 where none did
	TimedOut bool           // it was killed at the limit
	Stopped  bool           // it was killed because ctx ended
	Stdout   Output
	Stderr   Output
	Elapsed  time.Duration
}

// killGrace is how long output may still come after everything was killed. Only
// a process out of our reach (another user's) could hold a pipe that long.
const killGrace = 500 * time.Millisecond

// Command runs one command to its end, its limit or the end of ctx, and then
// kills what it left: its process group, its session, and every process that
// carries its tag, wherever it went.
func (r *Runner) Command(ctx context.Context, s Spec) Outcome {
	begin := time.Now()
	tag := rand.Text()
	argv := r.argv(s)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = s.Dir, r.environ(s, tag), attributes()
	stdout, stderr := newCapture(r.config.Output), newCapture(r.config.Output)
	readers, err := connect(cmd, stdout, stderr)
	if err != nil {
		return Outcome{Err: err}
	}
	run := start(cmd, tag)
	readers.closeWriters()
	if run.err != nil {
		readers.finish(0)
		return Outcome{Err: run.err}
	}
	var o Outcome
	limit := time.NewTimer(r.config.Limit)
	defer limit.Stop()
	select {
	case <-run.exited:
	case <-limit.C:
		o.TimedOut = true
	case <-ctx.Done():
		o.Stopped = true
	}
	select {
	case <-run.exited: // at the same moment by itself: then that is how it ended
		o.TimedOut, o.Stopped = false, false
	default:
	}
	state := run.kill()
	readers.finish(killGrace)
	o.ExitCode, o.Signal = exit(state)
	o.Stdout, o.Stderr = trim(stdout, stderr, r.config.Output)
	for _, text := range []*[]byte{&o.Stdout.Text, &o.Stderr.Text} {
		// The tag is new each time: the same command must show the same output.
		*text = bytes.ReplaceAll(*text, []byte(tag), []byte("1"))
	}
	o.Elapsed = time.Since(begin)
	return o
}

// argv is the program that is run. Stronger levels put their helper in front.
// The first shell waits at the gate, descriptor 3, until its process is marked:
// a command that forks at once would else be faster.
func (r *Runner) argv(s Spec) []string {
	return []string{"/bin/sh", "-c", `read -r gate <&3; exec 3<&- /bin/sh -c "$1"`, "/bin/sh", s.Command}
}

// environ is all that a command gets to see: no key of a provider, nothing of
// the server's own. The tag marks its processes.
func (r *Runner) environ(s Spec, tag string) []string {
	env := []string{"PATH=" + r.config.Path, "LANG=C.UTF-8", "TERM=dumb", "PWD=" + s.Dir, tagName + "=" + tag}
	if s.Home != "" {
		env = append(env, "HOME="+s.Home)
	}
	return env
}

// tagName is the variable by which a command's processes are found again.
const tagName = "TOOL_CALL"

// exit reads how a process ended.
func exit(state *os.ProcessState) (code int, signal syscall.Signal) {
	if state == nil {
		return -1, 0
	}
	if w, ok := state.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal()), w.Signal()
	}
	return state.ExitCode(), 0
}

// readers drain a command's two pipes.
type readers struct {
	ours, theirs []*os.File
	wait         sync.WaitGroup
}

// connect gives cmd two pipes, and reads each into its capture.
func connect(cmd *exec.Cmd, stdout, stderr *capture) (*readers, error) {
	rs := new(readers)
	for _, c := range []*capture{stdout, stderr} {
		r, w, err := os.Pipe()
		if err != nil {
			rs.closeWriters()
			rs.finish(0)
			return nil, err
		}
		rs.ours, rs.theirs = append(rs.ours, r), append(rs.theirs, w)
		rs.wait.Go(func() { c.readFrom(r) })
	}
	cmd.Stdout, cmd.Stderr = rs.theirs[0], rs.theirs[1]
	return rs, nil
}

func (rs *readers) closeWriters() {
	for _, w := range rs.theirs {
		w.Close()
	}
}

// finish reads what is left, for no longer than grace, and closes the pipes.
func (rs *readers) finish(grace time.Duration) {
	for _, r := range rs.ours {
		r.SetReadDeadline(time.Now().Add(grace))
	}
	rs.wait.Wait()
	for _, r := range rs.ours {
		r.Close()
	}
}
