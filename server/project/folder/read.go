package folder

import (
	"errors"
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

var (
	// ErrNotPlain is a folder, link, pipe or device where a file should be.
	ErrNotPlain = errors.New("not a plain file")
	// ErrBusy is a file that another program replaces again and again.
	ErrBusy = errors.New("the dialog is being written")
)

// Stamp identifies one state of a file without reading it. Two equal stamps are of
// the same file with the same bytes, within the granularity of the file's time.
type Stamp struct {
	dev, ino uint64
	Size     int64 // bytes
	Mtime    int64 // nanoseconds since 1970
	Plain    bool  // a regular file
	Folder   bool
}

// Same reports whether two stamps are of the same file, whatever it holds.
func (s Stamp) Same(o Stamp) bool { return s.dev == o.dev && s.ino == o.ino }

// ModTime is the time of the last write.
func (s Stamp) ModTime() time.Time { return time.Unix(0, s.Mtime).UTC() }

func statStamp(st *unix.Stat_t) Stamp {
	return Stamp{
		dev: uint64(st.Dev), ino: st.Ino, Size: st.Size, Mtime: st.Mtim.Nano(),
		Plain: st.Mode&unix.S_IFMT == unix.S_IFREG, Folder: st.Mode&unix.S_IFMT == unix.S_IFDIR,
	}
}

// StampOf returns the stamp of an open file.
func StampOf(f *os.File) (Stamp, error) {
	var st unix.Stat_t
	err := unix.Fstat(int(f.Fd()), &st)
	runtime.KeepAlive(f)
	if err != nil {
		return Stamp{}, &fs.PathError{Op: "stat", Path: f.Name(), Err: err}
	}
	return statStamp(&st), nil
}

// Is reports whether d is the folder that st is of.
func (d *Folder) Is(st Stamp) bool { return d.id.Same(st) }

// Names lists the folder, in no order.
func (d *Folder) Names() ([]string, error) {
	f, err := d.OpenFile(".", os.O_RDONLY, 0) // a listing moves the descriptor's offset
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// Lstat returns the stamp of an entry. It follows no link.
func (d *Folder) Lstat(name string) (Stamp, error) {
	if err := d.enter(); err != nil {
		return Stamp{}, err
	}
	defer d.leave()
	var st unix.Stat_t
	err := unix.Fstatat(int(d.self.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW)
	runtime.KeepAlive(d)
	if err != nil {
		return Stamp{}, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return statStamp(&st), nil
}

// Stat returns the folder's own stamp.
func (d *Folder) Stat() (st Stamp, err error) {
	err = d.use(func() (err error) { st, err = StampOf(d.self); return err })
	return st, err
}

// OpenFile is that of the folder's os.Root.
func (d *Folder) OpenFile(name string, flag int, perm fs.FileMode) (f *os.File, err error) {
	err = d.use(func() (err error) { f, err = d.root.OpenFile(name, flag, perm); return err })
	return f, err
}

// Remove removes an entry.
func (d *Folder) Remove(name string) error {
	return d.use(func() error { return d.root.Remove(name) })
}

// Mkdir makes a folder.
func (d *Folder) Mkdir(name string) error {
	return d.use(func() error { return d.root.Mkdir(name, 0o755) })
}

// OpenPlain opens a regular file, and nothing else: it follows no link and waits
// for no pipe or device. The stamp is taken after the opening.
func (d *Folder) OpenPlain(name string, flag int) (*os.File, Stamp, error) {
	for range 5 { // again if the file is replaced between lstat and open
		seen, err := d.Lstat(name)
		if err != nil {
			return nil, Stamp{}, err
		}
		if !seen.Plain {
			return nil, Stamp{}, fmt.Errorf("%s: %w: %w", name, ErrNotPlain, fs.ErrNotExist)
		}
		f, err := d.OpenFile(name, flag|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
		if err != nil {
			return nil, Stamp{}, err
		}
		st, err := StampOf(f)
		if err == nil && st.Plain && st.Same(seen) {
			return f, st, nil
		}
		f.Close()
		if err != nil {
			return nil, Stamp{}, err
		}
	}
	return nil, Stamp{}, fmt.Errorf("%s: it is being replaced again and again: %w", name, ErrBusy)
}

// ReadPlain reads a regular file as it is at one moment.
func (d *Folder) ReadPlain(name string) (string, Stamp, error) {
	f, _, err := d.OpenPlain(name, os.O_RDONLY)
	if err != nil {
		return "", Stamp{}, err
	}
	defer f.Close()
	return ReadAll(f)
}

// ReadAll reads f from its beginning. If its stamp changes meanwhile it reads it
// again, up to three times.
func ReadAll(f *os.File) (string, Stamp, error) {
	var text string
	st, err := ReadStill(f, func(st Stamp) (n int64, err error) {
		text, err = ReadText(f, st.Size)
		return int64(len(text)), err
	})
	return text, st, err
}

// ReadStill calls read with the stamp of f, and again as ReadAll does. read returns how
// many bytes f has.
func ReadStill(f *os.File, read func(st Stamp) (size int64, err error)) (Stamp, error) {
	for try := 0; ; try++ {
		before, err := StampOf(f)
		if err != nil {
			return Stamp{}, err
		}
		size, err := read(before)
		if err != nil {
			return Stamp{}, err
		}
		after, err := StampOf(f)
		if err != nil {
			return Stamp{}, err
		}
		if before == after || try == 3 {
			before.Size = size
			return before, nil
		}
	}
}

// ReadText reads the first n bytes of f, or as many as there are.
func ReadText(f *os.File, n int64) (string, error) {
	buf := make([]byte, n)
	got, err := f.ReadAt(buf, 0)
	if err != nil && err != io.EOF {
		return "", err
	}
	return AsString(buf[:got]), nil
}

// ReadOnce reads a regular file with four system calls, where an os.File takes
// seven: a cold list reads thousands. For a name without separators O_NOFOLLOW
// keeps within the folder as os.Root does.
func (d *Folder) ReadOnce(name string) (string, Stamp, error) {
	return d.ReadFirst(name, math.MaxInt64)
}

// ReadFirst is ReadOnce for the first most bytes.
func (d *Folder) ReadFirst(name string, most int64) (string, Stamp, error) {
	fd, at, err := d.openOnce(name)
	if err != nil {
		return "", Stamp{}, err
	}
	defer unix.Close(fd)
	buf := make([]byte, min(at.Size, most))
	for got := 0; got < len(buf); {
		n, err := unix.Pread(fd, buf[got:], int64(got))
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return "", Stamp{}, &fs.PathError{Op: "read", Path: name, Err: err}
		}
		if n == 0 {
			buf = buf[:got]
		}
		got += n
	}
	return AsString(buf), at, nil
}

// openOnce opens a regular file as ReadOnce does. The caller must close fd.
func (d *Folder) openOnce(name string) (fd int, at Stamp, err error) {
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
	} else if at = statStamp(&st); !at.Plain {
		err = fmt.Errorf("%s: %w: %w", name, ErrNotPlain, fs.ErrNotExist)
	}
	if err != nil {
		unix.Close(fd)
	}
	return fd, at, err
}

// AsString makes a string of bytes without a copy, since a dialog can have 20 MB.
// The caller must not write b afterwards.
func AsString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Sync makes what was created, renamed or removed in d outlive a power cut.
func (d *Folder) Sync() error {
	return d.use(func() error { return disk.SyncFolder(d.self) })
}

// Room returns how many bytes this process can write to the folder's disk.
func (d *Folder) Room() (uint64, error) {
	var st unix.Statfs_t
	err := d.use(func() error { return unix.Fstatfs(int(d.self.Fd()), &st) })
	return uint64(st.Bavail) * uint64(st.Bsize), err
}

// Rename renames a file. The error is fs.ErrExist if the name is taken.
func (d *Folder) Rename(from, to string) error {
	return d.use(func() error { return disk.RenameNew(d.self, from, to) })
}

// Linked reports whether the folder has a name on its disk. It is false where that is not
// known, since the folder was closed and is not found.
func (d *Folder) Linked() bool {
	var st unix.Stat_t
	err := d.use(func() error { return unix.Fstat(int(d.self.Fd()), &st) })
	return err == nil && st.Nlink > 0
}
