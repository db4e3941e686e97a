//go:build unix && !linux

package acp

import (
	"os/exec"
	"syscall"
)

// attributes puts an agent into a session of its own. These systems end no process with
// the one that started it.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// awaitExit waits and reaps: these systems have no waiting without it.
func awaitExit(cmd *exec.Cmd) { cmd.Process.Wait() }
