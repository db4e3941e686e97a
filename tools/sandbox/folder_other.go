//go:build !linux

package sandbox

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

func stampOf(st *unix.Stat_t) Stamp {
	return Stamp{
		Size: st.Size, Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano(), Inode: st.Ino, Dev: uint64(st.Dev),
		Mode: uint32(st.Mode), Links: uint32(st.Nlink), Owner: st.Uid,
	}
}

func openBelow(dir int, name string, flags int) (int, error) { return stepBelow(dir, name, flags) }

// Local tells whether the times of the folder's file system are by this
// machine's clock, as far as that is known.
func (f *Folder) Local() bool { return false }

// Each calls visit for every entry but "." and "..", until it returns false.
// The name is only valid during the call.
func (f *Folder) Each(visit func(name []byte, k Kind) bool) error {
	var buf [16 << 10]byte
	for {
		n, err := unix.ReadDirent(f.fd, buf[:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return &fs.PathError{Op: "readdir", Path: ".", Err: err}
		}
		if n <= 0 {
			return nil
		}
		_, _, names := unix.ParseDirent(buf[:n], -1, nil)
		for _, name := range names {
			if !visit([]byte(name), UnknownKind) {
				return nil
			}
		}
	}
}
