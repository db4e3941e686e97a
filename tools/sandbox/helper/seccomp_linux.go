package helper

import "golang.org/x/sys/unix"

// The filter of a command's system calls names what is refused, up to the
// newest call that was looked at; every later one is as if it were not there.
// A list of what is allowed would be the same list turned around: each known
// call stands with its verdict in testdata/syscalls.txt, and a test fails where
// a newer golang.org/x/sys knows more.

const (
	allowed = unix.SECCOMP_RET_ALLOW
	refused = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	// unknown makes a program take another way: a C library whose clone3 is not
	// there falls back to clone, whose flags a filter can see.
	unknown = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	// asked lets the supervisor decide: see signals_linux.go.
	asked = unix.SECCOMP_RET_USER_NOTIF
)

// newestCall is the highest number that a known call has, the same on all processors.
const newestCall = 471

// rules is what a filter depends on.
type rules struct {
	own     bool // the command has namespaces of its own, so that its sockets and signals reach only itself
	network bool // a human has allowed the network
	ask     bool // Landlock does not keep signals within the command: the supervisor must
}

// rules are those of the filter.
func (p Plan) rules() rules {
	return rules{own: p.Own, network: p.Network, ask: !p.Own && p.abi() < ScopedSignals}
}

// filter makes the filter of one command.
func (p processor) filter(r rules) bpf {
	b := make(bpf, 0, 512)
	b.load(offArch)
	b.unless(p.arch, func(b *bpf) { b.ret(unknown) }) // a 32-bit program on a 64-bit system would speak other numbers
	b.load(offNumber)
	b.atLeast(newestCall+1, unknown) // also the numbers of x32, which name the same calls
	p.each(&b, refusedCalls, refused)
	p.each(&b, unknownCalls, unknown)
	for _, c := range calls {
		p.when(&b, c.call, c.rule)
	}
	if !r.own {
		p.each(&b, sharedCalls, refused)
		p.when(&b, socketpairCall, streamsAlone)
		p.when(&b, fcntlCall, oneOf(1, unix.F_SETOWN, unix.F_SETOWN_EX, unix.F_SETSIG)) // a file that is ready signals anything
		p.when(&b, ioctlCall, oneOf(1, fiosetown, unix.SIOCSPGRP))
	}
	p.when(&b, socketCall, r.socket)
	if r.ask {
		p.signals(&b)
	}
	b.ret(allowed)
	return b
}

// each adds one verdict for all of the calls.
func (p processor) each(b *bpf, calls []call, verdict uint32) {
	for _, c := range calls {
		if n := p.number(c); n != none {
			b.is(uint32(n), verdict)
		}
	}
}

// when adds, for one call, a body that ends in a verdict or falls through to
// the next rule with the number loaded again.
func (p processor) when(b *bpf, c call, body func(*bpf)) {
	n := p.number(c)
	if n == none {
		return
	}
	b.where(uint32(n), func(b *bpf) {
		body(b)
		b.load(offNumber)
	})
}

// namespaces are the flags of clone and unshare that make new ones, and the one
// that makes a process the child of its parent's parent.
const namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWTIME | unix.CLONE_PARENT

const (
	setid     = unix.S_ISUID | unix.S_ISGID
	tioclinux = 0x541c // TIOCLINUX: pastes into a console
	fiosetown = 0x8901 // FIOSETOWN, like SIOCSPGRP: F_SETOWN of a socket
)

var (
	socketCall     = call{"socket", 41, 198}
	socketpairCall = call{"socketpair", 53, 199}
	fcntlCall      = call{"fcntl", 72, 25}
	ioctlCall      = call{"ioctl", 16, 29}
)

// calls are refused by their arguments.
var calls = []struct {
	call
	rule func(*bpf)
}{
	{call{"clone", 56, 220}, without(0, namespaces)},
	{call{"unshare", 272, 97}, without(0, namespaces)},
	{ioctlCall, oneOf(1, unix.TIOCSTI, tioclinux)}, // these type into a terminal
	// Who may read a file of its own user could keep its writers waiting for 45 s, again and again.
	{fcntlCall, oneOf(1, unix.F_SETLEASE)},
	// A file that gives its runner the rights of its owner is a way back in for
	// any other user who may run it.
	{call{"chmod", 90, none}, without(1, setid)},
	{call{"fchmod", 91, 52}, without(1, setid)},
	{call{"fchmodat", 268, 53}, without(2, setid)},
	{call{"fchmodat2", 452, 452}, without(2, setid)},
	{call{"creat", 85, none}, without(1, setid)},
	{call{"open", 2, none}, without(2, setid)},
	{call{"openat", 257, 56}, without(3, setid)},
	{call{"mknod", 133, none}, without(1, setid)},
	{call{"mknodat", 259, 33}, without(2, setid)},
	// The mark of a command's processes, and limits of any process but the caller.
	{call{"setrlimit", 160, 164}, oneOf(0, Locks)},
	{call{"prlimit64", 302, 261}, func(b *bpf) {
		foreign := func(b *bpf) {
			b.low(1)
			b.is(Locks, refused)
			b.low(0)
			b.unless(0, func(b *bpf) { b.ret(refused) })
		}
		b.low(2) // the new limit, by its address: none where it is only asked for
		b.unless(0, foreign)
		b.high(2)
		b.unless(0, foreign)
	}},
}

// without is the rule that an argument must have none of them.
func without(arg, bits uint32) func(*bpf) {
	return func(b *bpf) { b.low(arg); b.has(bits, refused) }
}

// oneOf is the rule that an argument must be none of them.
func oneOf(arg uint32, values ...uint32) func(*bpf) {
	return func(b *bpf) {
		b.low(arg)
		for _, v := range values {
			b.is(v, refused)
		}
	}
}

// socket allows the few families that ordinary programs use; others have been
// ways into the kernel, or out of a virtual machine. Without namespaces and
// network there is none at all: a socket that only listens gets a port by itself,
// and Landlock's rules of ports know no addresses.
func (r rules) socket(b *bpf) {
	b.low(0)
	if r.own {
		b.is(unix.AF_UNIX, allowed)
	}
	// Without namespaces a socket of this machine, such as Docker's, stands in
	// the file system, where Landlock does not watch connecting.
	if r.own || r.network {
		b.is(unix.AF_INET, allowed)
		b.is(unix.AF_INET6, allowed)
		b.where(unix.AF_NETLINK, func(b *bpf) {
			b.low(2)
			b.is(unix.NETLINK_ROUTE, allowed) // which interfaces there are
		})
	}
	b.ret(refused)
}

// streamsAlone is for pairs of sockets: one of datagrams can send to any other
// of this machine.
func streamsAlone(b *bpf) {
	b.low(1)
	b.and(0xf)
	b.is(unix.SOCK_STREAM, allowed)
	b.is(unix.SOCK_SEQPACKET, allowed)
	b.ret(refused)
}

// refusedCalls have no use in a build or a script: they steer other processes,
// the kernel or the machine, or were ways around a wall.
var refusedCalls = []call{
	{"ptrace", 101, 117}, {"process_vm_readv", 310, 270}, {"process_vm_writev", 311, 271}, {"process_madvise", 440, 440},
	{"process_mrelease", 448, 448}, {"kcmp", 312, 272}, {"pidfd_getfd", 438, 438},
	{"keyctl", 250, 219}, {"add_key", 248, 217}, {"request_key", 249, 218},
	{"bpf", 321, 280}, {"perf_event_open", 298, 241}, {"userfaultfd", 323, 282},
	{"io_uring_setup", 425, 425}, {"io_uring_enter", 426, 426}, {"io_uring_register", 427, 427},
	{"mount", 165, 40}, {"umount2", 166, 39}, {"pivot_root", 155, 41}, {"chroot", 161, 51}, {"move_mount", 429, 429},
	{"open_tree", 428, 428}, {"open_tree_attr", 467, 467}, {"fsopen", 430, 430}, {"fsconfig", 431, 431}, {"fsmount", 432, 432},
	{"fspick", 433, 433}, {"mount_setattr", 442, 442}, {"setns", 308, 268}, {"listns", 470, 470}, {"open_by_handle_at", 304, 265},
	{"kexec_load", 246, 104}, {"kexec_file_load", 320, 294}, {"init_module", 175, 105}, {"finit_module", 313, 273}, {"delete_module", 176, 106},
	{"reboot", 169, 142}, {"swapon", 167, 224}, {"swapoff", 168, 225}, {"quotactl", 179, 60}, {"quotactl_fd", 443, 443},
	{"acct", 163, 89}, {"syslog", 103, 116}, {"fanotify_init", 300, 262}, {"lsm_set_self_attr", 460, 460},
	{"settimeofday", 164, 170}, {"clock_settime", 227, 112}, {"sethostname", 170, 161}, {"setdomainname", 171, 162},
	{"vhangup", 153, 58}, {"lookup_dcookie", 212, 18}, {"uselib", 134, none}, {"iopl", 172, none}, {"ioperm", 173, none}, {"modify_ldt", 154, none},
}

// unknownCalls have their flags or modes in memory, where no filter can see them.
var unknownCalls = []call{{"clone3", 435, 435}, {"openat2", 437, 437}}

// sharedCalls reach, without namespaces, what belongs to no process: it would
// outlive the command, or is another program's.
var sharedCalls = []call{
	{"shmget", 29, 194}, {"shmat", 30, 196}, {"shmctl", 31, 195},
	{"msgget", 68, 186}, {"msgsnd", 69, 189}, {"msgrcv", 70, 188}, {"msgctl", 71, 187},
	{"semget", 64, 190}, {"semop", 65, 193}, {"semctl", 66, 191}, {"semtimedop", 220, 192},
	{"mq_open", 240, 180}, {"mq_unlink", 241, 181},
}
