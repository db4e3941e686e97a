package sandbox

import (
	"encoding/binary"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"vibey/tools/sandbox/helper"
)

// process is a command that was started.
type process struct {
	cmd    *exec.Cmd
	mark   mark
	leash  *os.File      // the socket to the command's supervisor; nil where it has none
	end    func() bool   // of the job
	err    error         // from starting
	exited chan struct{} // closed once the first process itself has ended; it is not yet reaped
	reap   chan struct{} // closed: reap it
	reaped chan struct{}
}

// start starts cmd on a thread of its own, which then waits for it. The kernel
// signals the process when that thread dies, so a server that is killed does not
// leave it behind; a thread of Go's pool could die earlier than the server. Once
// the process runs, that goroutine only waits, and can't panic.
func start(cmd *exec.Cmd, m mark, job *job, guard func(string, func() error) error) *process {
	p := &process{cmd: cmd, mark: m, leash: job.leash, end: job.end, exited: make(chan struct{}), reap: make(chan struct{}), reaped: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := guard("starting a command", func() error { return p.enter(job.files) })
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

// enter starts the process. A supervisor, which marks itself, gets the files from
// number 3 on; a command that its namespace ends needs no mark, and gets them from
// number 4. Else the shell is marked here, and waits for that at the gate, which is
// then the first of the files.
func (p *process) enter(files []*os.File) error {
	switch {
	case p.leash != nil:
		p.cmd.ExtraFiles = files
		return p.cmd.Start()
	case p.end != nil:
		p.cmd.ExtraFiles = append([]*os.File{nil}, files...)
		return p.cmd.Start()
	}
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
	p.mark.put(p.cmd.Process.Pid)
	return nil
}

// kill ends the command and all that it started, and returns how it ended, nil
// if that can't be told. The first process is reaped last: until then its number,
// which is also that of its group and session, can't become another's.
func (p *process) kill() *syscall.WaitStatus {
	status, alone := p.release()
	if !alone {
		pid := p.cmd.Process.Pid
		syscall.Kill(-pid, syscall.SIGKILL)
		if p.end == nil || !p.end() {
			sweep(pid, p.mark)
		}
	}
	close(p.reap)
	select {
	case <-p.reaped:
		if w, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status == nil {
			status = &w
		}
	case <-time.After(helper.Unkillable):
	}
	return status
}

// release tells the supervisor to end the command, waits for that, and returns
// how the command's shell ended. alone: nothing of the command is left. A
// supervisor that tells nothing was killed itself.
func (p *process) release() (status *syscall.WaitStatus, alone bool) {
	if p.leash == nil {
		return nil, false
	}
	p.leash.Write([]byte{0})
	select {
	case <-p.exited:
	case <-time.After(2 * helper.Unkillable):
		return nil, false
	}
	var report [helper.ReportSize]byte
	p.leash.SetReadDeadline(time.Now().Add(helper.Unkillable)) // it is there already, or never comes
	if n, _ := p.leash.Read(report[:]); n != len(report) {
		return nil, false
	}
	w := syscall.WaitStatus(binary.NativeEndian.Uint32(report[:]))
	return &w, report[4] == 1
}
