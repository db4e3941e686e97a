package server

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"encoding/base64"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"vibey/dialog"
)

// static is the built window. No path of a request reaches a file system: what is
// not in the map does not exist. Each file is read at the first request for it, so
// that a start waits for none.
type static struct {
	shell  [][]byte // index.html, cut where the nonce goes; empty: not built
	assets map[string]*asset
}

// asset is one file of the window.
type asset struct {
	contentType []string
	cache       []string
	packed      func() *encoded // in gzip; nil if the build left it as it is
	plain       func() *encoded // as it is
}

// encoded is one form of a file, with a tag of its own: a tag stands for bytes.
type encoded struct {
	etag  []string
	bytes []byte
}

const noncePlace = "__NONCE__"

var (
	immutable = []string{"public, max-age=31536000, immutable"}
	htmlType  = []string{"text/html; charset=utf-8"}
	varies    = []string{"Accept-Encoding"}
	gzipped   = []string{"gzip"}
)

// newStatic reads the window: vibey-client.js, and assets/ under their hashed names.
func newStatic(files fs.FS) static {
	s := static{assets: map[string]*asset{}}
	if files == nil {
		return s
	}
	if b, err := fs.ReadFile(files, "index.html"); err == nil {
		s.shell = bytes.Split(b, []byte(noncePlace))
	}
	there := regular(files, ".", "")
	s.add(files, there, "vibey-client.js", revalidate)
	there = regular(files, "assets", "assets/")
	for file := range there {
		name := strings.TrimSuffix(file, ".gz")
		cache := revalidate
		if hashed(name) {
			cache = immutable
		}
		s.add(files, there, name, cache)
	}
	return s
}

// add puts a file into the map if it is there, as it is or in gzip. there are the files
// of its folder.
func (s static) add(files fs.FS, there map[string]bool, name string, cache []string) {
	a := &asset{contentType: []string{mediaType(name)}, cache: cache}
	if there[name+".gz"] {
		a.packed = once(func() ([]byte, error) { return fs.ReadFile(files, name+".gz") })
		a.plain = once(func() ([]byte, error) { return unzip(files, name+".gz") })
	}
	if there[name] {
		a.plain = once(func() ([]byte, error) { return fs.ReadFile(files, name) })
	}
	if a.plain != nil {
		s.assets["/"+name] = a
	}
}

// regular lists the regular files of a folder, each name behind prefix. To ask for each
// of a window's files was a third of the time in which a server is made.
func regular(files fs.FS, dir, prefix string) map[string]bool {
	there := map[string]bool{}
	entries, _ := fs.ReadDir(files, dir) // no folder: not built
	for _, e := range entries {
		if e.Type().IsRegular() {
			there[prefix+e.Name()] = true
		}
	}
	return there
}

// once reads a form of a file at the first request for it, and keeps it.
func once(read func() ([]byte, error)) func() *encoded {
	return sync.OnceValue(func() *encoded {
		b, err := read()
		if err != nil {
			return nil
		}
		return &encoded{[]string{quote(dialog.SHA256(b)[:32])}, b}
	})
}

// unzip returns what a file in gzip holds.
func unzip(files fs.FS, name string) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// hashed reports whether a file's name changes with its bytes: <name>-<hash>.<ext>.
func hashed(name string) bool {
	stem := strings.TrimSuffix(name, path.Ext(name))
	i := strings.LastIndexByte(stem, '-')
	return i > 0 && len(stem)-i-1 >= 8 && strings.ToUpper(stem[i:]) == stem[i:]
}

func (s *server) getAsset(w http.ResponseWriter, r *http.Request) error {
	return s.static.assets[r.URL.Path].serve(w, r)
}

// getIcon answers browsers that request /favicon.ico by themselves.
func (s *server) getIcon(w http.ResponseWriter, r *http.Request) error {
	a := s.static.assets["/assets/icon.svg"]
	if a == nil {
		return noContent(w)
	}
	return a.serve(w, r)
}

// serve answers with the file in gzip if it is there so and the client takes that, or as it
// is. A nil asset is one that is not there.
func (a *asset) serve(w http.ResponseWriter, r *http.Request) error {
	var e *encoded
	h := w.Header()
	switch {
	case a == nil:
	case a.packed != nil && takes(r.Header.Get("Accept-Encoding"), "gzip"):
		if e = a.packed(); e != nil {
			h["Content-Encoding"] = gzipped
		}
	default:
		e = a.plain()
	}
	if e == nil {
		return refuse(404, "not-found", "This file is no part of the window, or the window is not built. To build it: "+buildCommand)
	}
	h["Content-Type"] = a.contentType
	h["Etag"] = e.etag
	h["Cache-Control"] = a.cache
	h["Vary"] = varies
	if strings.HasPrefix(a.contentType[0], "text/javascript") {
		h["Content-Security-Policy"] = scriptPolicy
	}
	if tagListed(r.Header.Get("If-None-Match"), e.etag[0]) {
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h["Content-Length"] = []string{strconv.Itoa(len(e.bytes))}
	w.Write(e.bytes) // an error is a client that left
	return nil
}

// takes reports whether an Accept-Encoding lists an encoding, by its name or by *,
// with a weight other than 0.
func takes(accept, encoding string) bool {
	any := false
	for one := range strings.SplitSeq(accept, ",") {
		name, weight, _ := strings.Cut(one, ";")
		_, q, weighed := strings.Cut(strings.ToLower(weight), "q=")
		n, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
		wanted := !weighed || err == nil && n > 0
		switch name = strings.TrimSpace(name); {
		case strings.EqualFold(name, encoding):
			return wanted
		case name == "*":
			any = wanted
		}
	}
	return any
}

// buildCommand builds the window on a machine with Node.
const buildCommand = "npx -y rust-just client"

// unbuilt is the answer of GET / if there is no window.
const unbuilt = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Vibey</title>
<h1>The window is not built yet</h1>
<p>The server runs and serves its whole interface. To build the window, run this in the folder with the source, then start the server anew:</p>
<pre>` + buildCommand + `</pre>
`

// getShell answers with the page that loads the window, with a fresh nonce for the
// editor, which makes styles as it runs.
func (s *server) getShell(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h["Content-Type"] = htmlType
	if len(s.static.shell) == 0 {
		w.Write([]byte(unbuilt))
		return nil
	}
	var raw [16]byte
	rand.Read(raw[:]) // never fails
	nonce := base64.RawStdEncoding.EncodeToString(raw[:])
	h["Content-Security-Policy"] = []string{shellPolicy(nonce, s.Previews.frames(r))}
	w.Write(bytes.Join(s.static.shell, []byte(nonce)))
	return nil
}

// scriptPolicy is a script's own: the worker that follows the live stream is held by the
// policy of its file, not of the page.
var scriptPolicy = []string{"default-src 'none'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}

// shellPolicy returns the window's content policy: our own scripts, pictures of
// this server or made by the window, requests to this server, frames of the preview
// origin (a directive, or ""), and nothing else.
func shellPolicy(nonce, frames string) string {
	return "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-" + nonce + "'; img-src 'self' data: blob:; connect-src 'self'; " + frames +
		"require-trusted-types-for 'script'; trusted-types vibey; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
