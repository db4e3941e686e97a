package project

import (
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"runtime"
	"time"
	"unsafe"

	"vibey/tools/disk"

	"golang.org/x/sys/unix"
)

// createMode is a new file's permissions, as the umask leaves them.
const createMode fs.FileMode = 0o644

// stamp identifies one state of a file without reading it. Two equal stamps are of
// the same file with the same bytes, within the granularity of the file's time.
type stamp struct {
	dev, ino uint64
	size     int64 // bytes
	mtime    int64 // nanoseconds since 1970
	plain    bool  // a regular file
	folder   bool
}

func (s stamp) same(o stamp) bool { return s.dev == o.dev && s.ino == o.ino }

func (s stamp) modTime() time.Time { return time.Unix(0, s.mtime).UTC() }

func stampOf(st *unix.Stat_t) stamp {
	return stamp{
		dev: uint64(st.Dev), ino: st.Ino, size: st.Size, mtime: st.Mtim.Nano(),
		plain: st.Mode&unix.S_IFMT == unix.S_IFREG, folder: st.Mode&unix.S_IFMT == unix.S_IFDIR,
	}
}

func stampFile(f *os.File) (stamp, error) {
	var st unix.Stat_t
	err := unix.Fstat(int(f.Fd()), &st)
	runtime.KeepAlive(f)
	if err != nil {
		return stamp{}, &fs.PathError{Op: "stat", Path: f.Name(), Err: err}
	}
	return stampOf(&st), nil
}

// is reports whether d is the folder that st is of.
func (d *dir) is(st stamp) bool { return d.id.same(st) }

// names lists the folder, in no order.
func (d *dir) names() ([]string, error) {
	f, err := d.openFile(".", os.O_RDONLY, 0) // a listing moves the descriptor's offset
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// lstat returns the stamp of an entry. It follows no link.
func (d *dir) lstat(name string) (stamp, error) {
	if err := d.enter(); err != nil {
		return stamp{}, err
	}
	defer d.leave()
	var st unix.Stat_t
	err := unix.Fstatat(int(d.self.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW)
	runtime.KeepAlive(d)
	if err != nil {
		return stamp{}, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return stampOf(&st), nil
}

// stat returns the folder's own stamp.
func (d *dir) stat() (stamp, error) {
	if err := d.enter(); err != nil {
		return stamp{}, err
	}
	defer d.leave()
	return stampFile(d.self)
}

// openFile, remove and mkdir are those of the folder's os.Root.
func (d *dir) openFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	return d.root.OpenFile(name, flag, perm)
}

func (d *dir) remove(name string) error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	return d.root.Remove(name)
}

func (d *dir) mkdir(name string) error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	return d.root.Mkdir(name, 0o755)
}

// openPlain opens a regular file, and nothing else: it follows no link and waits
// for no pipe or device. The stamp is taken after the opening.
func (d *dir) openPlain(name string, flag int) (*os.File, stamp, error) {
	for range 5 { // again if the file is replaced between lstat and open
		seen, err := d.lstat(name)
		if err != nil {
			return nil, stamp{}, err
		}
		if !seen.plain {
			return nil, stamp{}, fmt.Errorf("%s: %w: %w", name, ErrNotPlain, fs.ErrNotExist)
		}
		f, err := d.openFile(name, flag|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
		if err != nil {
			return nil, stamp{}, err
		}
		st, err := stampFile(f)
		if err == nil && st.plain && st.same(seen) {
			return f, st, nil
		}
		f.Close()
		if err != nil {
			return nil, stamp{}, err
		}
	}
	return nil, stamp{}, fmt.Errorf("%s: it is being replaced again and again: %w", name, ErrBusy)
}

// readPlain reads a regular file as it is at one moment.
func (d *dir) readPlain(name string) (string, stamp, error) {
	f, _, err := d.openPlain(name, os.O_RDONLY)
	if err != nil {
		return "", stamp{}, err
	}
	defer f.Close()
	return readAll(f)
}

// readAll reads f from its beginning. If its stamp changes meanwhile it reads it
// again, up to three times.
func readAll(f *os.File) (string, stamp, error) {
	var text string
	st, err := readStill(f, func(st stamp) (n int64, err error) {
		text, err = readText(f, st.size)
		return int64(len(text)), err
	})
	return text, st, err
}

// readStill calls read with the stamp of f, and again as readAll does. read returns how
// many bytes f has.
func readStill(f *os.File, read func(st stamp) (size int64, err error)) (stamp, error) {
	for try := 0; ; try++ {
		before, err := stampFile(f)
		if err != nil {
			return stamp{}, err
		}
		size, err := read(before)
		if err != nil {
			return stamp{}, err
		}
		after, err := stampFile(f)
		if err != nil {
			return stamp{}, err
		}
		if before == after || try == 3 {
			before.size = size
			return before, nil
		}
	}
}

// readText reads the first n bytes of f, or as many as there are.
func readText(f *os.File, n int64) (string, error) {
	buf := make([]byte, n)
	got, err := f.ReadAt(buf, 0)
	if err != nil && err != io.EOF {
		return "", err
	}
	return asString(buf[:got]), nil
}

// readOnce reads a regular file with four system calls, where an os.File takes
// seven: a cold list reads thousands. For a name without separators O_NOFOLLOW
// keeps within the folder as os.Root does.
func (d *dir) readOnce(name string) (string, stamp, error) {
	return d.readFirst(name, math.MaxInt64)
}

// readFirst is readOnce for the first most bytes.
func (d *dir) readFirst(name string, most int64) (string, stamp, error) {
	fd, at, err := d.openOnce(name)
	if err != nil {
		return "", stamp{}, err
	}
	defer unix.Close(fd)
	buf := make([]byte, min(at.size, most))
	for got := 0; got < len(buf); {
		n, err := unix.Pread(fd, buf[got:], int64(got))
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return "", stamp{}, &fs.PathError{Op: "read", Path: name, Err: err}
		}
		if n == 0 {
			buf = buf[:got]
		}
		got += n
	}
	return asString(buf), at, nil
}

// openOnce opens a regular file as readOnce does. The caller must close fd.
func (d *dir) openOnce(name string) (fd int, at stamp, err error) {
	if err := d.enter(); err != nil {
		return 0, at, err
	}
	defer d.leave()
	const flag = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC
	fd, err = unix.Openat(int(d.self.Fd()), name, flag, 0)
	runtime.KeepAlive(d)
	if err != nil {
		return 0, at, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	var st unix.Stat_t
	if err = unix.Fstat(fd, &st); err != nil {
		err = &fs.PathError{Op: "stat", Path: name, Err: err}
	} else if at = stampOf(&st); !at.plain {
		err = fmt.Errorf("%s: %w: %w", name, ErrNotPlain, fs.ErrNotExist)
	}
	if err != nil {
		unix.Close(fd)
	}
	return fd, at, err
}

// readChunks reads a regular file through buf, each time with the last keep bytes of
// what came before, until more returns false for what it read or nothing is left.
func (d *dir) readChunks(name string, buf []byte, keep int, more func(part []byte) bool) error {
	fd, at, err := d.openOnce(name)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	for kept, off := 0, int64(0); off < at.size; {
		n, err := unix.Pread(fd, buf[kept:], off)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return &fs.PathError{Op: "read", Path: name, Err: err}
		}
		part := buf[:kept+n]
		if n == 0 || !more(part) {
			return nil
		}
		off += int64(n)
		kept = copy(buf, part[max(0, len(part)-keep):])
	}
	return nil
}

// asString makes a string of bytes without a copy, since a dialog can have 20 MB.
// The caller must not write b afterwards.
func asString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// sync makes what was created, renamed or removed in d outlive a power cut.
func (d *dir) sync() error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	return disk.SyncFolder(d.self)
}

// room returns how many bytes this process can write to the folder's disk.
func (d *dir) room() (uint64, error) {
	if err := d.enter(); err != nil {
		return 0, err
	}
	defer d.leave()
	var st unix.Statfs_t
	err := unix.Fstatfs(int(d.self.Fd()), &st)
	runtime.KeepAlive(d)
	return uint64(st.Bavail) * uint64(st.Bsize), err
}

// rename renames a file. The error is fs.ErrExist if the name is taken.
func (d *dir) rename(from, to string) error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	return disk.RenameNew(d.self, from, to)
}
