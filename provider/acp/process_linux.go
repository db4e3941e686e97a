package acp

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes puts an agent into a session of its own, and ends it with this program.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitExit waits until the process has ended. It is not reaped.
func awaitExit(cmd *exec.Cmd) {
	for unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}
