package helper

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// processor is a kind of processor that filters are made for. All of them are
// compiled into every program, so that a test can run each filter anywhere.
type processor struct {
	arch   uint32
	number func(call) int
}

var (
	amd64 = processor{unix.AUDIT_ARCH_X86_64, func(c call) int { return c.amd64 }}
	arm64 = processor{unix.AUDIT_ARCH_AARCH64, func(c call) int { return c.arm64 }}
)

// call is a system call by its number on each processor, none where it is not there.
type call struct {
	name         string
	amd64, arm64 int
}

const none = -1

// bpf is the classic machine's instructions, run on struct seccomp_data at each call.
type bpf []unix.SockFilter

// Where struct seccomp_data holds what: arguments are 64 bits, and their low
// halves come first on the processors that we know.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

func (b *bpf) add(code uint16, jt, jf uint8, k uint32) {
	*b = append(*b, unix.SockFilter{Code: code, Jt: jt, Jf: jf, K: k})
}

// low and high load a half of an argument.
func (b *bpf) low(arg uint32)  { b.load(offArgs + 8*arg) }
func (b *bpf) high(arg uint32) { b.load(offArgs + 8*arg + 4) }

func (b *bpf) load(at uint32) { b.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, 0, 0, at) }
func (b *bpf) and(k uint32)   { b.add(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, 0, 0, k) }
func (b *bpf) ret(verdict uint32) {
	b.add(unix.BPF_RET|unix.BPF_K, 0, 0, verdict)
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

// atLeast adds: where the loaded word is not below k, the verdict.
func (b *bpf) atLeast(k, verdict uint32) {
	b.add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, 0, 1, k)
	b.ret(verdict)
}

// where adds a body for the case that the loaded word is k.
func (b *bpf) where(k uint32, body func(*bpf)) { b.branch(k, body, true) }

// unless adds a body for the case that the loaded word is not k.
func (b *bpf) unless(k uint32, body func(*bpf)) { b.branch(k, body, false) }

// branch adds a body and a jump over it. A body that falls through leaves
// another word loaded, or the same.
func (b *bpf) branch(k uint32, body func(*bpf), equal bool) {
	var inner bpf
	body(&inner)
	if len(inner) > 255 {
		panic("sandbox: a rule of the filter is too long")
	}
	skip := uint8(len(inner))
	if equal {
		b.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, skip, k)
	} else {
		b.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, skip, 0, k)
	}
	*b = append(*b, inner...)
}

// install puts the filter on this thread and what it becomes. With listen it
// returns the descriptor at which the asked calls arrive, else -1.
func (b bpf) install(listen bool) (int, error) {
	var flags uintptr
	if listen {
		flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER
	}
	prog := unix.SockFprog{Len: uint16(len(b)), Filter: &b[0]}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return -1, fmt.Errorf("seccomp: %w", errno)
	}
	if !listen {
		return -1, nil
	}
	return int(fd), nil
}
