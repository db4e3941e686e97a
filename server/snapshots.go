package server

import (
	"archive/zip"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"vibey/dialog"
	"vibey/server/project"
)

// The scopes of a snapshot: each holds what the one before holds.
const (
	scopeDocs    = "docs"
	scopeDialogs = "dialogs"
	scopeAll     = "all"
)

// deedPrefix is where a snapshot holds the deed.
const deedPrefix = "deed/"

func (s *server) getSnapshot(w http.ResponseWriter, r *http.Request) error {
	p, err := s.project(r)
	if err != nil {
		return err
	}
	scope := r.URL.Query().Get("scope")
	switch scope {
	case "":
		scope = scopeAll
	case scopeDocs, scopeDialogs, scopeAll:
	default:
		return refuse(400, "bad-query", "?scope is none of docs, dialogs, all. Nothing was done.")
	}
	names, err := p.Files()
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", zipType)
	h.Set("Content-Disposition", `attachment; filename="`+p.Name()+"-"+scope+time.Now().UTC().Format("-20060102-150405")+`.zip"`)
	if r.Method == http.MethodHead {
		return nil
	}
	unlimited(w)
	z := &zipper{z: zip.NewWriter(&steady{w: w, ctl: http.NewResponseController(w)})}
	z.files(p, names, scope)
	if scope == scopeAll {
		z.deed(p)
	}
	z.close()
	if z.err != nil {
		// The status is gone. A zip without its end is seen to be none.
		s.Log.Warn("snapshot broken off", "project", p.Name(), "err", z.err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

// steady writes for as long as the client takes something every now and then.
type steady struct {
	w   io.Writer
	ctl *http.ResponseController
}

func (s *steady) Write(p []byte) (int, error) {
	s.ctl.SetWriteDeadline(time.Now().Add(slowest))
	return s.w.Write(p)
}

// zipper writes a project into a zip. After the first error it does nothing.
type zipper struct {
	z       *zip.Writer
	err     error
	leftOut []string // of the deed: what this program may not read
}

// close ends the zip. What had to be left out stands in its comment, since
// nobody should take it for the whole.
func (z *zipper) close() {
	if len(z.leftOut) > 0 {
		const most = 60_000 // a comment has 65,535 bytes at most
		list := "Not in here, since the server may not read it:\n" + strings.Join(z.leftOut, "\n")
		z.fail(z.z.SetComment(list[:min(len(list), most)]))
	}
	if z.err == nil {
		z.err = z.z.Close()
	}
}

// files adds the docs, and with the scope the dialogs, each as it is at one
// moment. What vanishes meanwhile is left out; locks, open responses and
// temporary files are no files of a project to begin with.
func (z *zipper) files(p *project.Project, names []string, scope string) {
	for _, n := range names {
		if _, _, isDialog := dialog.ParseName(n); isDialog && scope == scopeDocs {
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

// deed adds the deed's folder. Links in it are left out, whatever they point
// at, and so is what is neither a file nor a folder.
func (z *zipper) deed(p *project.Project) {
	dir, err := p.DeedDir()
	if err != nil || z.err != nil {
		return // a project whose deed is gone still has a text to save
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
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ELOOP) {
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
