package sandbox

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// process is a command that was started.
type process struct {
	cmd    *exec.Cmd
	tag    string
	limit  string        // the tag as a limit of its processes
	err    error         // from starting
	exited chan struct{} // the shell itself has ended; it is not yet reaped
	reap   chan struct{} // closed: reap it
	reaped chan struct{}
}

// start starts cmd on a thread of its own, which then waits for it. The kernel
// kills the shell when that thread dies, so a server that is killed does not
// leave it behind; a thread of Go's pool could die earlier than the server. Once
// the shell runs, that goroutine only waits, and can't panic.
func start(cmd *exec.Cmd, tag string, files []*os.File, guard func(string, func() error) error) *process {
	p := &process{cmd: cmd, tag: tag, exited: make(chan struct{}), reap: make(chan struct{}), reaped: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := guard("starting a command", func() error { return p.enter(files) })
		started <- err
		if err != nil {
			return
		}
		awaitExit(cmd)
		close(p.exited)
		<-p.reap
		cmd.Wait() // its error is in ProcessState
		close(p.reaped)
	}()
	p.err = <-started
	return p
}

// enter starts the shell, marks it, and opens the gate that it waits at.
// It passes the files on, from number 4.
func (p *process) enter(files []*os.File) error {
	gate, key, err := os.Pipe()
	if err != nil {
		return err
	}
	defer gate.Close()
	defer key.Close() // the end of the pipe is the sign
	p.cmd.ExtraFiles = append([]*os.File{gate}, files...)
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.limit = mark(p.cmd.Process.Pid, p.tag)
	return nil
}

// unkillable is how long a process may take to die. One that waits for a dead
// disk or network share can't be killed; the call ends without it.
const unkillable = 2 * time.Second

// kill ends the shell and all that it started, and returns how the shell ended,
// nil if that can't be told. The shell is reaped last: until then its number,
// which is also that of its group and session, can't become somebody else's.
func (p *process) kill() *os.ProcessState {
	pid := p.cmd.Process.Pid
	syscall.Kill(-pid, syscall.SIGKILL)
	sweep(pid, p.tag, p.limit)
	close(p.reap)
	select {
	case <-p.reaped:
		return p.cmd.ProcessState
	case <-time.After(unkillable):
		return nil
	}
}
