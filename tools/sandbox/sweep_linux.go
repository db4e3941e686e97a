package sandbox

import (
	"bytes"
	"hash/fnv"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// attributes puts a command into a session of its own: no terminal to read
// from or to type into, and one process group to kill.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitExit returns when the process has ended, and leaves it to be reaped.
func awaitExit(cmd *exec.Cmd) {
	for unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// locks is the limit that carries the tag. Linux has not enforced it since 2.4.25,
// but inherits it across fork, exec, setsid and a cleared environment, and
// shows it in /proc/<pid>/limits: a mark that a process can't lose by accident.
const locks = unix.RLIMIT_LOCKS

// mark puts the tag on a process that has just begun, and returns it as
// /proc/<pid>/limits shows it, or "" where the system refuses: then the tag in
// the environment is what is left. Where this program runs in a command of such
// a server itself, the outer mark stays as the hard limit, the inner one below it.
func mark(pid int, tag string) string {
	h := fnv.New64a()
	h.Write([]byte(tag))
	n := 1<<61 | h.Sum64()>>4
	limit := unix.Rlimit{Cur: n, Max: n}
	var old unix.Rlimit
	if unix.Prlimit(pid, locks, nil, &old) == nil && old.Max <= 1<<62 {
		limit = unix.Rlimit{Cur: n % old.Max, Max: old.Max}
	}
	if unix.Prlimit(pid, locks, &limit, nil) != nil {
		return ""
	}
	return " " + strconv.FormatUint(limit.Cur, 10) + " "
}

// sweepLimit ends a sweep against processes that can't be killed.
const sweepLimit = 2 * time.Second

// sweep kills every process that belongs to the command whose shell is pid,
// again and again until none is found: one may be forking while it is killed.
func sweep(pid int, tag, limit string) {
	s := sweeper{shell: pid, env: []byte(tagName + "=" + tag), limit: []byte(limit), killed: map[int]bool{}}
	begin := time.Now()
	for pause := 500 * time.Microsecond; s.round() && time.Since(begin) < sweepLimit; pause = min(2*pause, 50*time.Millisecond) {
		time.Sleep(pause)
	}
	for p := range s.killed { // where this program is process 1, orphans are its own
		unix.Wait4(p, nil, unix.WNOHANG, nil)
	}
}

type sweeper struct {
	shell  int
	env    []byte
	limit  []byte
	killed map[int]bool
	buf    [64 << 10]byte
}

// round kills what it finds and tells whether it found anything.
func (s *sweeper) round() (found bool) {
	proc, err := os.Open("/proc")
	if err != nil {
		return false
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == s.shell || pid == os.Getpid() || !s.belongs(pid, name) {
			continue
		}
		if unix.Kill(pid, unix.SIGKILL) == nil { // another user's can't be helped
			found = true
			s.killed[pid] = true
		}
	}
	return found
}

// belongs tells whether a living process is one of the command's. One that has
// ended but was not reaped by its parent still shows its limits.
func (s *sweeper) belongs(pid int, name string) bool {
	dir := "/proc/" + name
	marked := len(s.limit) > 0 && bytes.Contains(s.read(dir+"/limits"), s.limit)
	if !marked && !bytes.Contains(s.read(dir+"/environ"), s.env) {
		return false
	}
	stat := s.read(dir + "/stat") // "pid (name) state …", and a name may hold brackets
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

// read returns the start of a small file of /proc, or nothing.
func (s *sweeper) read(name string) []byte {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	n := 0
	for n < len(s.buf) {
		k, err := unix.Read(fd, s.buf[n:])
		if k <= 0 || err != nil {
			break
		}
		n += k
	}
	return s.buf[:n]
}
