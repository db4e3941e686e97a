package server

import (
	"io"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/gorilla/mux"

	"vibey/server/project"
)

// pictures are the media types that are served from a deed. None of them can hold a
// script, and each is recognised by its first bytes.
var pictures = []string{"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/x-icon"}

func (s *server) getDeed(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	f, info, mime, err := openPicture(p, mux.Vars(r)["path"])
	if err != nil {
		return err
	}
	defer f.Close()
	h := w.Header()
	h.Set("Content-Type", mime)
	h["Cache-Control"] = revalidate
	http.ServeContent(w, r, "", info.ModTime(), f)
	return nil
}

// openPicture opens a picture of the deed that can carry no script, and returns its media
// type; the caller closes it. Something of it was read.
func openPicture(p *project.Project, name string) (f *os.File, info fs.FileInfo, mime string, err error) {
	if !validInDeed(name) {
		return nil, nil, "", refuse(400, "bad-name", "This is no path within the deed. Nothing was read.")
	}
	if mime = mediaType(name); !slices.Contains(pictures, mime) {
		return nil, nil, "", notSafe()
	}
	if f, info, err = openInDeed(p, name); err != nil {
		return nil, nil, "", err
	}
	if err := isPicture(f, info, mime); err != nil {
		f.Close()
		return nil, nil, "", err
	}
	return f, info, mime, nil
}

// isPicture looks at the beginning of a file for what its name promises.
func isPicture(f *os.File, info fs.FileInfo, mime string) error {
	if !info.Mode().IsRegular() {
		return fs.ErrNotExist
	}
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF || http.DetectContentType(head[:n]) != mime {
		return notSafe()
	}
	return nil
}

// validInDeed reports whether name is a path of slashes that stays in the deed.
func validInDeed(name string) bool { return fs.ValidPath(name) && !strings.ContainsAny(name, "\\\x00") }

// openInDeed opens what is under a valid path of a deed, to read it; the caller
// closes it. Links are followed within the deed alone. The error is fs.ErrNotExist
// also if one leads out, so that nothing is known of what is there.
func openInDeed(p *project.Project, name string) (*os.File, fs.FileInfo, error) {
	dir, err := p.DeedDir()
	if err != nil {
		return nil, nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, fs.ErrNotExist
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, fs.ErrNotExist
	}
	return f, info, nil
}

func notSafe() error {
	return refuse(403, "not-a-picture", "Only pictures that can't carry a script are shown from the deed: png, jpeg, gif, webp, bmp, ico. Open the file in the folder instead.")
}
