//go:build unix && !linux

package sandbox

import (
	"os"
	"os/exec"
	"syscall"
)

// attributes puts a command into a session of its own: no terminal to read
// from or to type into, and one process group to kill.
func attributes(bool) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// awaitExit waits and reaps: these systems have no waiting without it.
func awaitExit(cmd *exec.Cmd) { cmd.Wait() }

func (m mark) put(pid int) bool { return false }

// sweep has nothing to go by here: what left the command's group goes on. The
// level's name in results says as much.
func sweep(shell int, m mark) {}

func sweepProgram(uint32)     {}
func programRuns(uint32) bool { return false }
func sweepOrphans()           {}
func startKeeper()            {}
func dismissKeeper()          {}

// watch has nothing to go by here.
type watch struct{}

func newWatch(int, Spec, *Runner) watch { return watch{} }
func (watch) exceeded() string          { return "" }
func halfOfMemory() int64               { return 4 << 30 }
func guardSelf()                        {}
func truncationHeld() bool              { return false }

type identity struct{}

// identityOf is of use only for walls that wait for their command: none here.
func identityOf(string) identity { return identity{} }

// unread returns 0: it is not asked here, where no walls are mounted.
func unread(*os.File) int { return 0 }
