package acp

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"vibey/tools/caught"
)

// Command is the program of an agent and its arguments.
type Command struct {
	Args []string // the first one is the program: absolute, or a name looked up in the PATH of Env
	Dir  string   // working directory, absolute
	Env  []string // as os.Environ returns it
}

// ErrRelative is a program, or a folder of PATH, that depends on the working directory: a
// file that an agent's work has brought there could be started in its place.
var ErrRelative = errors.New("its path is relative, and only a program with an absolute path, or one that the PATH leads to by an absolute path, is started")

// program returns the absolute path of the command's program. Its error wraps ErrRelative,
// or exec.ErrNotFound. Folders of PATH that are relative or empty are passed over.
func (c *Command) program() (string, error) {
	name := c.Args[0]
	switch {
	case filepath.IsAbs(name):
		return name, nil
	case strings.ContainsRune(name, filepath.Separator):
		return "", ErrRelative
	}
	for i := len(c.Env) - 1; i >= 0; i-- { // of two with one name the last one counts
		path, ok := strings.CutPrefix(c.Env[i], "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(path) {
			if !filepath.IsAbs(dir) {
				continue
			}
			if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				return found, nil
			}
		}
		break
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}

// Process is an agent that was started, and the connection to it. The program and
// what it starts are one process group, which ends as a whole: when the first process
// ends, at Kill, and on Linux the first process with this program, however that ends.
// What leaves the group goes on; nothing here holds it.
type Process struct {
	*Conn

	cmd    *exec.Cmd
	stderr tail          // read when exited is closed
	exited chan struct{} // closed when the first process has ended and its group was killed
	state  error         // how it ended; read when exited is closed
}

// stderrKept is how much of the end of an agent's stderr is kept to tell why it ended.
const stderrKept = 4 << 10

// Start starts an agent. The caller must call Serve in a goroutine of its own, and in
// the end Kill.
func Start(c Command, conf Config) (*Process, error) {
	if conf.Log == nil {
		conf.Log = slog.New(slog.DiscardHandler)
	}
	program, err := c.program()
	if err != nil {
		return nil, err
	}
	stdin, toAgent, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	fromAgent, stdout, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, stdin.Close(), toAgent.Close())
	}
	p := &Process{cmd: exec.Command(program, c.Args[1:]...), exited: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env, p.cmd.SysProcAttr = c.Dir, c.Env, attributes()
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = stdin, stdout, &p.stderr
	p.cmd.WaitDelay = lastWords // what left the group may hold stderr for ever
	p.Conn = NewConn(&stdio{in: fromAgent, out: toAgent}, conf)

	begun := make(chan error, 1)
	caught.Go(conf.Log, "waiting for an agent to end", func() { p.run(begun) })
	err = <-begun
	for _, f := range []*os.File{stdin, stdout} {
		f.Close() // the agent has its own
	}
	if err != nil {
		p.Conn.Close()
		return nil, err
	}
	return p, nil
}

// run starts the first process, waits for its end, and kills its group. It stays on one
// thread: the kernel ends the process with the thread that started it (see attributes).
func (p *Process) run(begun chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	begun <- err
	if err != nil {
		return
	}
	awaitExit(p.cmd)
	p.killGroup()
	if p.state = p.cmd.Wait(); errors.Is(p.state, exec.ErrWaitDelay) {
		p.state = nil
	}
	close(p.exited)
}

// killGroup kills what is left of the process group. Until the first process was waited
// for, its number can't be another's.
func (p *Process) killGroup() { syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }

// Pid is the number of the first process.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Exited is closed when the agent has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Ended reports whether the agent has ended.
func (p *Process) Ended() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// Kill ends the agent and returns when it has ended. The connection is closed first,
// by which an agent sees that it is to end; what still runs after grace is killed.
func (p *Process) Kill(grace time.Duration) {
	p.Conn.Close()
	if grace > 0 {
		t := time.NewTimer(grace)
		defer t.Stop()
		select {
		case <-p.exited:
		case <-t.C:
		}
	}
	if p.Ended() {
		return
	}
	p.killGroup()
	select {
	case <-p.exited:
	case <-time.After(unkillable):
	}
}

// unkillable is how long a killed process is waited for: one that the kernel holds
// must not hold this program as well.
const unkillable = 2 * time.Second

// lastWords is how long the stderr of an agent that has ended is read on.
const lastWords = 200 * time.Millisecond

// Why tells in words how the agent ended and the last lines of its stderr; "" while it
// runs.
func (p *Process) Why() string {
	if !p.Ended() {
		return ""
	}
	how := "it ended by itself"
	if p.state != nil {
		how = p.state.Error()
	}
	if said := strings.TrimSpace(strings.ToValidUTF8(string(p.stderr), "\uFFFD")); said != "" {
		return fmt.Sprintf("%s. Its last words: %s", how, said)
	}
	return how
}

// stdio is the two pipes of an agent as one stream.
type stdio struct{ in, out *os.File }

func (s *stdio) Read(b []byte) (int, error)  { return s.in.Read(b) }
func (s *stdio) Write(b []byte) (int, error) { return s.out.Write(b) }
func (s *stdio) Close() error                { return errors.Join(s.out.Close(), s.in.Close()) }

// tail keeps the last stderrKept bytes that are written to it.
type tail []byte

func (t *tail) Write(b []byte) (int, error) {
	*t = append(*t, b...)
	if over := len(*t) - stderrKept; over > 0 {
		*t = append((*t)[:0], (*t)[over:]...)
	}
	return len(b), nil
}
