package helper

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A command without a pid namespace has a supervisor: a process of this program
// between the server and the command. Whatever leaves its parent becomes the
// supervisor's child, so that all of the command is below one process, wherever
// it went. The supervisor kills all of it when the shell has ended, when the
// server says so, and when the server is gone. Behind walls a command can do
// nothing to it: see signals_linux.go.

// supervisor is the state of that process.
type supervisor struct {
	shell int
	mu    sync.Mutex // held to reap, and to kill: a number that is not reaped can't become another's
	ended chan unix.WaitStatus
	alone chan struct{} // closed once no child is left
}

// supervise runs the command, and ends with it. It comes back only with an error.
func supervise(p Plan, command string) error {
	unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // the command must not read or steer this process
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the parent of orphans: %w", err)
	}
	PutMark(0, p.Mark)
	told := make(chan os.Signal, 1)
	signal.Notify(told, unix.SIGTERM, unix.SIGINT, unix.SIGHUP) // the first of them is also that the server has died
	if err := unix.CloseRange(LeashFD, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("close descriptors: %w", err)
	}
	s := &supervisor{ended: make(chan unix.WaitStatus, 1), alone: make(chan struct{})}
	if err := s.start(p, command); err != nil {
		return err
	}
	go s.reap()
	released := make(chan struct{})
	go func() { awaitRelease(); close(released) }()
	status := unix.WaitStatus(unix.SIGKILL)
	select {
	case status = <-s.ended:
	case <-told:
	case <-released:
	}
	report := make([]byte, ReportSize)
	if s.killAll() {
		report[4] = 1
	}
	select {
	case status = <-s.ended: // while all was killed
	default:
	}
	binary.NativeEndian.PutUint32(report, uint32(status))
	unix.Sendmsg(LeashFD, report, nil, nil, unix.MSG_NOSIGNAL)
	os.Exit(0)
	return nil
}

// awaitRelease returns when the server says that the command must end, or is gone.
func awaitRelease() {
	var b [1]byte
	for {
		if _, err := unix.Read(LeashFD, b[:]); err != unix.EINTR {
			return
		}
	}
}

// start starts the command, in a session of its own. The kernel kills it when
// this thread dies, and so this process.
func (s *supervisor) start(p Plan, command string) (err error) {
	order := uintptr(p.Order)
	if p.Supervise = false; order != 0 {
		p.Order = orderFD
	}
	argv := p.Argv(command)
	if p.Open {
		argv = []string{"/bin/sh", "-c", command}
	}
	files := []uintptr{0, 1, 2}
	if !p.Open {
		files = append(files, ^uintptr(0), SelfFD)
	}
	if !p.Open && p.rules().ask {
		ask, theirs, err := ControlPair()
		if err != nil {
			return err
		}
		defer theirs.Close()
		files = append(files, theirs.Fd())
		go func() {
			if _, fd, err := Receive(ask); err == nil && fd >= 0 {
				s.listen(fd)
			}
		}()
	}
	if order != 0 {
		for len(files) < orderFD {
			files = append(files, ^uintptr(0))
		}
		files = append(files, order)
	}
	s.shell, err = syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{
		Env: os.Environ(), Files: files,
		Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	})
	return err
}

// reap reaps children as they end, until none is left.
func (s *supervisor) reap() {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOWAIT|unix.WALL, nil)
		if err == unix.EINTR {
			continue
		} else if err != nil {
			close(s.alone)
			return
		}
		var status unix.WaitStatus
		s.mu.Lock()
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG|unix.WALL, nil)
		s.mu.Unlock()
		if err == nil && pid == s.shell {
			s.ended <- status
		}
	}
}

// killAll kills every process below this one, again and again until none is
// left: one may be forking while it is killed. It returns false where one can't
// be killed.
func (s *supervisor) killAll() bool {
	begin := time.Now()
	for pause := 50 * time.Microsecond; time.Since(begin) < Unkillable; pause = min(2*pause, time.Millisecond) {
		s.mu.Lock()
		var t Tree
		t.Below(os.Getpid(), func(pid, _ int) bool {
			// The kernel kills a group in one step, so that none in it can go on by
			// forking. No group of the command's holds another process.
			if _, group, ok := t.Parent(pid); ok && group > 1 && group != unix.Getpgrp() {
				unix.Kill(-group, unix.SIGKILL)
			}
			unix.Kill(pid, unix.SIGKILL)
			return true
		})
		s.mu.Unlock()
		select {
		case <-s.alone:
			return true
		case <-time.After(pause):
		}
	}
	return false
}
