package helper

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Landlock keeps signals within the command from version 6 on (Linux 6.12). On
// an older kernel the supervisor does: a call that sends one, or makes it
// possible, waits until the supervisor has looked where it goes. The target
// stands in the call's arguments, which can't change meanwhile.

// ScopedSignals is the version of Landlock that keeps signals within.
const ScopedSignals = 6

// The calls that name a process, or one of its threads, to signal.
var (
	killCall    = call{"kill", 62, 129}
	signalCalls = []call{
		killCall, {"tkill", 200, 130}, {"tgkill", 234, 131}, {"rt_sigqueueinfo", 129, 138}, {"rt_tgsigqueueinfo", 297, 240},
		{"pidfd_open", 434, 434},
	}
	pidfdSendSignalCall = call{"pidfd_send_signal", 424, 424}
)

// signals adds the rules for the calls that send signals.
func (p processor) signals(b *bpf) {
	p.each(b, signalCalls, asked)
	// A folder of /proc is as good as a descriptor for it, and can be had of any process.
	p.each(b, []call{pidfdSendSignalCall}, unknown)
}

// notification and answer are struct seccomp_notif and seccomp_notif_resp.
type notification struct {
	id         uint64
	pid, flags uint32
	number     int32
	arch       uint32
	at         uint64
	args       [6]uint64
}

type answer struct {
	id    uint64
	value int64
	errno int32
	flags uint32
}

// listen answers the calls that arrive at a filter's descriptor, for as long as
// there is one.
func (s *supervisor) listen(fd int) {
	for {
		var n notification
		if errno := ioctl(fd, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)); errno == unix.ENOENT || errno == unix.EINTR {
			continue // the caller was killed meanwhile
		} else if errno != 0 {
			return
		}
		a := answer{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
		if errno := s.signal(thisProcessor, n); errno != 0 {
			a = answer{id: n.id, errno: -int32(errno)}
		}
		if ioctl(fd, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&a)) == unix.EINVAL {
			a = answer{id: n.id, errno: -int32(unix.EPERM)} // the kernel can only refuse
			ioctl(fd, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&a))
		}
	}
}

func ioctl(fd int, request uint, arg unsafe.Pointer) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), uintptr(request), uintptr(arg))
	return errno
}

// signal reports whether a call may go on, which is 0. All of them name the target first.
func (s *supervisor) signal(p processor, n notification) unix.Errno {
	target := int(int32(n.args[0]))
	if int(n.number) != p.number(killCall) || target > 0 {
		return s.reaches(target)
	}
	switch target {
	case 0: // the caller's own group, all in a session that the command has made
		return 0
	case -1:
		return unix.EPERM
	}
	found := unix.ESRCH
	var t Tree
	for pid := range Processes {
		if _, group, ok := t.Parent(pid); ok && group == -target {
			if found = s.reaches(pid); found != 0 {
				return found
			}
		}
	}
	return found
}

// reaches reports whether a process, or a thread, is one of the command's, which is 0.
func (s *supervisor) reaches(pid int) unix.Errno {
	var t Tree
	for range 10 { // a parent that ends while its child is looked at breaks the chain
		p, _, ok := t.Parent(pid)
		if !ok {
			return unix.ESRCH
		}
		for ok && p > 1 && p != os.Getpid() {
			p, _, ok = t.Parent(p)
		}
		if ok {
			if p == os.Getpid() {
				return 0
			}
			break
		}
	}
	return unix.EPERM
}
