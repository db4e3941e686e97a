package layer

import (
	"cmp"
	"encoding/gob"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"vibey/tools/disk/tree"
)

// What Copy copies at most.
const (
	mostCopied      = 20_000
	mostCopiedBytes = 512 << 20 // as allocated
)

// copied is one entry of a copy: the deed's right before it was copied, and the copy's when
// all of it was there.
type copied struct{ Low, Up tree.Stamp }

// copier copies one deed.
type copier struct {
	*Layer
	from  *tree.Folder
	top   tree.Stamp // of the deed
	all   map[string]copied
	names map[uint64]string // of files that have more names than one: inode to the first
	noted usage
	plain bool // the disk shares no bytes
	dirs  []string
}

// copyDeed copies the deed to Up, and writes down what it copied in Dir/copied.
func (l *Layer) copyDeed() (err error) {
	c := copier{Layer: l, all: map[string]copied{}, names: map[uint64]string{}, dirs: []string{"."}}
	if c.from, err = tree.OpenDir(l.Deed); err != nil {
		return err
	}
	defer c.from.Close()
	if c.top, err = c.from.Self(); err != nil {
		return err
	}
	for i := 0; i < len(c.dirs); i++ {
		if err := c.folder(c.dirs[i]); err != nil {
			return err
		}
	}
	// Folders get their modes and times last, from below: they are written before.
	for _, name := range slices.Backward(c.dirs[1:]) {
		if err := finish(filepath.Join(c.Up(), name), c.all[name].Low); err != nil {
			return err
		}
	}
	return c.write()
}

// folder copies what is in a folder, but for the entries of folders in it.
func (c *copier) folder(at string) error {
	dir, err := c.from.Sub(at)
	if err != nil {
		return err
	}
	defer dir.Close()
	var stop error
	err = dir.Each(func(raw []byte, _ tree.Kind) bool {
		name := string(raw)
		stamp, allocated, _, err := dir.Held(name)
		if err == nil {
			c.noted.add(stamp, allocated)
			err = c.noted.over(mostCopiedBytes, mostCopied)
		}
		if err == nil {
			err = c.entry(below(at, name), stamp)
		}
		stop = err
		return err == nil
	})
	return cmp.Or(stop, err)
}

// entry copies a file or a link, or makes a folder. What is neither stays away.
func (c *copier) entry(name string, stamp tree.Stamp) error {
	at := filepath.Join(c.Up(), name)
	switch {
	case stamp.Kind() == tree.OtherKind:
		return nil
	case stamp.Dev != c.top.Dev:
		return fmt.Errorf("%s is a mount below the deed", pathOf(name))
	case int(stamp.Owner) != os.Geteuid():
		return fmt.Errorf("%s is another user's", pathOf(name))
	}
	c.all[name] = copied{Low: stamp}
	switch stamp.Kind() {
	case tree.DirKind:
		c.dirs = append(c.dirs, name)
		return os.Mkdir(at, 0o700)
	case tree.LinkKind:
		if err := os.Symlink(c.from.Readlink(name), at); err != nil {
			return err
		}
	default:
		if first, has := c.names[stamp.Inode]; has {
			return os.Link(filepath.Join(c.Up(), first), at)
		}
		if stamp.Links > 1 {
			c.names[stamp.Inode] = name
		}
		if err := c.file(name, at); err != nil {
			return err
		}
	}
	return finish(at, stamp)
}

// file copies a file's bytes, and its holes as holes.
func (c *copier) file(name, at string) error {
	from, err := c.from.Read(name)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer to.Close()
	if !c.plain {
		if err := clone(to, from); err == nil {
			return nil
		}
		c.plain = true
	}
	info, err := from.Stat()
	if err != nil {
		return err
	}
	s := sparse{f: from}
	for err = s.seek(); err == nil; err = cmp.Or(err, s.seek()) {
		_, err = io.Copy(io.NewOffsetWriter(to, s.from), io.NewSectionReader(from, s.from, s.to-s.from))
		s.at = s.to
	}
	return cmp.Or(unlessEnd(err), to.Truncate(info.Size()))
}

// finish gives a copy its mode and its time.
func finish(at string, stamp tree.Stamp) error {
	if stamp.Kind() != tree.LinkKind {
		if err := unix.Chmod(at, stamp.Mode&0o7777); err != nil {
			return &fs.PathError{Op: "chmod", Path: at, Err: err}
		}
	}
	when := unix.NsecToTimespec(stamp.Mtime)
	if err := unix.UtimesNanoAt(unix.AT_FDCWD, at, []unix.Timespec{when, when}, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return &fs.PathError{Op: "utimes", Path: at, Err: err}
	}
	return nil
}

// write takes down the copy's stamps.
func (c *copier) write() error {
	up, err := tree.OpenDir(c.Up())
	if err != nil {
		return err
	}
	defer up.Close()
	for name, is := range c.all {
		var allocated int64
		if is.Up, allocated, _, err = up.Held(name); err != nil {
			return err
		}
		c.all[name] = is
		c.copied.add(is.Up, allocated)
	}
	f, err := os.OpenFile(c.recordPath(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return cmp.Or(gob.NewEncoder(f).Encode(record{c.all, c.copied}), f.Close())
}
