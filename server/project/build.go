package project

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"vibey/server/project/folder"
	"vibey/tools/disk"
	"vibey/tools/disk/tree"
)

// makingPrefix begins the name of a project that is being made.
const makingPrefix = ".making-"

// build makes a project whole or not at all: fill writes its files into a folder
// beside the projects, without a lock of the store, since that may take seconds.
// The folder is then synced and renamed. The error is fs.ErrExist if the name is
// taken, or is being taken by another build, or fill's.
func (s *Store) build(name string, fill func(*builder) error) error {
	d, err := s.begin(name)
	if err != nil {
		return err
	}
	homes := nothingAside
	b := &builder{d: d, folders: map[string]bool{".": true}}
	if err = fill(b); err == nil {
		err = b.sync()
	}
	if err == nil {
		homes, err = s.finish(name)
	}
	if err != nil {
		tree.Remove(s.dir.Root(), makingPrefix+name)
	}
	d.Close() // its lock is the new project's; what follows may take seconds
	if err := homes.Remove(); err != nil {
		s.o.Log.Warn("what was kept of an earlier project of that name could not be removed", "project", name, "err", err)
	}
	s.Sweep()
	return err
}

// begin makes the folder in which a project is built. It is locked until it is
// closed, so that no other process removes it as a left-over.
func (s *Store) begin(name string) (*folder.Folder, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.Stands()
	if err == nil {
		err = s.free(name)
	}
	if err != nil {
		return nil, err
	}
	making := makingPrefix + name
	if err := s.dir.Root().Mkdir(making, 0o755); err != nil {
		return nil, err
	}
	d, err := s.dir.Sub(making)
	if err != nil {
		return nil, err
	}
	taken, err := d.TryLock() // no command sees this folder yet
	if st, serr := s.dir.Lstat(making); err == nil && (taken || serr != nil || !d.Is(st)) {
		err = fs.ErrExist // another process set it aside before it was locked, as a left-over
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// free returns fs.ErrExist if a name is taken. It sets aside what a kill left of
// building projects; what is being built now is locked, and stays. The caller must
// hold s.mu.
func (s *Store) free(name string) error {
	all, err := s.dir.Names()
	if err != nil {
		return err
	}
	for _, n := range all {
		if strings.EqualFold(n, name) {
			return fmt.Errorf("there is %s: %w", n, fs.ErrExist)
		}
	}
	for _, n := range all {
		if !strings.HasPrefix(n, makingPrefix) {
			continue
		}
		f, err := s.dir.Root().Open(n)
		if err == nil {
			var taken bool
			if taken, err = disk.TryLock(f); err == nil && !taken {
				_, err = SetAside(s.dir.Root(), n)
			}
			f.Close()
		}
		if err != nil {
			s.o.Log.Warn("left-over folder", "name", n, "err", err)
		}
	}
	return nil
}

// finish renames a folder that was built to its name, once what is kept of an earlier
// project of that name is set aside, which it returns. Where the rename fails, that
// may be of a project which another process put there meanwhile: it is given back.
func (s *Store) finish(name string) (homes Aside, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.free(name); err != nil {
		return nothingAside, err
	}
	homes, err = s.o.Forget(strings.TrimPrefix(s.Listed(makingPrefix+name), makingPrefix)) // as the disk will spell it
	if err != nil {
		return nothingAside, err
	}
	if err := s.dir.Rename(makingPrefix+name, name); err != nil {
		return nothingAside, errors.Join(err, homes.Back())
	}
	if err := s.dir.Sync(); err != nil {
		return homes, err
	}
	return homes, s.Stands()
}

// builder writes the files of a project that is being made.
type builder struct {
	d       *folder.Folder
	folders map[string]bool // those to be synced
}

// complete adds what every project has: a deed, which is a link to deed, or a folder
// for "", an id, which says when it was restored if it was, and a doc-main.md with mainText
// unless there is one in any spelling.
func (b *builder) complete(deed, mainText string, restored time.Time) (err error) {
	if deed == "" {
		err = b.folder(deedName)
	} else {
		err = b.d.Root().Symlink(deed, deedName)
	}
	if err == nil {
		err = b.write(idName, createMode, strings.NewReader(idText(newID(), restored)))
	}
	if err != nil {
		return err
	}
	names, err := b.d.Names()
	if err == nil && disk.Listed(names, MainDoc) == "" {
		err = b.write(MainDoc, createMode, strings.NewReader(mainText))
	}
	return err
}

// folder makes a folder and those above it.
func (b *builder) folder(name string) error {
	for at := name; !b.folders[at]; at = path.Dir(at) {
		b.folders[at] = true
	}
	return b.d.Root().MkdirAll(name, 0o755)
}

// write makes one file, synced.
func (b *builder) write(name string, mode fs.FileMode, r io.Reader) error {
	return writeNew(b.d.Root(), name, mode, r)
}

// writeNew makes one file in dir, synced.
func writeNew(dir *os.Root, name string, mode fs.FileMode, r io.Reader) error {
	w, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer w.Close()
	if _, err := io.Copy(w, r); err != nil {
		return err
	}
	return w.Sync()
}

// sync makes the names in all folders outlive a power cut.
func (b *builder) sync() error {
	for name := range b.folders {
		f, err := b.d.Root().Open(name)
		if err != nil {
			return err
		}
		if err := errors.Join(disk.SyncFolder(f), f.Close()); err != nil {
			return err
		}
	}
	return nil
}
