package sandbox

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"sync"

	"golang.org/x/sys/unix"
)

func stampOf(st *unix.Stat_t) Stamp {
	return Stamp{
		Size: st.Size, Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano(), Inode: st.Ino, Dev: st.Dev,
		Mode: st.Mode, Links: uint32(st.Nlink), Owner: st.Uid,
	}
}

// openBelow opens a path below dir in one call, without links and ways up.
func openBelow(dir int, name string, flags int) (int, error) {
	how := unix.OpenHow{Flags: uint64(flags | unix.O_NOFOLLOW | unix.O_CLOEXEC), Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS}
	for tries := 0; ; tries++ {
		fd, err := unix.Openat2(dir, name, &how)
		switch {
		case (err == unix.EAGAIN || err == unix.EINTR) && tries < 100: // something was renamed at that moment
			continue
		case err == unix.ENOSYS || err == unix.EPERM: // Linux before 5.6, or a container's filter that does not know it
			return stepBelow(dir, name, flags)
		}
		return fd, err
	}
}

// Local tells whether the times of the folder's file system are by this
// machine's clock.
func (f *Folder) Local() bool {
	var st unix.Statfs_t
	if unix.Fstatfs(f.fd, &st) != nil {
		return false
	}
	switch uint32(st.Type) {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, zfs:
		return true
	}
	return false
}

const zfs = 0x2fc12fc1

// buffers are for Each: a folder of a walk is read in some microseconds.
var buffers = sync.Pool{New: func() any { return new([16 << 10]byte) }}

// Each calls visit for every entry but "." and "..", until it returns false.
// The name is only valid during the call.
func (f *Folder) Each(visit func(name []byte, k Kind) bool) error {
	buf := buffers.Get().(*[16 << 10]byte)
	defer buffers.Put(buf)
	for {
		n, err := unix.Getdents(f.fd, buf[:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return &fs.PathError{Op: "readdir", Path: ".", Err: err}
		}
		if n <= 0 {
			return nil
		}
		const sizeAt, typeAt, nameAt = 16, 18, 19 // struct linux_dirent64: inode, offset, size, type, name
		for rest := buf[:n]; len(rest) > nameAt; {
			size := int(binary.NativeEndian.Uint16(rest[sizeAt:]))
			name, _, _ := bytes.Cut(rest[nameAt:size], []byte{0})
			kind := kinds[rest[typeAt]&0xf]
			rest = rest[size:]
			if dots := string(name) == "." || string(name) == ".."; !dots && !visit(name, kind) {
				return nil
			}
		}
	}
}

// kinds are those of d_type.
var kinds = [16]Kind{
	unix.DT_REG: FileKind, unix.DT_DIR: DirKind, unix.DT_LNK: LinkKind,
	unix.DT_FIFO: OtherKind, unix.DT_SOCK: OtherKind, unix.DT_CHR: OtherKind, unix.DT_BLK: OtherKind,
}
