package helper

import (
	"fmt"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Landlock's rights, as far as a command is given them. The rules hold for all
// below a folder and can't take back a part of it.
const (
	basicRights  = 1<<13 - 1 // those of the first version
	listRights   = unix.LANDLOCK_ACCESS_FS_READ_DIR
	readRights   = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	fileRights   = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	deviceRights = readRights | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	// No device nodes, and no ioctl on devices that are there already.
	writeRights = (basicRights | unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE) &^ (unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK)
)

// ABI is the kernel's version of Landlock, 0 where there is none.
var ABI = sync.OnceValue(func() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
})

// abi is the version of Landlock that holds for the command, 0 where there is none.
func (p Plan) abi() int {
	if p.ABI > 0 {
		return min(p.ABI, ABI())
	}
	return ABI()
}

// handled returns what a kernel of that version can refuse.
func handled(abi int) (a unix.LandlockRulesetAttr) {
	a.Handled_access_fs = basicRights
	if abi >= 2 {
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 4 {
		a.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= 5 {
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 6 {
		a.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	if abi >= 9 {
		// Granted nowhere: what remains are the sockets that the command made itself.
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
	}
	return a
}

// restrict lets this thread, and what it becomes, reach nothing but what the
// plan names. It goes without a library: those must restrict all threads of a
// program, and link C for it; here the thread that is restricted executes.
func (p Plan) restrict() error {
	abi := p.abi()
	if abi == 0 {
		return nil // the probe has chosen a level that can do without
	}
	attr := handled(abi)
	if p.Own || p.Network {
		attr.Handled_access_net = 0
	}
	// The kernel refuses a larger structure than it knows, unless the rest is zero.
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	defer unix.Close(int(fd))
	for _, group := range []struct {
		paths  []string
		rights uint64
	}{{p.List, listRights}, {p.Read, readRights}, {p.Write, writeRights}, {p.Device, deviceRights}} {
		for _, path := range group.paths {
			if err := allowBeneath(int(fd), path, group.rights&attr.Handled_access_fs); err != nil {
				return err
			}
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	return nil
}

// allowBeneath grants rights to a file, or to a folder and all below it. What
// is not there needs no rule.
func allowBeneath(ruleset int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err == unix.ENOENT || err == unix.EACCES {
		return nil
	} else if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fileRights // the kernel refuses a folder's rights on a file
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("landlock, %s: %w", path, errno)
	}
	return nil
}
