package sandbox

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"vibey/tools/sandbox/helper"
)

// watch looks at what a command uses of the machine. Limits of single processes
// don't add up, and those of memory would break programs that reserve much and
// use little; a cgroup is rarely ours to make.
type watch struct {
	root   int // the process below which all of the command's are found
	config Config
	disk   string // a path on the disk that the command writes to
	free   uint64 // bytes free there at the start
	ram    int64  // bytes of the machine's memory that were available at the start
	page   int64
	tree   helper.Tree
}

func newWatch(root int, s Spec, r *Runner) *watch {
	w := &watch{root: root, config: r.config, disk: s.Deed, page: int64(os.Getpagesize())}
	w.free = freeBytes(w.disk)
	w.ram = w.available()
	return w
}

// lowDisk and lowMemory are what a command must leave free, of what was free
// when it began. Files in memory that no process has mapped are seen only so.
const (
	lowDisk   = 512 << 20
	lowMemory = 256 << 20
)

// exceeded names what the command uses too much of, or "".
func (w *watch) exceeded() string {
	count, memory := w.sum()
	switch free := freeBytes(w.disk); {
	case memory > w.config.Memory, short(w.ram, w.available(), w.config.Memory):
		return "memory"
	case count > w.config.Procs:
		return "processes"
	case free < lowDisk && free+lowDisk/2 < w.free:
		return "disk"
	}
	return ""
}

// short reports whether the machine is out of memory, and lost most of what the
// command may have while it ran.
func short(before, now, may int64) bool { return now > 0 && now < lowMemory && now+may/2 < before }

// available is the machine's memory that programs could still have, in bytes.
func (w *watch) available() int64 { return w.field("/proc/meminfo", "\nMemAvailable:") << 10 }

// field returns the number after a name in a file of /proc, or 0.
func (w *watch) field(file, name string) int64 {
	_, rest, _ := bytes.Cut(w.tree.Read(file), []byte(name))
	if f := bytes.Fields(rest); len(f) > 0 {
		n, _ := strconv.ParseInt(string(f[0]), 10, 64)
		return n
	}
	return 0
}

// muchShared is from where on it is looked at what of a process's shared memory
// are files, which the kernel can take back, and what is not.
const muchShared = 32 << 20

// sum adds up the processes and threads of the command, and their memory but for
// files. What several of them share counts for each. It stops counting where
// they are too many.
func (w *watch) sum() (count int, memory int64) {
	w.tree.Below(w.root, func(pid, threads int) bool {
		count += threads
		if f := bytes.Fields(w.tree.Read("/proc/" + strconv.Itoa(pid) + "/statm")); len(f) > 2 {
			resident, _ := strconv.ParseInt(string(f[1]), 10, 64)
			shared, _ := strconv.ParseInt(string(f[2]), 10, 64)
			memory += (resident - shared) * w.page
			if shared*w.page > muchShared {
				memory += w.field("/proc/"+strconv.Itoa(pid)+"/status", "\nRssShmem:") << 10
			}
		}
		return count <= w.config.Procs
	})
	return count, memory
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
