package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch      = unix.AUDIT_ARCH_AARCH64
	foreignNumbers = 0
)

var nativeRefusedCalls = []uint32{unix.SYS_LOOKUP_DCOOKIE}

var nativeModes = map[uint32]uint32{}
