package server

import (
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"vibey/tools/caught"
)

// These are the answers of the preview origin that are no file, as plain text:
// they are shown where the page would be.
const (
	noPage    = "There is no such page. It may have been renamed or deleted, or this address is of an earlier start. Open it from the window again.\n"
	noAccess  = "The server could not read this page, for a reason that stands in its log. Nothing was changed. Make the file readable for the user that runs the server, and open it again.\n"
	wrongName = "This server does not answer under the name in the Host header.\n"
	onlyReads = "Pages of the deed can be read, and nothing else.\n"
	otherSite = "Pages of the deed are read by the window and by themselves, not by other sites.\n"
	ownTab    = "Pages of the deed are shown within the window only: in a tab of its own a page could lead you, and what it has read, to another site. Open it in the window.\n"
)

// ServeHTTP answers GET and HEAD of <word>/<path> with that file of the deed.
func (p *Previews) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w := &answer{ResponseWriter: rw}
	h := w.Header()
	p.secure(h, r)
	switch origin := value(r.Header, "Origin"); {
	case !p.hosts.allow(r):
		text(w, http.StatusMisdirectedRequest, wrongName)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h["Allow"] = []string{"GET, HEAD"}
		text(w, http.StatusMethodNotAllowed, onlyReads)
	case origin != "" && origin != "null":
		text(w, http.StatusForbidden, otherSite)
	case value(r.Header, "Sec-Fetch-Dest") == "document":
		text(w, http.StatusForbidden, ownTab)
	default:
		p.page(w, r)
	}
}

// secure sets the headers of every answer. A sandboxed page has the origin null: for
// its own scripts and fonts it is another site, so that it is allowed as one. Who
// can name a file here knows the word, and may read all that it stands for.
func (p *Previews) secure(h http.Header, r *http.Request) {
	h["X-Content-Type-Options"] = noSniff
	h["Referrer-Policy"] = noReferrer
	h["Cache-Control"] = noStore
	h["Cross-Origin-Resource-Policy"] = []string{"cross-origin"}
	h["Access-Control-Allow-Origin"] = []string{"null"}
	h["X-Dns-Prefetch-Control"] = []string{"off"}
	h["Permissions-Policy"] = []string{"camera=(), microphone=(), geolocation=(), display-capture=(), usb=(), serial=(), hid=(), midi=(), payment=(), clipboard-read=()"}
	h["Content-Security-Policy"] = []string{"sandbox; default-src 'none'; frame-ancestors " + p.windows(r)}
}

// pagePolicy lets a page run its scripts without an origin, and load what lies below
// its word, but nothing else. What no policy holds is in SECURITY.md: WebRTC, and
// names that are looked up.
func (p *Previews) pagePolicy(r *http.Request, word string) []string {
	own := policySource("http://"+r.Host) + "/" + word + "/"
	return []string{"sandbox allow-scripts; default-src " + own + " data: blob: 'unsafe-inline' 'unsafe-eval'; base-uri " + own +
		"; form-action 'none'; frame-ancestors " + p.windows(r)}
}

// page answers with the file that r names. A word that is not known and a file that
// is not there have the same answer.
func (p *Previews) page(w *answer, r *http.Request) {
	word, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	project, ok := p.project(word)
	if !ok {
		text(w, http.StatusNotFound, noPage)
		return
	}
	authenticated(r)
	err := caught.Do(func() error { return p.file(w, r, project, word, name) })
	p.Log.Debug("preview", "method", r.Method, "project", project, "path", name, "status", w.status)
	if broken := caught.Of(err); broken != nil {
		broken.Log(p.Log, "a page of the deed", "project", project, "path", name)
	}
	switch {
	case err == nil:
	case w.status != 0:
		panic(http.ErrAbortHandler) // half a file is not taken for a whole one
	case errors.Is(err, fs.ErrNotExist):
		text(w, http.StatusNotFound, noPage)
	default:
		p.Log.Warn("a page of the deed was not shown", "project", project, "path", name, "err", err)
		text(w, http.StatusInternalServerError, noAccess)
	}
}

// file answers with a file of a deed, or with the index.html of a folder. What
// begins with a dot, as .git and .env do, is not shown.
func (p *Previews) file(w http.ResponseWriter, r *http.Request, project, word, name string) error {
	if name == "" || strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	if !validInDeed(name) || strings.HasPrefix(name, ".") || strings.Contains(name, "/.") {
		return fs.ErrNotExist
	}
	in, err := p.Store.Project(project)
	if err != nil {
		return err
	}
	f, info, err := openInDeed(in, name)
	if err != nil {
		return err
	}
	defer f.Close()
	h := w.Header()
	if info.IsDir() {
		to := url.URL{Path: r.URL.Path + "/", RawQuery: r.URL.RawQuery}
		h["Location"] = []string{to.String()}
		w.WriteHeader(http.StatusFound)
		return nil
	}
	if !info.Mode().IsRegular() {
		return fs.ErrNotExist
	}
	typ := mediaType(name)
	if typ == octets {
		h["Content-Disposition"] = []string{"attachment; filename*=UTF-8''" + url.PathEscape(path.Base(name))}
	}
	h["Content-Type"] = []string{typ}
	h["Content-Security-Policy"] = p.pagePolicy(r, word)
	http.ServeContent(w, r, "", time.Time{}, f)
	return nil
}

// text answers with plain text.
func text(w http.ResponseWriter, status int, words string) {
	w.Header()["Content-Type"] = []string{"text/plain; charset=utf-8"}
	w.WriteHeader(status)
	w.Write([]byte(words)) // an error is a client that left
}
