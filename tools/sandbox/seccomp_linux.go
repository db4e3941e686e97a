package sandbox

import (
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// bpf is a filter of system calls: the classic machine's instructions, run on
// struct seccomp_data at each call.
type bpf []unix.SockFilter

// Where struct seccomp_data holds what: arguments are 64 bits, and their low
// halves come first on the processors that auditArch knows.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

const (
	allowed = unix.SECCOMP_RET_ALLOW
	refused = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	// unknown makes a program take another way: a C library whose clone3 is not
	// there falls back to clone, whose flags a filter can see.
	unknown = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

func (b *bpf) add(code uint16, jt, jf uint8, k uint32) {
	*b = append(*b, unix.SockFilter{Code: code, Jt: jt, Jf: jf, K: k})
}

func (b *bpf) load32(at uint32) { b.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, 0, 0, at) }
func (b *bpf) ret(verdict uint32) {
	b.add(unix.BPF_RET|unix.BPF_K, 0, 0, verdict)
}

// when adds, for one call, a body that ends in a verdict or falls through to
// the next rule with the number loaded again.
func (b *bpf) when(number uint32, body func(*bpf)) {
	var inner bpf
	body(&inner)
	inner.load32(offNumber)
	b.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, uint8(len(inner)), number)
	*b = append(*b, inner...)
}

// is adds: where the loaded word is k, the verdict.
func (b *bpf) is(k, verdict uint32) {
	b.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 1, k)
	b.ret(verdict)
}

// has adds: where the loaded word has one of the bits, the verdict.
func (b *bpf) has(bits, verdict uint32) {
	b.add(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, 0, 1, bits)
	b.ret(verdict)
}

// namespaces are the flags of clone and unshare that make new ones.
const namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWTIME

// filter is the filter of one command. own: it has namespaces of its own, so
// that its sockets reach only itself; else, without network, they are TCP alone,
// which Landlock watches.
func filter(own, network bool) bpf {
	var b bpf
	b.load32(offArch)
	b.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 1, 0, auditArch)
	b.ret(unknown) // a 32-bit program on a 64-bit system would speak other numbers
	b.load32(offNumber)
	if foreignNumbers != 0 {
		b.add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, 0, 1, foreignNumbers)
		b.ret(unknown)
	}
	for _, number := range refusedCalls {
		b.is(number, refused)
	}
	b.is(unix.SYS_CLONE3, unknown)
	for _, number := range []uint32{unix.SYS_CLONE, unix.SYS_UNSHARE} {
		b.when(number, func(b *bpf) { b.load32(offArgs); b.has(namespaces, refused) })
	}
	b.when(unix.SYS_IOCTL, func(b *bpf) {
		b.load32(offArgs + 8)
		b.is(unix.TIOCSTI, refused) // types into a terminal
		b.is(tioclinux, refused)
	})
	b.setuid()
	b.sockets(own, network)
	b.ret(allowed)
	return b
}

// setuid refuses to make a file that gives its runner the rights of its owner:
// it would be a way back in for whoever else may run it.
func (b *bpf) setuid() {
	modes := map[uint32]uint32{unix.SYS_FCHMOD: 1, unix.SYS_FCHMODAT: 2, unix.SYS_FCHMODAT2: 2, unix.SYS_MKNODAT: 2, unix.SYS_OPENAT: 3}
	maps.Copy(modes, nativeModes)
	for _, number := range slices.Sorted(maps.Keys(modes)) {
		b.when(number, func(b *bpf) { b.load32(offArgs + 8*modes[number]); b.has(unix.S_ISUID|unix.S_ISGID, refused) })
	}
	b.is(unix.SYS_OPENAT2, unknown) // its mode stands in memory; programs fall back to openat
}

const tioclinux = 0x541c // TIOCLINUX: pastes into a console

// sockets are of the few families that ordinary programs use; others have been
// ways into the kernel, or out of a virtual machine.
func (b *bpf) sockets(own, network bool) {
	strict := !own && !network
	b.when(unix.SYS_SOCKET, func(b *bpf) {
		b.load32(offArgs)
		if own {
			b.is(unix.AF_UNIX, allowed)
		}
		// Without namespaces a socket of this machine, such as Docker's, stands in
		// the file system, where Landlock does not watch connecting.
		inet := inet(strict)
		skip := uint8(len(inet))
		b.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 1, 0, unix.AF_INET)
		b.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, skip, unix.AF_INET6)
		*b = append(*b, inet...)
		b.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 3, unix.AF_NETLINK)
		b.load32(offArgs + 16)
		b.is(unix.NETLINK_ROUTE, allowed) // which interfaces there are
		b.ret(refused)
	})
	if !strict {
		return
	}
	// Data in the first packet connects without the call that Landlock watches.
	for number, flags := range map[uint32]uint32{unix.SYS_SENDTO: 24, unix.SYS_SENDMSG: 16, unix.SYS_SENDMMSG: 24} {
		b.when(number, func(b *bpf) { b.load32(offArgs + flags); b.has(unix.MSG_FASTOPEN, refused) })
	}
}

// inet is the rest of a socket call of the families of the internet.
func inet(strict bool) (b bpf) {
	if !strict {
		b.ret(allowed)
		return b
	}
	if landlockABI() < 4 { // it watches no ports
		b.ret(refused)
		return b
	}
	// Only TCP: Landlock does not watch UDP, nor MPTCP and SCTP, which are streams too.
	b.load32(offArgs + 8)
	b.add(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, 0, 0, 0xf)
	b.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 5, unix.SOCK_STREAM)
	b.load32(offArgs + 16)
	b.is(0, allowed)
	b.is(unix.IPPROTO_TCP, allowed)
	b.ret(refused)
	return b
}

// load puts the filter on this thread and what it becomes.
func (b bpf) load() error {
	prog := unix.SockFprog{Len: uint16(len(b)), Filter: &b[0]}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog))); errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}

// refusedCalls have no use in a build or a script: they steer other processes,
// the kernel or the machine, or were ways around a wall.
var refusedCalls = append([]uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN,
	unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_SETNS, unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_REBOOT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_ACCT, unix.SYS_SYSLOG, unix.SYS_FANOTIFY_INIT,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_VHANGUP,
}, nativeRefusedCalls...)
