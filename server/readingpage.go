package server

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/gorilla/mux"

	"vibey/dialog/picture"
	"vibey/server/markdown"
	"vibey/server/project"
	"vibey/server/reading"
)

// The limits of the pictures in a page, in bytes: of one, and of all.
const (
	pictureMost  = 5 << 20
	picturesMost = 20 << 20
)

// readingPolicy lets a page run nothing and fetch nothing, in a browser that shows it
// from here. The page says the same of itself, for one that shows it from a disk.
const readingPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"

func (s *server) getFilePage(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	f, err := p.ReadFile(mux.Vars(r)["name"])
	if err != nil {
		return err
	}
	var b bytes.Buffer
	comments := true
	switch v := r.URL.Query().Get("comments"); v {
	case "", "1":
	case "0":
		comments = false
	default:
		return refuse(400, "bad-query", "?comments is "+strconv.Quote(excerpt(v))+"; it is 0, or left out. Nothing was done.")
	}
	content := strings.ToValidUTF8(f.Content, "\uFFFD")
	text, notes := markdown.Suggestions(content, comments)
	bare, _ := markdown.Suggestions(content, false)
	if err := s.pages(p).Doc(&b, f.Name, p.TitleOf(markdown.Bare(bare)), text, notes...); err != nil {
		return err
	}
	return writePage(w, strings.TrimSuffix(f.Name, ".md"), b.Bytes())
}

func (s *server) getDialogPage(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	v, err := s.Turns.View(p, mux.Vars(r)["id"])
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := s.pages(p).Dialog(r.Context(), &b, v.Filename, cmp.Or(v.Title, v.DialogID), v.Dialog); err != nil {
		return err
	}
	return writePage(w, v.DialogID, b.Bytes())
}

// pages makes pages with the pictures of a project's deed, and of its files/, in them.
func (s *server) pages(p *project.Project) *reading.Maker {
	left := picturesMost
	none := map[string]bool{} // a text may name one that is too large a thousand times
	return &reading.Maker{HTML: s.html, Picture: func(name string) (mime string, b []byte, ok bool) {
		if name = path.Clean(name); none[name] {
			return "", nil, false
		}
		if deed, in := strings.CutPrefix(name, "deed/"); in {
			mime, b, ok = deedPicture(p, deed, int64(min(pictureMost, left)))
		} else if added, in := strings.CutPrefix(name, picture.Folder+"/"); in {
			b, _, _ = p.Attached(added)
			mime = picture.Kind(b)
			ok = picture.Still(mime) && len(b) <= min(pictureMost, left)
		}
		if !ok {
			none[name] = true
			return "", nil, false
		}
		left -= len(b)
		return mime, b, true
	}}
}

// deedPicture reads a picture of the deed that has at most so many bytes.
func deedPicture(p *project.Project, name string, most int64) (mime string, b []byte, ok bool) {
	f, info, mime, err := openPicture(p, name)
	if err != nil {
		return "", nil, false
	}
	defer f.Close()
	if info.Size() > most {
		return "", nil, false
	}
	b, err = io.ReadAll(io.NewSectionReader(f, 0, most))
	return mime, b, err == nil
}

func writePage(w http.ResponseWriter, name string, page []byte) error {
	h := w.Header()
	h["Content-Type"] = htmlType
	h.Set("Content-Security-Policy", readingPolicy)
	h.Set("Content-Disposition", "attachment; filename*=UTF-8''"+url.PathEscape(name)+".html")
	_, err := w.Write(page)
	return err
}
