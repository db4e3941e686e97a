package helper

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Tree reads the processes below one from /proc. It may be used from one
// goroutine at a time.
type Tree struct{ buf []byte }

// Below calls visit for each process below root, a parent before its children,
// with the number of its threads, until visit returns false.
func (t *Tree) Below(root int, visit func(pid, threads int) bool) {
	next, _ := t.children(nil, root)
	for len(next) > 0 {
		pid := next[len(next)-1]
		var threads int
		next, threads = t.children(next[:len(next)-1], pid)
		if !visit(pid, threads) {
			return
		}
	}
}

// children appends the children of a process to list. Each belongs to the
// thread that started it.
func (t *Tree) children(list []int, pid int) (_ []int, threads int) {
	dir := "/proc/" + strconv.Itoa(pid) + "/task/"
	tasks, _ := os.ReadDir(dir)
	for _, task := range tasks {
		for _, c := range bytes.Fields(t.Read(dir + task.Name() + "/children")) {
			if child, err := strconv.Atoi(string(c)); err == nil {
				list = append(list, child)
			}
		}
	}
	return list, len(tasks)
}

// Parent returns a process's parent and group.
func (t *Tree) Parent(pid int) (parent, group int, ok bool) {
	stat := t.Read("/proc/" + strconv.Itoa(pid) + "/stat") // "pid (name) state parent group …"
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 3 {
		return 0, 0, false
	}
	parent, err := strconv.Atoi(string(fields[1]))
	group, err2 := strconv.Atoi(string(fields[2]))
	return parent, group, err == nil && err2 == nil
}

// Processes yields the number of each process that there is.
func Processes(yield func(pid int) bool) {
	proc, err := os.Open("/proc")
	if err != nil {
		return
	}
	names, _ := proc.Readdirnames(-1)
	proc.Close()
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && !yield(pid) {
			return
		}
	}
}

// KnowsChildren reports whether this kernel lists children at all.
func KnowsChildren() bool {
	_, err := os.Stat("/proc/thread-self/children")
	return err == nil
}

// Read returns a file of /proc, or nothing. It is valid until the next read.
func (t *Tree) Read(name string) []byte {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	if t.buf == nil {
		t.buf = make([]byte, 4096)
	}
	n := 0
	for {
		k, err := unix.Read(fd, t.buf[n:])
		if err == unix.EINTR {
			continue
		}
		if k <= 0 || err != nil {
			return t.buf[:n]
		}
		if n += k; n == len(t.buf) {
			t.buf = append(t.buf, make([]byte, n)...)
		}
	}
}
