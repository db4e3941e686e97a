package project

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"vibey/server/project/folder"
	"vibey/tools/caught"
	"vibey/tools/disk"
)

// keeping is a copy in .kept, which has its name there and is synced beside what the
// caller does.
type keeping struct {
	synced chan struct{} // closed when the syncs are over
	err    error         // theirs; read when synced is closed
}

// wait returns when the copy outlives a power cut, or why it may not. nil is no copy.
func (k *keeping) wait() error {
	if k == nil {
		return nil
	}
	<-k.synced
	return k.err
}

// Keep keeps bytes that a command has replaced or removed.
func (p *Project) Keep(content []byte) error {
	unlock, err := p.lock()
	if err != nil {
		return err
	}
	defer unlock()
	k, err := p.keep(int64(len(content)), createMode, bytes.NewReader(content))
	return errors.Join(err, k.wait())
}

// keepOld begins to keep what the file open as old holds, which is about to be replaced.
// Where that fails the file is replaced all the same: an undo says that its bytes are not
// kept. The caller must hold the lock.
func (p *Project) keepOld(old *os.File) *keeping {
	k, err := p.keepFile(old)
	p.logUnkept(err)
	return k
}

func (p *Project) logUnkept(err error) {
	if err != nil {
		p.store.o.Log.Warn("what a call replaced could not be kept for an undo", "project", p.name, "err", err)
	}
}

// keepFile is keepOld with its error.
func (p *Project) keepFile(old *os.File) (*keeping, error) {
	info, err := old.Stat()
	if err != nil {
		return nil, err
	}
	return p.keep(info.Size(), info.Mode().Perm(), io.NewSectionReader(old, 0, info.Size()))
}

// keep writes size bytes into .kept, and begins to sync them there. The caller must hold
// the lock.
func (p *Project) keep(size int64, mode fs.FileMode, content io.Reader) (k *keeping, err error) {
	if size > keptMost {
		return nil, fmt.Errorf("%d bytes are more than are kept of a project", size)
	}
	d, err := p.own(keptName, true)
	if err != nil {
		return nil, err
	}
	var f *os.File
	defer func() {
		if err != nil {
			d.Close()
			f.Close()
		}
	}()
	if at, err := d.Stat(); err == nil {
		if kept := p.kept.Load(); kept != nil && kept.at != at {
			p.kept.Store(nil) // another program wrote it
		}
	}
	temp := disk.TempName(keptName) // one at a time: the lock is held
	if err := d.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if f, err = d.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode); err != nil {
		return nil, err
	}
	h := sha256.New()
	_, err = io.Copy(f, io.TeeReader(content, h))
	sha := hex.EncodeToString(h.Sum(nil))
	if err == nil {
		err = p.makeRoom(d, sha, size)
	}
	if err == nil {
		err = p.nameKept(d, temp, sha, size)
	}
	if err != nil {
		d.Remove(temp)
		return nil, err
	}
	k = &keeping{synced: make(chan struct{}), err: errBroken} // if it panics
	caught.Go(p.store.o.Log, "the sync of a kept file", func() { k.sync(d, f) })
	return k, nil
}

// nameKept gives the file temp its name, over an older one with the same bytes, and adds it
// to the total.
func (p *Project) nameKept(d *folder.Folder, temp, sha string, size int64) error {
	was, err := d.Lstat(sha)
	if err != nil || !was.Plain {
		was.Size = 0
	}
	if err := d.Root().Rename(temp, sha); err != nil {
		return err
	}
	if now, err := d.Stat(); err == nil {
		if kept := p.kept.Load(); kept != nil {
			p.kept.Store(&keptTotal{now, kept.total + size - was.Size})
		}
	}
	return nil
}

// sync makes the file's bytes and its name outlive a power cut, at the same time: it
// waits for the disk.
func (k *keeping) sync(d *folder.Folder, f *os.File) {
	defer close(k.synced)
	defer d.Close()
	defer f.Close()
	var content error
	var one sync.WaitGroup
	one.Go(func() { content = f.Sync() }) // it can't panic
	name := d.Sync()
	one.Wait()
	k.err = errors.Join(content, name)
}
