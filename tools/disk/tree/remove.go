package tree

import (
	"errors"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Remove removes what stands at a name directly in a root: a file, a link, or a
// folder with all that is in it, also where a folder in it may not be written
// (as module caches make theirs), and however deep it is: folders are first
// moved up into the topmost one. Nothing standing there is no error.
func Remove(root *os.Root, name string) error {
	parent, err := Open(root)
	if err != nil {
		return err
	}
	defer parent.Close()
	if err := removeAt(parent.fd, name); err != nil {
		return &fs.PathError{Op: "remove", Path: name, Err: err}
	}
	return nil
}

func removeAt(parent int, name string) error {
	isDir, err := unlink(parent, name)
	if !isDir {
		return err
	}
	top, err := openOwn(parent, name)
	if err != nil {
		return unlessGone(err)
	}
	defer unix.Close(top)
	f := flattener{top: top}
	for { // what is moved up while a folder is read may be missed in that pass
		n, err := f.pass()
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
	}
	return unlessGone(unix.Unlinkat(parent, name, unix.AT_REMOVEDIR))
}

// unlink removes what is no folder.
func unlink(dir int, name string) (isDir bool, err error) {
	err = unix.Unlinkat(dir, name, 0)
	if err == nil || err == unix.ENOENT {
		return false, nil
	}
	var st unix.Stat_t
	if unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return false, err
	}
	return st.Mode&unix.S_IFMT == unix.S_IFDIR, err
}

// flattener empties the folder top.
type flattener struct {
	top  int
	last int // number of the name given last
}

// pass goes once through top, and returns how many entries it found there.
func (f *flattener) pass() (int, error) {
	names, err := entries(f.top)
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		isDir, err := unlink(f.top, name)
		if isDir {
			err = f.empty(name)
		}
		if err != nil {
			return 0, err
		}
	}
	return len(names), nil
}

// empty moves the folders in a folder of top to top, and removes it.
func (f *flattener) empty(name string) error {
	dir, err := openOwn(f.top, name)
	if err != nil {
		return unlessGone(err)
	}
	defer unix.Close(dir)
	names, err := entries(dir)
	if err != nil {
		return err
	}
	for _, n := range names {
		isDir, err := unlink(dir, n)
		if isDir {
			err = f.lift(dir, n)
		}
		if err != nil {
			return err
		}
	}
	return unlessGone(unix.Unlinkat(f.top, name, unix.AT_REMOVEDIR))
}

// lift moves a folder of dir to top, under a name that is free there.
func (f *flattener) lift(dir int, name string) error {
	mended := false
	for {
		f.last++
		err := unix.Renameat(dir, name, f.top, ".removed-"+strconv.Itoa(f.last))
		switch {
		case err == unix.EXDEV: // a folder in an overlay's lower layer can't be moved
			return removeAt(dir, name)
		case err == unix.ENOTEMPTY || err == unix.EEXIST || err == unix.ENOTDIR:
			continue
		case err == unix.EACCES && !mended: // its entry ".." changes with it
			mended = true
			if sub, err := openOwn(dir, name); err == nil {
				unix.Close(sub)
			}
			continue
		}
		return unlessGone(err)
	}
}

// openOwn opens a folder, and lets its owner write it.
func openOwn(parent int, name string) (int, error) {
	const how = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Openat(parent, name, how, 0)
	if err == unix.EACCES && unix.Fchmodat(parent, name, 0o700, 0) == nil { // a folder a moment ago, and no other program writes here
		fd, err = unix.Openat(parent, name, how, 0)
	}
	if err != nil {
		return -1, err
	}
	var st unix.Stat_t
	if unix.Fstat(fd, &st) == nil && st.Mode&0o700 != 0o700 {
		unix.Fchmod(fd, 0o700)
	}
	return fd, nil
}

func entries(fd int) (names []string, err error) {
	if _, err := unix.Seek(fd, 0, 0); err != nil {
		return nil, err
	}
	err = (&Folder{fd}).Each(func(name []byte, _ Kind) bool {
		names = append(names, string(name))
		return true
	})
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return names, err
}

func unlessGone(err error) error {
	if err == unix.ENOENT {
		return nil
	}
	return err
}
