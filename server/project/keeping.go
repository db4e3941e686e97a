package project

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"vibey/server/project/folder"
	"vibey/tools/caught"
	"vibey/tools/disk"
)

// keeping is a file that is being put into .kept. It has its name there, and is synced
// beside what the caller does. The methods of nil do nothing.
type keeping struct {
	p      *Project
	d      *folder.Folder // .kept
	name   string
	linked bool          // it is the file that is replaced, under a second name
	had    bool          // it was kept already, and stays as it is
	fresh  bool          // no file had that name before
	synced chan struct{} // closed when the syncs are over
	err    error         // theirs; read when synced is closed
}

// Keep keeps bytes that a command has replaced or removed.
func (p *Project) Keep(content []byte) error {
	unlock, err := p.lock()
	if err != nil {
		return err
	}
	defer unlock()
	return p.keepNow(folder.AsString(content))
}

// keepNow is Keep for a caller that holds the lock.
func (p *Project) keepNow(content string) error {
	k, err := p.keep(int64(len(content)), func(k *keeping, temp string) (string, error) {
		return writeHashed(k.d.Root(), temp, strings.NewReader(content))
	})
	if err == nil {
		err = k.wait()
	}
	k.end(err)
	return err
}

func (p *Project) logUnkept(err error) {
	if err != nil {
		p.store.o.Log.Warn("what a call replaced could not be kept for an undo", "project", p.name, "err", err)
	}
}

// opener opens what a folder holds; "." is the folder.
type opener = func(name string) (*os.File, error)

// keepFile begins to keep what the file name, open as old, holds, which is about to be
// replaced or removed. The caller must hold the lock until it has called end. It gives the
// file a second name below .kept, which is its only one when the first is another file's.
// The bytes are copied where the disk has no second names, where the file has others already,
// by which a program may change it, and where they are kept already: where the file is not
// replaced in the end, a second name would leave the program that writes it next to change
// what an earlier call had kept. What has no other name there is taken as it is.
func (p *Project) keepFile(open opener, name string, old *os.File) (*keeping, error) {
	at, err := folder.StampOf(old)
	if err != nil {
		return nil, err
	}
	return p.keep(at.Size, func(k *keeping, temp string) (sha string, err error) {
		if sha, err = hashFile(old, at.Size); err == nil {
			_, err := k.d.Lstat(sha)
			if k.had = err == nil && k.has(sha, at.Size); k.had {
				return sha, nil
			}
			if k.linked = errors.Is(err, fs.ErrNotExist) && k.link(open, name, at, temp); k.linked {
				return sha, nil
			}
		}
		return writeHashed(k.d.Root(), temp, io.NewSectionReader(old, 0, at.Size))
	})
}

// link gives the file name, of that stamp, the second name temp. It returns false
// where it did not, where the file has other names, and where it was written meanwhile.
func (k *keeping) link(open opener, name string, at folder.Stamp, temp string) bool {
	if k.d.Link(open, name, temp) != nil {
		return false
	}
	if now, err := k.d.Lstat(temp); err == nil && now == at && k.d.Links(temp) == 2 {
		return true
	}
	k.d.Root().Remove(temp)
	return false
}

// has reports whether the bytes with that hash are kept in a file that has no other name.
func (k *keeping) has(sha string, size int64) bool {
	f, at, err := k.d.OpenPlain(sha, os.O_RDONLY)
	if err != nil {
		return false
	}
	defer f.Close()
	is, err := hashFile(f, size)
	return err == nil && at.Size == size && is == sha && k.d.Links(sha) == 1
}

// hashFile returns the hash of the first size bytes of a file, or of all where it has
// fewer.
func hashFile(f *os.File, size int64) (sha string, err error) {
	h := sha256.New()
	_, err = io.Copy(h, io.NewSectionReader(f, 0, size))
	return hex.EncodeToString(h.Sum(nil)), err
}

// writeHashed writes a new file, synced, and returns the hash of its bytes.
func writeHashed(dir *os.Root, name string, r io.Reader) (sha string, err error) {
	h := sha256.New()
	err = writeNew(dir, name, createMode, io.TeeReader(r, h))
	return hex.EncodeToString(h.Sum(nil)), err
}

// keep has put make a file of size bytes, temp, and gives it the name that put returns,
// the hash of its bytes. The caller must hold the lock until it has called end.
func (p *Project) keep(size int64, put func(k *keeping, temp string) (sha string, err error)) (k *keeping, err error) {
	d, err := p.own(keptName, true)
	if err != nil {
		return nil, err
	}
	root, temp := d.Root(), disk.TempName(keptName) // one at a time: the lock is held
	defer func() {
		if err != nil {
			root.Remove(temp)
			d.Close()
		}
	}()
	if size > keptMost {
		return nil, fmt.Errorf("%d bytes are more than are kept of a project", size)
	}
	if at, err := d.Stat(); err == nil {
		if kept := p.kept.Load(); kept != nil && kept.at != at {
			p.kept.Store(nil) // another program wrote it
		}
	}
	if err := root.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	k = &keeping{p: p, d: d, synced: make(chan struct{})}
	sha, err := put(k, temp)
	if err == nil {
		err = p.makeRoom(d, sha, size)
	}
	if err == nil {
		err = k.rename(temp, sha, size)
	}
	if err != nil {
		return nil, err
	}
	return k, nil
}

// rename gives the file temp its name, over an older one with the same bytes, adds it to
// the total, and begins the syncs.
func (k *keeping) rename(temp, sha string, size int64) error {
	was, err := k.d.Lstat(sha)
	if k.fresh = errors.Is(err, fs.ErrNotExist); err != nil || !was.Plain {
		was.Size = 0
	}
	if k.had {
		temp = sha
	}
	file, _, err := k.d.OpenPlain(temp, os.O_RDONLY)
	if err != nil {
		return err
	}
	if !k.had {
		err = k.d.Root().Rename(temp, sha)
	}
	if err != nil {
		file.Close()
		return err
	}
	k.name = sha
	if now, err := k.d.Stat(); err == nil {
		if kept := k.p.kept.Load(); kept != nil {
			k.p.kept.Store(&keptTotal{now, kept.total + size - was.Size})
		}
	}
	caught.Go(k.p.store.o.Log, "the sync of a kept file", func() { k.sync(file) })
	return nil
}

// sync makes the file's bytes and its name outlive a power cut, at the same time: it
// waits for the disk, and another program's bytes may not be on it yet.
func (k *keeping) sync(file *os.File) {
	defer close(k.synced)
	defer file.Close()
	k.err = errBroken // if it panics
	var bytes error
	var one sync.WaitGroup
	if k.linked || k.had {
		one.Go(func() { bytes = file.Sync() }) // it can't panic
	}
	name := k.d.Sync()
	one.Wait()
	k.err = errors.Join(bytes, name)
}

// wait returns when the file outlives a power cut, or why it may not.
func (k *keeping) wait() error {
	if k == nil {
		return nil
	}
	<-k.synced
	return k.err
}

// end is called when the file was replaced or removed, or with why it was not.
func (k *keeping) end(err error) {
	if k == nil {
		return
	}
	k.wait()
	defer k.d.Close()
	switch replaced := err == nil || errors.Is(err, disk.ErrNotSynced); {
	case !k.linked && !k.had:
	case replaced:
		now := time.Now()
		k.d.Root().Chtimes(k.name, now, now) // the oldest go first; without it, it goes sooner
	case k.linked && k.fresh && k.d.Links(k.name) > 1: // the file stands where it stood
		k.p.kept.Store(nil)
		k.d.Root().Remove(k.name)
	}
}
