package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_X86_64
	// foreignNumbers is where the numbers of x32 begin, which name the same calls.
	foreignNumbers = 0x40000000
)

var nativeRefusedCalls = []uint32{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_MODIFY_LDT}

// nativeModes are calls that set a file's mode, and which argument it is.
var nativeModes = map[uint32]uint32{unix.SYS_CHMOD: 1, unix.SYS_CREAT: 1, unix.SYS_MKNOD: 1, unix.SYS_OPEN: 2}
