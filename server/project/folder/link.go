package folder

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"vibey/tools/disk"
)

// Link gives the file name in the folder that open opens as "." the second name to in d, which stays open. The caller
// looks at what has that name then: name may be another file by now.
func (d *Folder) Link(open func(name string) (*os.File, error), name, to string) error {
	source, err := open(".")
	if err != nil {
		return err
	}
	defer source.Close()
	err = unix.Linkat(int(source.Fd()), name, int(d.self.Fd()), to, 0)
	runtime.KeepAlive(d)
	return err
}

// Links returns how many names the file name in d, which stays open, has on its whole disk;
// 0 if it can't be told.
func (d *Folder) Links(name string) uint64 {
	var st unix.Stat_t
	err := unix.Fstatat(int(d.self.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW)
	runtime.KeepAlive(d)
	if err != nil {
		return 0
	}
	return uint64(st.Nlink)
}

// TryLock locks the folder, which stays open, as disk.TryLock does, until it is closed.
func (d *Folder) TryLock() (taken bool, err error) { return disk.TryLock(d.self) }
