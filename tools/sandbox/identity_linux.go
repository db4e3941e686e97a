package sandbox

import "golang.org/x/sys/unix"

// identity is which file or folder stands at a path: a later one may get the
// number of one that is gone.
type identity struct {
	kind       uint16
	dev, inode uint64
	born       unix.StatxTimestamp
}

// identityOf returns what stands at a path, where that is a link the link.
func identityOf(path string) (id identity) {
	var st unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_TYPE|unix.STATX_INO|unix.STATX_BTIME|unix.STATX_CTIME, &st) != nil {
		return id
	}
	id = identity{kind: st.Mode & unix.S_IFMT, dev: unix.Mkdev(st.Dev_major, st.Dev_minor), inode: st.Ino, born: st.Btime}
	if st.Mask&unix.STATX_BTIME == 0 {
		id.born = st.Ctime // changes more often, and costs no more than a spare
	}
	return id
}
