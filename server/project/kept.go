package project

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"vibey/tools/disk"
)

// keptName is the folder of a project that holds what calls replaced and removed, so
// that it can be brought back: each file is named by the SHA-256 of its bytes.
const keptName = ".kept"

const (
	// keptMost is how many bytes all kept files of a project have together. For a new one
	// the oldest go.
	keptMost = 200_000_000
	// keptRead is the largest file that Kept reads: file tools replace no larger one.
	keptRead = 64 << 20
)

// keptTotal is what the kept files had together when the folder had that stamp, which
// changes with each file that is made or removed in it. It saves reading the folder.
type keptTotal struct {
	at    stamp
	total int64
}

// isKept reports whether name can be a kept file's.
func isKept(name string) bool {
	return len(name) == sha256.Size*2 && strings.Trim(name, "0123456789abcdef") == ""
}

// Kept returns the bytes with that SHA-256 if they are kept. The error is
// fs.ErrNotExist where they are not, or where what stands in their place has others.
func (p *Project) Kept(sha string) ([]byte, error) {
	if !isKept(sha) {
		return nil, fmt.Errorf("kept %q: %w", sha, fs.ErrNotExist)
	}
	d, err := p.keptDir(false)
	if err != nil {
		return nil, fmt.Errorf("kept %s: %w", sha, err)
	}
	defer d.close()
	f, st, err := d.openPlain(sha, os.O_RDONLY)
	if err != nil {
		return nil, fmt.Errorf("kept %s: %w", sha, err)
	}
	defer f.Close()
	if st.size > keptRead {
		return nil, fmt.Errorf("kept %s: %d bytes are too many: %w", sha, st.size, fs.ErrNotExist)
	}
	b, err := io.ReadAll(io.LimitReader(f, keptRead))
	if err == nil && hashOf(b) != sha {
		err = fmt.Errorf("it has other bytes: %w", fs.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("kept %s: %w", sha, err)
	}
	return b, nil
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Keep keeps bytes that a command has replaced or removed.
func (p *Project) Keep(content []byte) error {
	unlock, err := p.lock()
	if err != nil {
		return err
	}
	defer unlock()
	return p.keepFrom(strings.NewReader(asString(content)), int64(len(content)))
}

// keepOld keeps what a file holds that is about to be replaced. Where that fails the
// file is replaced all the same: an undo says that its bytes are not kept. The caller
// must hold the lock.
func (p *Project) keepOld(old *os.File) {
	if err := p.keepFile(old); err != nil {
		p.store.o.Log.Warn("what a call replaced could not be kept for an undo", "project", p.name, "err", err)
	}
}

// keepFile keeps what a file holds. The caller must hold the lock.
func (p *Project) keepFile(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return p.keepFrom(io.NewSectionReader(f, 0, info.Size()), info.Size())
}

// keepFrom writes size bytes of r into the folder, synced, under the name that their hash
// is. The caller must hold the lock.
func (p *Project) keepFrom(r io.Reader, size int64) error {
	d, err := p.keptDir(true)
	if err != nil {
		return err
	}
	defer d.close()
	if size > keptMost {
		return fmt.Errorf("%d bytes are more than are kept of a project", size)
	}
	if at, err := stampFile(d.self); err == nil {
		if kept := p.kept.Load(); kept != nil && kept.at != at {
			p.kept.Store(nil) // another program wrote it
		}
	}
	temp := disk.TempName(keptName) // one at a time: the lock is held
	if err := d.root.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	sha, err := writeHashed(d.root, temp, r)
	if err == nil {
		err = p.makeRoom(d, sha, size)
	}
	if err == nil {
		err = p.count(d, sha, temp, size)
	}
	if err != nil {
		d.root.Remove(temp)
	}
	return err
}

// writeHashed writes a new file, synced, and returns the hash of its bytes.
func writeHashed(dir *os.Root, name string, r io.Reader) (sha string, err error) {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, createMode)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(f, io.TeeReader(r, h))
	if err == nil {
		err = f.Sync()
	}
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, f.Close())
}

// count gives the written file its name, over an older one with the same bytes, and adds
// it to the total.
func (p *Project) count(d *dir, sha, temp string, size int64) error {
	was, err := d.lstat(sha)
	if err != nil || !was.plain {
		was.size = 0
	}
	if err := d.root.Rename(temp, sha); err != nil {
		return err
	}
	if err := d.sync(); err != nil {
		return err
	}
	now, err := stampFile(d.self)
	if kept := p.kept.Load(); err == nil && kept != nil {
		p.kept.Store(&keptTotal{now, kept.total + size - was.size})
	}
	return err
}

// keptFile is a kept file of a folder.
type keptFile struct {
	name  string
	stamp stamp
}

// makeRoom removes the oldest kept files until the written one, of size bytes, finds
// room. Bytes that are kept already need none.
func (p *Project) makeRoom(d *dir, sha string, size int64) error {
	if kept := p.kept.Load(); kept != nil && kept.total+size <= keptMost {
		return nil
	}
	p.kept.Store(nil)
	files, err := keptFiles(d)
	if err != nil {
		return err
	}
	total, had := int64(0), int64(0)
	for _, f := range files {
		total += f.stamp.size
		if f.name == sha {
			had = f.stamp.size
		}
	}
	for _, f := range files {
		if total-had+size <= keptMost {
			break
		}
		if f.name == sha {
			continue
		}
		if err := d.root.Remove(f.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		total -= f.stamp.size
	}
	at, err := stampFile(d.self)
	if err == nil {
		p.kept.Store(&keptTotal{at, total})
	}
	return err
}

// keptFiles lists the kept files, the oldest first, those of one moment by name.
func keptFiles(d *dir) ([]keptFile, error) {
	names, err := d.names()
	if err != nil {
		return nil, err
	}
	files := make([]keptFile, 0, len(names))
	for _, n := range names {
		if !isKept(n) {
			continue
		}
		if st, err := d.lstat(n); err == nil && st.plain {
			files = append(files, keptFile{n, st})
		}
	}
	slices.SortFunc(files, func(a, b keptFile) int {
		return cmp.Or(cmp.Compare(a.stamp.mtime, b.stamp.mtime), strings.Compare(a.name, b.name))
	})
	return files, nil
}

// keptDir opens the folder of kept files, and with create makes it where it is missing. It
// follows no link: what is oldest there is removed.
func (p *Project) keptDir(create bool) (*dir, error) {
	st, err := p.dir.lstat(keptName)
	if errors.Is(err, fs.ErrNotExist) && create {
		if err = disk.Mkdir(p.dir.root, keptName); err == nil {
			st, err = p.dir.lstat(keptName)
		}
	}
	if err != nil {
		return nil, err
	}
	if !st.folder {
		return nil, fmt.Errorf("%s is no folder: %w: %w", keptName, ErrNotPlain, fs.ErrNotExist)
	}
	d, err := p.dir.sub(keptName)
	if err != nil {
		return nil, err
	}
	if !d.is(st) {
		d.close()
		return nil, fmt.Errorf("%s is being replaced: %w: %w", keptName, ErrNotPlain, fs.ErrNotExist)
	}
	return d, nil
}
