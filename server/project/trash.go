package project

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"vibey/tools/disk"
	"vibey/tools/disk/tree"
)

// removedPrefix begins the name of what was set aside. No project has such a name.
const removedPrefix = ".removed-"

// Aside is what was set aside under another name. One of its methods is called, once.
type Aside struct {
	Remove func() error // removes it; called without a lock, since it may take seconds
	Back   func() error // gives it its name again
}

// nothingAside is what there is where nothing had the name.
var nothingAside = Aside{Remove: func() error { return nil }, Back: func() error { return nil }}

// SetAside renames name in root, so that the name is free at once: 100,000 files
// take half a second to remove. A missing name is no error.
func SetAside(root *os.Root, name string) (Aside, error) {
	aside := removedPrefix + newID()
	err := root.Rename(name, aside)
	if errors.Is(err, fs.ErrNotExist) {
		return nothingAside, nil
	}
	if errors.Is(err, syscall.EXDEV) { // a folder in the lower layer of an overlay
		err = moveCopied(root, name, aside)
	}
	return Aside{
		Remove: func() error { return removeAside(root, aside) },
		Back:   func() error { return root.Rename(aside, name) },
	}, err
}

// moveCopied moves a folder of root by a copy of it.
func moveCopied(root *os.Root, from, to string) error {
	if err := copyTree(root, from, to); err != nil {
		return errors.Join(err, tree.Remove(root, to))
	}
	return tree.Remove(root, from)
}

// copyTree copies a folder with its files, folders and links. A pipe, socket or device in it
// is left out.
func copyTree(root *os.Root, from, to string) error {
	return fs.WalkDir(root.FS(), from, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		at := to + strings.TrimPrefix(name, from)
		switch e.Type() {
		case fs.ModeDir:
			return root.Mkdir(at, info.Mode().Perm()|0o700)
		case fs.ModeSymlink:
			leads, err := root.Readlink(name)
			if err != nil {
				return err
			}
			return root.Symlink(leads, at)
		case 0:
			return copyFile(root, name, at, info.Mode().Perm())
		}
		return nil
	})
}

func copyFile(root *os.Root, from, to string, perm fs.FileMode) error {
	r, err := root.OpenFile(from, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := root.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return errors.Join(err, w.Close())
}

// Sweep removes everything that SetAside renamed in root, in any process, also in
// one that was killed before it removed it.
func Sweep(root *os.Root) error {
	entries, err := fs.ReadDir(root.FS(), ".")
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), removedPrefix) {
			err = errors.Join(err, removeAside(root, e.Name()))
		}
	}
	return err
}

// removeAside removes what was set aside. It waits a moment while another goroutine or
// process removes something there: root is locked, since a command that still runs may
// hold a lock on what was its own folder.
func removeAside(root *os.Root, name string) error {
	if unlock, err := disk.Lock(context.Background(), root); err == nil {
		defer unlock()
	}
	return tree.Remove(root, name) // what can't be locked may still be removed
}
