package project

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/server/project/folder"
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
	at    folder.Stamp
	total int64
}

// isKept reports whether name can be a kept file's.
func isKept(name string) bool {
	return len(name) == sha256.Size*2 && strings.Trim(name, "0123456789abcdef") == ""
}

// Kept returns the bytes with that SHA-256 if they are kept. The error is
// fs.ErrNotExist where they are not, or where what stands in their place has others.
func (p *Project) Kept(sha string) (b []byte, err error) {
	if !isKept(sha) {
		return nil, fmt.Errorf("kept %q: %w", sha, fs.ErrNotExist)
	}
	defer wrap(&err, "kept %s", sha)
	d, err := p.own(keptName, false)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	f, st, err := d.OpenPlain(sha, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st.Size > keptRead {
		return nil, fmt.Errorf("%d bytes are too many: %w", st.Size, fs.ErrNotExist)
	}
	b, err = io.ReadAll(io.LimitReader(f, keptRead))
	if err == nil && dialog.SHA256(b) != sha {
		err = fmt.Errorf("it has other bytes: %w", fs.ErrNotExist)
	}
	return b, err
}

// makeRoom removes the oldest kept files until the written one, of size bytes, finds
// room, but none that an effect waits for. Bytes that are kept already need none.
func (p *Project) makeRoom(d *folder.Folder, sha string, size int64) error {
	if kept := p.kept.Load(); kept != nil && kept.total+size <= keptMost {
		return nil
	}
	p.kept.Store(nil)
	files, err := keptFiles(d)
	if err != nil {
		return err
	}
	pinned := map[string]bool{sha: true}
	waiting, err := p.heldIn(d)
	if err != nil {
		return err
	}
	for _, h := range waiting {
		for _, sha := range h.Hashes {
			pinned[sha] = true
		}
	}
	total, had := int64(0), int64(0)
	for _, f := range files {
		total += f.stamp.Size
		if f.name == sha {
			had = f.stamp.Size
		}
	}
	for _, f := range files {
		if total-had+size <= keptMost {
			break
		}
		if pinned[f.name] {
			continue
		}
		if err := d.Root().Remove(f.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		total -= f.stamp.Size
	}
	at, err := d.Stat()
	if err == nil {
		p.kept.Store(&keptTotal{at, total})
	}
	return err
}

// keptFiles lists the kept files, the oldest first, those of one moment by name.
func keptFiles(d *folder.Folder) ([]stamped, error) {
	files, err := plainFiles(d, isKept)
	slices.SortFunc(files, func(a, b stamped) int {
		return cmp.Or(cmp.Compare(a.stamp.Mtime, b.stamp.Mtime), strings.Compare(a.name, b.name))
	})
	return files, err
}
