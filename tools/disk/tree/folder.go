// Package tree reads and removes folders with unknown content: of any depth and width,
// with few descriptors, and without following a link.
//
//	top, err := tree.Open(root)
//	defer top.Close()
//	sub, err := top.Sub("a/b") // no part of the path may be a link
//	err = sub.Each(func(name []byte, k tree.Kind) bool { … })
//
// Begin with Open, Folder (Sub, Each, Stat, Held, Read), Stamp and Kind. Remove removes a folder
// with all that is in it; Follow tells where a path leads, and over which links. The
// package owns the walk: no other one reads folders by their descriptors.
package tree

import (
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Folder is an open folder.
//
// A walk keeps the paths of the folders that are still to be read, and
// opens each from the top. A path that is longer than the system takes
// (PATH_MAX, some thousand bytes) is an error, not a reason to hold folders
// open on the way to it.
//
// Its methods may be used from many goroutines until Close, but for Each.
type Folder struct{ fd int }

// Kind is what an entry of a folder is.
type Kind uint8

// The kinds. Where a file system does not tell, a Stat of the entry does.
const (
	UnknownKind Kind = iota
	FileKind
	DirKind
	LinkKind
	OtherKind
)

// Open opens the folder of a root.
func Open(root *os.Root) (*Folder, error) {
	f, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: root.Name(), Err: err}
	}
	return &Folder{fd}, nil
}

// OpenDir opens the folder at a path, whose links are followed.
func OpenDir(path string) (*Folder, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return &Folder{fd}, nil
}

// Close lets go of the folder.
func (f *Folder) Close() { unix.Close(f.fd); f.fd = -1 }

// Sub opens the folder at a path below f, "." being f itself.
func (f *Folder) Sub(name string) (*Folder, error) {
	fd, err := f.open(name, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &Folder{fd}, nil
}

// Read opens the file at a path below f for reading. It does not wait for the
// other end of a pipe.
func (f *Folder) Read(name string) (*os.File, error) {
	fd, err := f.open(name, unix.O_RDONLY|unix.O_NONBLOCK)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}

// Readlink returns the path in the link at a path below f; "" where that can't be read.
func (f *Folder) Readlink(name string) string {
	var buf [4096]byte
	n, err := unix.Readlinkat(f.fd, name, buf[:])
	if err != nil {
		return ""
	}
	return string(buf[:n])
}

// Stat tells of what stands at a path below f, of a link itself. Links on the
// way are followed: what it tells must be held against what Sub or Read opens.
func (f *Folder) Stat(name string) (Stamp, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(f.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return Stamp{}, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return stampOf(&st), nil
}

// Held tells of what stands at a path below f, as Stat does, and what a Stamp leaves out:
// the bytes that are allocated for it, and the number of a device.
func (f *Folder) Held(name string) (stamp Stamp, allocated int64, device uint64, err error) {
	var st unix.Stat_t
	if err := unix.Fstatat(f.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return Stamp{}, 0, 0, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return stampOf(&st), st.Blocks * 512, uint64(st.Rdev), nil
}

// Self tells of the folder itself.
func (f *Folder) Self() (Stamp, error) {
	var st unix.Stat_t
	if err := unix.Fstat(f.fd, &st); err != nil {
		return Stamp{}, &fs.PathError{Op: "stat", Path: ".", Err: err}
	}
	return stampOf(&st), nil
}

// Stamp is what a stat tells of a file. Whatever is written, made anew or
// renamed gets another one: ctime is the kernel's and can't be set back.
type Stamp struct {
	Size, Mtime, Ctime int64 // bytes, and nanoseconds since 1970
	Inode, Dev         uint64
	Mode, Links, Owner uint32
}

// Kind tells what the stamp is of.
func (s Stamp) Kind() Kind {
	switch s.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return FileKind
	case unix.S_IFDIR:
		return DirKind
	case unix.S_IFLNK:
		return LinkKind
	}
	return OtherKind
}

// open opens what stands below f at a path without links and without "..".
func (f *Folder) open(name string, flags int) (int, error) {
	if strings.Contains("/"+name+"/", "/../") {
		return -1, unix.EXDEV
	}
	return openBelow(f.fd, name, flags)
}

// buffers are for Each: a folder of a walk is read in some microseconds.
var buffers = sync.Pool{New: func() any { return new([16 << 10]byte) }}

// Each calls visit for every entry but "." and "..", until it returns false.
// The name is only valid during the call.
func (f *Folder) Each(visit func(name []byte, k Kind) bool) error {
	buf := buffers.Get().(*[16 << 10]byte)
	defer buffers.Put(buf)
	for {
		n, err := unix.ReadDirent(f.fd, buf[:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return &fs.PathError{Op: "readdir", Path: ".", Err: err}
		}
		if n <= 0 || !eachIn(buf[:n], visit) {
			return nil
		}
	}
}

func stampOf(st *unix.Stat_t) Stamp {
	return Stamp{
		Size: st.Size, Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano(), Inode: st.Ino, Dev: uint64(st.Dev),
		Mode: uint32(st.Mode), Links: uint32(st.Nlink), Owner: st.Uid,
	}
}

// StampOf tells of what a path leads to, with its links followed. The error is an
// *fs.PathError.
func StampOf(path string) (Stamp, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return Stamp{}, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	return stampOf(&st), nil
}

// StampOfFile tells of an open file.
func StampOfFile(f *os.File) (Stamp, error) {
	st, err := (&Folder{int(f.Fd())}).Self()
	runtime.KeepAlive(f)
	return st, err
}

// stepBelow opens a path below dir one name at a time, and holds one folder
// open at once: for systems that can't be told to do it without links.
func stepBelow(dir int, name string, flags int) (int, error) {
	const folder = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	at := dir
	for {
		first, rest, more := strings.Cut(name, "/")
		how := folder
		if !more {
			how = flags | unix.O_NOFOLLOW | unix.O_CLOEXEC
		}
		next, err := unix.Openat(at, first, how, 0)
		if at != dir {
			unix.Close(at)
		}
		if err != nil || !more {
			return next, err
		}
		at, name = next, rest
	}
}
