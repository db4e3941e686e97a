package tree

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/sys/unix"
)

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

// Local reports whether the times of the folder's file system are by this
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

// eachIn calls visit for each entry in what ReadDirent has read. It reports whether
// visit wants more.
func eachIn(entries []byte, visit func(name []byte, k Kind) bool) bool {
	const sizeAt, typeAt, nameAt = 16, 18, 19 // struct linux_dirent64: inode, offset, size, type, name
	for len(entries) > nameAt {
		size := int(binary.NativeEndian.Uint16(entries[sizeAt:]))
		name, _, _ := bytes.Cut(entries[nameAt:size], []byte{0})
		kind := kinds[entries[typeAt]&0xf]
		entries = entries[size:]
		if dots := string(name) == "." || string(name) == ".."; !dots && !visit(name, kind) {
			return false
		}
	}
	return true
}

// kinds are those of d_type.
var kinds = [16]Kind{
	unix.DT_REG: FileKind, unix.DT_DIR: DirKind, unix.DT_LNK: LinkKind,
	unix.DT_FIFO: OtherKind, unix.DT_SOCK: OtherKind, unix.DT_CHR: OtherKind, unix.DT_BLK: OtherKind,
}

// moveNew renames, and never over what stands there, but for file systems that can't, where
// it looks before.
func moveNew(from int, name string, to int, as string) error {
	err := unix.Renameat2(from, name, to, as, unix.RENAME_NOREPLACE)
	if err == unix.EINVAL || err == unix.ENOSYS {
		return moveLooking(from, name, to, as)
	}
	return err
}

// Mount is the id of the mount that the folder was reached through; 0 if it can't be told.
// Nothing is renamed from one mount to another.
func (f *Folder) Mount() uint64 {
	var st unix.Statx_t
	if unix.Statx(f.fd, "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &st) != nil || st.Mask&unix.STATX_MNT_ID == 0 {
		return 0
	}
	return st.Mnt_id
}
