package server

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"vibey/dialog"
	"vibey/dialog/effect"
	"vibey/server/project"
	"vibey/server/view"
)

// The most bytes that are sent of one side of a change.
const (
	sideMax    = 1 << 20
	pictureMax = 8 << 20
)

// getEffect sends the bytes that stood at a path before a tried command, or those that it
// left there: of a link, its target. They have the hash that the waiting effect names.
func (s *server) getEffect(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	name, side := r.URL.Query().Get("path"), r.URL.Query().Get("side")
	if side != "before" && side != "after" {
		return refuse(400, "bad-request", "?side= is before or after. Nothing was read.")
	}
	id, call := mux.Vars(r)["id"], mux.Vars(r)["call"]
	c, held, err := view.WaitingChange(p, id, call, name)
	if err != nil {
		return err
	}
	b, err := s.sideOf(p, c, side, func() ([]byte, error) {
		if !held {
			return nil, fs.ErrNotExist
		}
		return p.HeldBytes(project.Call{Dialog: id, ID: call}, name, pictureMax)
	})
	if err != nil {
		return err
	}
	typ := mediaType(name)
	if !slices.Contains(pictures, typ) || http.DetectContentType(b) != typ {
		typ = octets
	}
	if len(b) > pictureMax || typ == octets && len(b) > sideMax {
		return refuse(413, "too-large", "This is more than is shown of one file: 1 MiB, of a picture 8 MiB. Nothing was changed. Open the file in the folder instead, or decide without it.")
	}
	h := w.Header()
	h["Content-Type"] = []string{typ}
	h["Content-Disposition"] = []string{"attachment; filename*=UTF-8''" + url.PathEscape(path.Base(name))}
	w.Write(b) // an error is a client that left
	return nil
}

// sideOf returns the bytes with the hash that a change names for a side: kept ones, those of
// the deed as it is, or those that held returns. A file of the deed that is too large to be
// sent is read one byte further than is sent.
func (s *server) sideOf(p *project.Project, c effect.Change, side string, held func() ([]byte, error)) ([]byte, error) {
	sha, from := c.After, held
	if side == "before" {
		sha, from = c.Before, func() ([]byte, error) { return inDeed(p, strings.TrimPrefix(c.Path, "deed/")) }
	}
	if sha == "" {
		return nil, fmt.Errorf("%s %s: %w", c.Path, side, fs.ErrNotExist)
	}
	if b, err := p.Kept(sha); err == nil {
		return b, nil
	}
	b, err := from()
	if err == nil && len(b) <= pictureMax && dialog.SHA256(b) != sha {
		err = fmt.Errorf("%s %s: it has other bytes: %w", c.Path, side, fs.ErrNotExist)
	}
	return b, err
}

// inDeed reads what stands at a path of the deed: of a file at most pictureMax bytes and one
// more, of a link its target.
func inDeed(p *project.Project, name string) ([]byte, error) {
	dir, err := p.DeedDir()
	if err != nil || !validInDeed(name) {
		return nil, fs.ErrNotExist
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if to, err := root.Readlink(name); err == nil {
		return []byte(to), nil
	}
	f, info, err := openInDeed(p, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	return io.ReadAll(io.LimitReader(f, pictureMax+1))
}
