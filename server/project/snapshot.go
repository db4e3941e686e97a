package project

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/tools/disk"

	"golang.org/x/sys/unix"
)

// Scope is how much of a project a snapshot holds.
type Scope string

const (
	ScopeDocs    Scope = "docs"
	ScopeDialogs Scope = "dialogs" // docs and dialogs, with what was cut off their texts
	ScopeAll     Scope = "all"     // those, the deed, and what was kept for undos
)

// Valid reports whether s is one of the three.
func (s Scope) Valid() bool { return s == ScopeDocs || s == ScopeDialogs || s == ScopeAll }

// deedPrefix is what the names of a snapshot's entries of the deed begin with.
const deedPrefix = deedName + "/"

// keptPrefix is the same for kept files.
const keptPrefix = keptName + "/"

// restPrefix is the same for what was cut off the texts of dialogs.
const restPrefix = dialog.RestFolder + "/"

// LeftOut is a file or folder of a project that is not in its snapshot.
type LeftOut struct {
	File string // its path in the project, byte for byte
	Why  string // within a sentence
}

// Snapshot writes the project as a zip that Restore takes. Locks, open responses,
// temporary files, links and devices are not included. What Restore would refuse, or
// may not be read, is left out and returned; the zip's comment lists it too. After
// an error what was written is no zip, since its end is missing. ErrLeads is returned
// before anything is written; a snapshot of docs and dialogs is still possible.
func (p *Project) Snapshot(w io.Writer, scope Scope) ([]LeftOut, error) {
	names, err := p.Files()
	if err != nil {
		return nil, fmt.Errorf("snapshot %s: %w", p.name, err)
	}
	deed := ""
	if scope == ScopeAll {
		if deed, err = p.DeedDir(); errors.Is(err, ErrLeads) {
			return nil, fmt.Errorf("snapshot %s: %w", p.name, err)
		}
	}
	z := &zipper{z: zip.NewWriter(w), holds: newContents(DiskLimits)}
	if _, missing := p.dir.lstat(deedName); missing == nil {
		z.skip(deedName, err) // such as a link to a disk that is not mounted
	}
	z.files(p, names, scope)
	if scope != ScopeDocs {
		z.rests(p)
	}
	z.deed(deed)
	if scope == ScopeAll {
		z.kept(p)
	}
	z.close()
	if z.err != nil {
		return nil, fmt.Errorf("snapshot %s: %w", p.name, z.err)
	}
	return z.leftOut, nil
}

// zipper writes a project into a zip. After the first error it does nothing.
type zipper struct {
	z       *zip.Writer
	holds   *contents
	err     error
	leftOut []LeftOut
}

// close ends the zip, with what was left out in its comment.
func (z *zipper) close() {
	if len(z.leftOut) > 0 {
		const most = 60_000 // a comment has 65,535 bytes at most
		list := "Not in here:"
		for _, l := range z.leftOut {
			list += "\n" + l.File + ": " + l.Why
			if len(list) > most {
				break
			}
		}
		list = strings.ToValidUTF8(list, "\uFFFD")
		z.fail(z.z.SetComment(strings.ToValidUTF8(list[:min(len(list), most)], "")))
	}
	if z.err == nil {
		z.err = z.z.Close()
	}
}

// skip leaves a file or folder out if why, the error of adding it, is not nil.
func (z *zipper) skip(name string, why error) (refused bool) {
	if why != nil {
		z.leftOut = append(z.leftOut, LeftOut{name, why.Error()})
	}
	return why != nil
}

var errUnreadable = errors.New("it may not be read")

// files adds the docs, and with the scope the dialogs, each as it is at one moment.
// Files that are deleted meanwhile are not in the zip.
func (z *zipper) files(p *Project, names []string, scope Scope) {
	for _, n := range names {
		if scope == ScopeDocs && isDialog(n) {
			continue
		}
		f, err := p.ReadFile(n)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case errors.Is(err, fs.ErrPermission):
			z.skip(n, errUnreadable)
			continue
		case z.fail(err):
			return
		case z.skip(n, z.holds.add(n, uint64(len(f.Content)))):
			continue
		}
		if w := z.create(n, f.ModTime, 0o644); w != nil {
			_, z.err = io.WriteString(w, f.Content)
		}
	}
}

// deed adds the deed's folder dir, or nothing for "". Links in it are left out,
// whatever they point at, and so is what is neither a file nor a folder.
func (z *zipper) deed(dir string) {
	if dir == "" || z.err != nil {
		return
	}
	root, err := os.OpenRoot(dir)
	if z.fail(err) {
		return
	}
	defer root.Close()
	z.fail(fs.WalkDir(root.FS(), ".", func(at string, d fs.DirEntry, err error) error {
		name := path.Join(deedName, at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case errors.Is(err, fs.ErrPermission):
			z.skip(name, errUnreadable)
			return nil
		case err != nil:
			return err
		case d.IsDir():
			if z.skip(name, z.holds.add(name+"/", 0)) {
				return fs.SkipDir // it stands in every name below
			}
			z.create(name+"/", time.Time{}, fs.ModeDir|0o755)
		case d.Type().IsRegular() && !disk.IsTemp(d.Name()):
			z.copy(root, at)
		}
		return z.err
	}))
}

// copy adds one file of the deed. O_NONBLOCK is for a pipe that took its place
// meanwhile.
func (z *zipper) copy(root *os.Root, name string) {
	f, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ELOOP) {
		return
	}
	if errors.Is(err, fs.ErrPermission) {
		z.skip(deedPrefix+name, errUnreadable)
		return
	}
	if z.fail(err) {
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if z.fail(err) || !info.Mode().IsRegular() || z.skip(deedPrefix+name, z.holds.add(deedPrefix+name, uint64(info.Size()))) {
		return
	}
	if w := z.create(deedPrefix+name, info.ModTime(), info.Mode().Perm()); w != nil {
		_, z.err = io.Copy(w, io.NewSectionReader(f, 0, info.Size())) // it may grow without end
	}
}

// rests adds what was cut off the texts of dialogs.
func (z *zipper) rests(p *Project) {
	d, err := p.own(dialog.RestFolder, false)
	if errors.Is(err, fs.ErrNotExist) || z.fail(err) {
		return
	}
	defer d.close()
	names, err := d.names()
	z.fail(err)
	for _, name := range names {
		if !isRest(name) || z.err != nil {
			continue
		}
		f, st, err := d.openPlain(name, os.O_RDONLY)
		switch entry := restPrefix + name; {
		case errors.Is(err, fs.ErrNotExist):
		case errors.Is(err, fs.ErrPermission):
			z.skip(entry, errUnreadable)
		case z.fail(err):
		case z.skip(entry, z.holds.add(entry, uint64(st.size))):
			f.Close()
		default:
			if w := z.create(entry, st.modTime(), createMode); w != nil {
				_, z.err = io.Copy(w, io.NewSectionReader(f, 0, st.size)) // it may grow
			}
			f.Close()
		}
	}
}

// kept adds the kept files, the oldest first. One whose bytes are not those that its name
// says is left out, since Restore would refuse it.
func (z *zipper) kept(p *Project) {
	d, err := p.own(keptName, false)
	if errors.Is(err, fs.ErrNotExist) || z.fail(err) {
		return
	}
	defer d.close()
	files, err := keptFiles(d)
	if z.fail(err) {
		return
	}
	for _, file := range files {
		z.keptFile(d, file.name)
	}
}

func (z *zipper) keptFile(d *dir, name string) {
	entry := keptPrefix + name
	f, st, err := d.openPlain(name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if errors.Is(err, fs.ErrPermission) {
		z.skip(entry, errUnreadable)
		return
	}
	if z.fail(err) {
		return
	}
	defer f.Close()
	if sha, err := hashFile(f, st.size); z.fail(err) {
		return
	} else if sha != name {
		z.skip(entry, errNotKept)
		return
	}
	if z.skip(entry, z.holds.add(entry, uint64(st.size))) {
		return
	}
	if w := z.create(entry, st.modTime(), createMode); w != nil {
		h := sha256.New() // a program that has had it open since before may write it in this moment
		if _, z.err = io.Copy(io.MultiWriter(w, h), io.NewSectionReader(f, 0, st.size)); z.err == nil && hex.EncodeToString(h.Sum(nil)) != name {
			z.err = fmt.Errorf("%s was being written while it was packed; try again", entry)
		}
	}
}

// errNotKept is of a file below .kept that does not have the bytes that its name says.
var errNotKept = errors.New("its name is not the SHA-256 of its bytes")

// create begins an entry. It returns nil after an error.
func (z *zipper) create(name string, modified time.Time, mode fs.FileMode) io.Writer {
	if z.err != nil {
		return nil
	}
	h := &zip.FileHeader{Name: name, Modified: modified}
	if mode.IsRegular() {
		h.Method = zip.Deflate
	}
	h.SetMode(mode)
	w, err := z.z.CreateHeader(h)
	if z.fail(err) {
		return nil
	}
	return w
}

// fail keeps the first error, and reports whether there is one.
func (z *zipper) fail(err error) bool {
	if z.err == nil {
		z.err = err
	}
	return z.err != nil
}
