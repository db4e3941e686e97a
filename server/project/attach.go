package project

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"vibey/dialog"
	"vibey/dialog/picture"
	"vibey/server/project/folder"
	"vibey/tools/disk"
)

// The folder files/ of a project holds what humans pasted and dropped, each file once, by
// the beginning of its SHA-256 and a plain name. Only Attach writes there, and nothing is
// ever changed or removed by this program: a link to a file names its bytes.

// AttachedMost is how large such a file is, in bytes.
const AttachedMost = 20_000_000

// filesPrefix is what the names of a snapshot's entries of files/ begin with.
const filesPrefix = picture.Folder + "/"

// errNotAttached is of a name that Attach never gave, or of what it never wrote.
var errNotAttached = fmt.Errorf("%w: %w", errForeign, fs.ErrNotExist)

var errForeign = errors.New("it is no file that was added by the window")

// ErrFilesFolder is a link or a file that stands where files/ should be.
var ErrFilesFolder = errors.New("where the folder files/ should be, there is a link or a file")

// Attached is a file in files/.
type Attached struct {
	Path   string `json:"path"` // files/<name>
	SHA256 string `json:"sha256"`
	Bytes  int    `json:"bytes"`
	Type   string `json:"type"` // its media type, by its bytes
}

// Attach keeps the bytes b in files/, synced, under a name that picture.PlainName returned.
// If they are there already, that file is returned, whatever its name is, and made is false.
// Errors: ErrFilesFolder, and those of the system.
func (p *Project) Attach(plainName string, b []byte) (a Attached, made bool, err error) {
	return p.attach(plainName, b, func(string) bool { return true })
}

// AttachScaled is Attach of what a picture of that name became. It has that name, so that a
// link to the picture is known to show it.
func (p *Project) AttachScaled(plainName string, b []byte) (a Attached, err error) {
	a, _, err = p.attach(plainName, b, func(name string) bool { return picture.Alike(name, plainName) })
	return a, err
}

// attach is Attach, which takes a file that is there if may allows its plain name.
func (p *Project) attach(plainName string, b []byte, may func(plainName string) bool) (a Attached, made bool, err error) {
	defer wrap(&err, "attach %q", plainName)
	sha := dialog.SHA256(b)
	a = Attached{SHA256: sha, Bytes: len(b), Type: picture.Kind(b)}
	err = p.locking(ErrFilesFolder, func() error {
		d, err := p.own(picture.Folder, true)
		if errors.Is(err, ErrNotPlain) {
			return ErrFilesFolder
		}
		if err != nil {
			return err
		}
		defer d.Close()
		name, free, err := attachedAs(d, sha, plainName, may)
		if err == nil && name == "" {
			name, made = free, true
			_, err = disk.Change(d.Root(), name, createMode, func(old *os.File) ([]byte, error) {
				if old != nil {
					return nil, disk.ErrChanged // it came into being in this moment
				}
				return b, nil
			})
		}
		a.Path = filesPrefix + name
		return err
	})
	return a, made && err == nil, err
}

// attachedAs returns the name of the file in files/ with that SHA-256, or "" and a name that
// is free: one may be taken by a file that another program has changed since.
func attachedAs(d *folder.Folder, sha, plainName string, may func(string) bool) (name, free string, err error) {
	names, err := d.Names()
	if err != nil {
		return "", "", err
	}
	slices.Sort(names)
	for _, n := range names {
		if !picture.Fits(n, sha) || !may(picture.NameOf(n)) {
			continue
		}
		if b, _, err := readAttached(d, n); err == nil && dialog.SHA256(b) == sha {
			return n, "", nil
		}
	}
	taken := newFreeNames(names).taken
	for n := 1; ; n++ {
		if free = picture.FileName(sha, picture.Numbered(plainName, n)); !taken[folded(free)] {
			return "", free, nil
		}
	}
}

var errKind = errors.New("it is empty, or by its bytes none of png, jpeg, gif, webp, svg, pdf and text in UTF-8, which alone are taken into files/")

// Attached returns the bytes of the file name in files/, whatever they are by now. The error
// is fs.ErrNotExist for a name that Attach can't have given, and for what is no plain file or
// larger than one of Attach's.
func (p *Project) Attached(name string) (b []byte, at time.Time, err error) {
	defer wrap(&err, "attached %q", name)
	if !picture.ValidName(name) {
		return nil, at, errNotAttached
	}
	d, err := p.own(picture.Folder, false)
	if err != nil {
		return nil, at, err
	}
	defer d.Close()
	if err := d.Exact(name); err != nil {
		return nil, at, err
	}
	b, st, err := readAttached(d, name)
	return b, st.ModTime(), err
}

func readAttached(d *folder.Folder, name string) ([]byte, folder.Stamp, error) {
	f, st, err := d.OpenPlain(name, os.O_RDONLY)
	if err != nil {
		return nil, st, err
	}
	defer f.Close()
	if st.Size > AttachedMost {
		return nil, st, errNotAttached
	}
	b, err := io.ReadAll(io.LimitReader(f, AttachedMost))
	return b, st, err
}
