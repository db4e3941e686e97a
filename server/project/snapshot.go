package project

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Scope is how much of a project a snapshot holds. Each holds what the one
// before holds.
type Scope string

const (
	ScopeDocs    Scope = "docs"
	ScopeDialogs Scope = "dialogs" // docs and dialogs
	ScopeAll     Scope = "all"     // those and the deed
)

// Valid tells whether s is one of the three.
func (s Scope) Valid() bool { return s == ScopeDocs || s == ScopeDialogs || s == ScopeAll }

// deedPrefix is where a snapshot holds the deed.
const deedPrefix = deedName + "/"

// Snapshot writes the project as a zip. Locks, open responses, temporary files
// and links are left out, and nothing of the state dir is ever in it. What may
// not be read, or has a name that Restore would refuse, is told in the zip's
// comment. After an error what was written is no zip, since its end is missing.
// ErrLeads comes before anything is written: the docs and dialogs alone can still
// be had.
func (p *Project) Snapshot(w io.Writer, scope Scope) error {
	names, err := p.Files()
	if err != nil {
		return fmt.Errorf("snapshot %s: %w", p.name, err)
	}
	deed := ""
	if scope == ScopeAll {
		if deed, err = p.DeedDir(); errors.Is(err, ErrLeads) {
			return fmt.Errorf("snapshot %s: %w", p.name, err)
		}
	}
	z := &zipper{z: zip.NewWriter(w)}
	z.files(p, names, scope)
	z.deed(deed)
	z.close()
	if z.err != nil {
		return fmt.Errorf("snapshot %s: %w", p.name, z.err)
	}
	return nil
}

// zipper writes a project into a zip. After the first error it does nothing.
type zipper struct {
	z       *zip.Writer
	err     error
	leftOut []string // of the deed: what may not be read, and names that can't be restored
}

// close ends the zip. What had to be left out stands in its comment, since
// nobody should take it for the whole.
func (z *zipper) close() {
	if len(z.leftOut) > 0 {
		const most = 60_000 // a comment has 65,535 bytes at most
		list := "Not in here, since it may not be read, or has a name that can't be restored:\n" + strings.Join(z.leftOut, "\n")
		z.fail(z.z.SetComment(list[:min(len(list), most)]))
	}
	if z.err == nil {
		z.err = z.z.Close()
	}
}

// files adds the docs, and with the scope the dialogs, each as it is at one
// moment. What vanishes meanwhile is left out; locks, open responses and
// temporary files are no files of a project to begin with.
func (z *zipper) files(p *Project, names []string, scope Scope) {
	for _, n := range names {
		if scope == ScopeDocs && isDialog(n) {
			continue
		}
		f, err := p.ReadFile(n)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if z.fail(err) {
			return
		}
		w := z.create(n, f.ModTime, 0o644)
		if z.err == nil {
			_, z.err = io.WriteString(w, f.Content)
		}
	}
}

// deed adds the deed's folder dir; without one, a project still has a text to
// save. Links in it are left out, whatever they point at, and so is what is
// neither a file nor a folder.
func (z *zipper) deed(dir string) {
	if dir == "" || z.err != nil {
		return
	}
	root, err := os.OpenRoot(dir)
	if z.fail(err) {
		return
	}
	defer root.Close()
	z.fail(fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case errors.Is(err, fs.ErrPermission):
			z.leftOut = append(z.leftOut, deedPrefix+name)
			return nil
		case err != nil:
			return err
		case !validEntry(path.Join(deedPrefix, name)):
			z.leftOut = append(z.leftOut, strings.ToValidUTF8(deedPrefix+name, "\uFFFD"))
			if d.IsDir() {
				return fs.SkipDir // it stands in every name below
			}
		case d.IsDir():
			z.create(path.Join(deedPrefix, name)+"/", time.Time{}, fs.ModeDir|0o755)
		case d.Type().IsRegular():
			z.copy(root, name)
		}
		return z.err
	}))
}

// copy adds one file of the deed. It is opened so that a pipe that took its
// place since would not block.
func (z *zipper) copy(root *os.Root, name string) {
	f, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ELOOP) {
		return
	}
	if errors.Is(err, fs.ErrPermission) {
		z.leftOut = append(z.leftOut, deedPrefix+name)
		return
	}
	if z.fail(err) {
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if z.fail(err) || !info.Mode().IsRegular() {
		return
	}
	w := z.create(deedPrefix+name, info.ModTime(), info.Mode().Perm())
	if z.err == nil {
		_, z.err = io.Copy(w, f)
	}
}

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
	z.fail(err)
	return w
}

func (z *zipper) fail(err error) bool {
	if z.err == nil {
		z.err = err
	}
	return z.err != nil
}
