package sandbox

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// watch looks at what a command uses of the machine. Limits of single processes
// don't add up, and those of memory would break programs that reserve much and
// use little; a cgroup is rarely ours to make.
type watch struct {
	shell  int
	config Config
	disk   string // a path on the disk that the command writes to
	free   uint64 // bytes free there at the start
	page   int64
	buf    [4096]byte
}

func newWatch(shell int, s Spec, r *Runner) *watch {
	w := &watch{shell: shell, config: r.config, disk: s.Deed, page: int64(os.Getpagesize())}
	w.free = freeBytes(w.disk)
	return w
}

// lowDisk is what a command must leave free, of what was free when it began.
const lowDisk = 512 << 20

// exceeded names what the command uses too much of, or "".
func (w *watch) exceeded() string {
	count, memory := w.tree(w.shell)
	switch free := freeBytes(w.disk); {
	case memory > w.config.Memory:
		return "memory"
	case count > w.config.Procs:
		return "processes"
	case free < lowDisk && free+lowDisk/2 < w.free:
		return "disk"
	}
	return ""
}

// tree adds up the processes below one, and their memory that is not shared.
func (w *watch) tree(root int) (count int, memory int64) {
	for next := []int{root}; len(next) > 0 && count <= w.config.Procs; count++ {
		pid := next[len(next)-1]
		next = next[:len(next)-1]
		dir := "/proc/" + strconv.Itoa(pid)
		if f := bytes.Fields(w.read(dir + "/statm")); len(f) > 2 {
			resident, _ := strconv.ParseInt(string(f[1]), 10, 64)
			shared, _ := strconv.ParseInt(string(f[2]), 10, 64)
			memory += (resident - shared) * w.page
		}
		tasks, _ := os.ReadDir(dir + "/task")
		for i, t := range tasks {
			if i > 0 {
				count++ // a thread takes the same place as a process
			}
			for _, c := range bytes.Fields(w.read(dir + "/task/" + t.Name() + "/children")) {
				child, _ := strconv.Atoi(string(c))
				next = append(next, child)
			}
		}
	}
	return count, memory
}

// read returns the start of a small file of /proc, or nothing.
func (w *watch) read(name string) []byte {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	n, _ := unix.Read(fd, w.buf[:])
	return w.buf[:max(n, 0)]
}

func freeBytes(path string) uint64 {
	var st unix.Statfs_t
	if path == "" || unix.Statfs(path, &st) != nil {
		return 0
	}
	return st.Bavail * uint64(st.Bsize)
}

// halfOfMemory is the most that one command may hold, in bytes.
func halfOfMemory() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 4 << 30
	}
	return int64(uint64(info.Totalram) * uint64(info.Unit) / 2)
}
