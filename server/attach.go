package server

import (
	"bytes"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/gorilla/mux"

	"vibey/dialog"
	"vibey/dialog/picture"
	"vibey/server/project"
)

// postAttached adds the file that is the request's body. Its media type is found in its
// bytes: what the name or the client says of it is not believed.
func (s *server) postAttached(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	name := picture.PlainName(r.URL.Query().Get("name"))
	if name == "" {
		return refuse(400, "bad-name", "?name= has no letter or digit that a file's name could be made of. Nothing was kept.")
	}
	if err := wantPlain(r); err != nil {
		return err
	}
	if typ, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); strings.HasPrefix(typ, "multipart/") {
		return refuse(415, "wrong-type", "The body is a form with files in it, and is to be the file itself. Nothing was kept.")
	}
	b, err := readUpTo(w, r, project.AttachedMost)
	if err != nil {
		return err
	}
	if len(b) == 0 {
		return refuse(400, "bad-body", "The file is empty. Nothing was kept.")
	}
	if picture.Kind(b) == "" {
		return refuse(415, "wrong-type", "By its bytes this is none of png, jpeg, gif, webp, svg, pdf and text in UTF-8, or it is damaged. Nothing was kept. Save it as one of these, or put it into the deed's folder.")
	}
	a, made, err := p.Attach(name, b)
	if err != nil {
		return err
	}
	if made {
		return writeCreated(w, a)
	}
	return writeJSON(w, a)
}

// getAttached sends a file that was added, under the policy of data, by which nothing in it
// runs. What a browser would open as a page of its own, an svg or a pdf, it keeps instead,
// and so what is of no known kind any more.
func (s *server) getAttached(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	name := mux.Vars(r)["name"]
	b, at, err := p.Attached(name)
	if err != nil {
		return err
	}
	h := w.Header()
	switch typ := picture.Kind(b); typ {
	case picture.Text:
		h.Set("Content-Type", typ+"; charset=utf-8")
	case picture.PNG, picture.JPEG, picture.GIF, picture.WebP:
		h.Set("Content-Type", typ)
	case "":
		typ = octets
		fallthrough
	default:
		h.Set("Content-Type", typ)
		h.Set("Content-Disposition", "attachment; filename*=UTF-8''"+url.PathEscape(name))
	}
	h.Set("ETag", quote(dialog.SHA256(b)))
	h["Cache-Control"] = revalidate
	http.ServeContent(w, r, "", at, bytes.NewReader(b))
	return nil
}
