// Package helper is what this program becomes on the way to a command: it puts
// the walls around its own process and executes the command's shell, or stays as
// the supervisor of all that the command starts.
//
// It is small on purpose. A program's packages are set up before main runs, each
// after what it imports; this one's turn comes before that of the large ones, and
// as the helper it never comes back.
package helper

import (
	"syscall"
	"time"
)

// Unkillable is how long processes may take to die. One that waits for a dead
// disk or network share can't be killed; the call ends without it.
const Unkillable = 2 * time.Second

// ReportSize is the size of what a supervisor reports: the shell's wait status,
// and 1 where nothing of the command is left.
const ReportSize = 5

// MarkBits is how many bits the mark of a command has.
const MarkBits = 53

// Exit reads how a process ended.
func Exit(w *syscall.WaitStatus) (code int, signal syscall.Signal) {
	switch {
	case w == nil:
		return -1, 0
	case w.Signaled():
		return 128 + int(w.Signal()), w.Signal()
	}
	return w.ExitStatus(), 0
}
