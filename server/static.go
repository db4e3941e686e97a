package server

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

// static is the built window. No path of a request reaches a file system: what is
// not in the map does not exist. Each file is read at the first request for it, so
// that a start waits for none.
type static struct {
	shell  [][]byte // index.html, cut where the nonce goes; empty: not built
	assets map[string]func() *asset
}

// asset is one file of the window.
type asset struct {
	contentType []string
	etag        []string
	cache       []string
	raw         []byte
	packed      func() []byte // raw in gzip, made at the first call; nil where it saves nothing
}

const noncePlace = "__NONCE__"

var (
	immutable = []string{"public, max-age=31536000, immutable"}
	htmlType  = []string{"text/html; charset=utf-8"}
	gzipped   = []string{"gzip"}
	varies    = []string{"Accept-Encoding"}
)

// newStatic reads the window: vibey-client.js, and assets/ under their hashed names.
func newStatic(files fs.FS) static {
	s := static{assets: map[string]func() *asset{}}
	if files == nil {
		return s
	}
	if b, err := fs.ReadFile(files, "index.html"); err == nil {
		s.shell = bytes.Split(b, []byte(noncePlace))
	}
	s.add(files, "vibey-client.js", revalidate)
	entries, err := fs.ReadDir(files, "assets")
	if err != nil {
		return s // not built
	}
	for _, e := range entries {
		cache := revalidate
		if hashed(e.Name()) {
			cache = immutable
		}
		s.add(files, "assets/"+e.Name(), cache)
	}
	return s
}

// add puts a file into the map, if it is a regular one.
func (s static) add(files fs.FS, name string, cache []string) {
	if info, err := fs.Stat(files, name); err != nil || !info.Mode().IsRegular() {
		return
	}
	s.assets["/"+name] = sync.OnceValue(func() *asset {
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return nil // deleted since the start: 404
		}
		return newAsset(name, b, cache)
	})
}

// asset returns the file under a path, or nil.
func (s static) asset(path string) *asset {
	if load := s.assets[path]; load != nil {
		return load()
	}
	return nil
}

// hashed reports whether a file's name changes with its bytes: <name>-<hash>.<ext>.
func hashed(name string) bool {
	stem := strings.TrimSuffix(name, path.Ext(name))
	i := strings.LastIndexByte(stem, '-')
	return i > 0 && len(stem)-i-1 >= 8 && strings.ToUpper(stem[i:]) == stem[i:]
}

func newAsset(name string, b []byte, cache []string) *asset {
	typ := mediaType(name)
	sum := sha256.Sum256(b)
	a := &asset{contentType: []string{typ}, etag: []string{quote(hex.EncodeToString(sum[:16]))}, cache: cache, raw: b}
	if kind, _, _ := mime.ParseMediaType(typ); len(b) > 1024 && kind != "image/png" && kind != "font/woff2" {
		a.packed = sync.OnceValue(func() []byte { return pack(b) })
	}
	return a
}

func pack(b []byte) []byte {
	var buf bytes.Buffer
	z, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a constant of that package
	}
	z.Write(b) // into memory: no error
	z.Close()
	return buf.Bytes()
}

func (s *server) getAsset(w http.ResponseWriter, r *http.Request) error {
	a := s.static.asset(r.URL.Path)
	if a == nil {
		return refuse(404, "not-found", "This file is no part of the window, or the window is not built. To build it: "+buildCommand)
	}
	return a.serve(w, r)
}

// getIcon answers browsers that request /favicon.ico by themselves.
func (s *server) getIcon(w http.ResponseWriter, r *http.Request) error {
	a := s.static.asset("/assets/icon.svg")
	if a == nil {
		return noContent(w)
	}
	return a.serve(w, r)
}

func (a *asset) serve(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h["Content-Type"] = a.contentType
	h["Etag"] = a.etag
	h["Cache-Control"] = a.cache
	h["Vary"] = varies
	if strings.HasPrefix(a.contentType[0], "text/javascript") {
		h["Content-Security-Policy"] = scriptPolicy
	}
	if tagListed(r.Header.Get("If-None-Match"), a.etag[0]) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	b := a.raw
	if a.packed != nil && takesGzip(r.Header.Get("Accept-Encoding")) {
		b = a.packed()
		h["Content-Encoding"] = gzipped
	}
	h["Content-Length"] = []string{strconv.Itoa(len(b))}
	w.Write(b) // an error is a client that left
	return nil
}

func takesGzip(accept string) bool {
	for one := range strings.SplitSeq(accept, ",") {
		name, q, _ := strings.Cut(strings.TrimSpace(one), ";")
		if name == "gzip" && strings.ReplaceAll(q, " ", "") != "q=0" {
			return true
		}
	}
	return false
}

// buildCommand builds the window on a machine with Node.
const buildCommand = "npx -y rust-just client"

// unbuilt is the answer of GET / where there is no window.
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
