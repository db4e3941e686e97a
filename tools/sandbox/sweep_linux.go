package sandbox

import (
	"bytes"
	"math/bits"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"vibey/tools/sandbox/helper"
)

// attributes puts a command into a session of its own: no terminal to read
// from or to type into, and one process group to kill. When this program dies
// the kernel kills the command, or tells its supervisor.
func attributes(supervised bool) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if supervised {
		a.Pdeathsig = syscall.SIGTERM
	}
	return a
}

// awaitExit returns when the process has ended, and leaves it to be reaped.
func awaitExit(cmd *exec.Cmd) {
	for unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// put puts the mark on a process that has just begun. Where the system refuses,
// the tag in the environment is what is left.
func (m mark) put(pid int) bool { return helper.PutMark(pid, m.number()) }

// marksOf returns the marks in /proc/<pid>/limits: of the command that a process
// belongs to, and of the command that ran that command's program, if any.
func marksOf(limits []byte) (marks [2]mark) {
	const name = "\nMax file locks "
	i := bytes.Index(limits, []byte(name))
	if i < 0 {
		return marks
	}
	fields := bytes.Fields(limits[i+len(name):])
	for i := range min(len(fields), len(marks)) {
		n, err := strconv.ParseUint(string(fields[i]), 10, 64)
		if err == nil && bits.OnesCount64(n>>helper.MarkBits) == 1 && n < 1<<62 {
			marks[i] = mark{uint32(n >> commandBits & (1<<programBits - 1)), uint32(n & (1<<commandBits - 1))}
		}
	}
	return marks
}

// sweepLimit ends a sweep against processes that can't be killed.
const sweepLimit = 2 * time.Second

// sweep kills every process that carries the mark, but the one called shell.
func sweep(shell int, m mark) {
	s := sweeper{shell: shell, of: func(o mark) bool { return o == m }, tag: tagName + "=" + m.tag()}
	s.sweep()
}

// sweepProgram kills every process that carries a mark of that program.
func sweepProgram(program uint32) {
	s := sweeper{of: func(o mark) bool { return o.program == program }, tag: tagName + "=" + mark{program: program}.tag()[:9]}
	s.sweep()
}

// programRuns reports whether a living process carries a mark of that program, also
// after a moment: one that was killed takes some milliseconds to end.
func programRuns(program uint32) bool {
	s := sweeper{of: func(o mark) bool { return o.program == program }}
	for pause := time.Millisecond; s.finds(); pause *= 2 {
		if pause > 64*time.Millisecond {
			return true
		}
		time.Sleep(pause)
	}
	return false
}

// finds reports whether there is a process that is looked for.
func (s *sweeper) finds() bool {
	for pid := range helper.Processes {
		if s.marked(pid) {
			return true
		}
	}
	return false
}

// sweep kills what is found, again and again until nothing is: a process may be forking
// while it is killed.
func (s *sweeper) sweep() {
	s.killed = map[int]bool{}
	begin := time.Now()
	for pause := 500 * time.Microsecond; s.round() && time.Since(begin) < sweepLimit; pause = min(2*pause, 50*time.Millisecond) {
		time.Sleep(pause)
	}
	for p := range s.killed { // where this program is process 1, orphans are its own
		unix.Wait4(p, nil, unix.WNOHANG, nil)
	}
}

// sweeper finds processes by their marks.
type sweeper struct {
	shell  int             // is left alone; 0 is none
	of     func(mark) bool // whether it is a mark that is looked for
	tag    string          // in the environment; "" is not looked for
	killed map[int]bool
	tree   helper.Tree
}

// round kills what it finds and reports whether it found anything.
func (s *sweeper) round() (found bool) {
	for pid := range helper.Processes {
		if pid != s.shell && s.marked(pid) && unix.Kill(pid, unix.SIGKILL) == nil { // another user's can't be helped
			found = true
			s.killed[pid] = true
		}
	}
	return found
}

// marked reports whether a living process is one of those that are looked for, and not this
// one. One that has ended but was not reaped by its parent still shows its limits.
func (s *sweeper) marked(pid int) bool {
	dir := "/proc/" + strconv.Itoa(pid)
	marks := marksOf(s.tree.Read(dir + "/limits"))
	found := s.of(marks[0]) || s.of(marks[1]) || s.tag != "" && bytes.Contains(s.tree.Read(dir+"/environ"), []byte(s.tag))
	if pid == os.Getpid() || !found {
		return false
	}
	stat := s.tree.Read(dir + "/stat") // "pid (name) state …", and a name may hold brackets
	i := bytes.LastIndexByte(stat, ')')
	return i >= 0 && !gone(bytes.Fields(stat[i+1:]))
}

// gone tells by the fields of stat after the name whether a process will never
// run again: it has ended, or is on its way out, which for the first one of a
// namespace takes the time of taking that apart. A first thread that ended
// while others go on looks the same but for their number.
func gone(fields [][]byte) bool {
	const exiting = 4 // PF_EXITING
	if len(fields) < 18 {
		return true
	}
	flags, _ := strconv.ParseUint(string(fields[6]), 10, 64)
	state, threads := fields[0][0], string(fields[17])
	return (state == 'Z' || state == 'X' || flags&exiting != 0) && (threads == "0" || threads == "1")
}
