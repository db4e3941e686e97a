package server

import (
	"bytes"
	"cmp"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// pages starts a preview origin for s, and returns it with its address.
func (s *shop) pages(allow ...string) (*Previews, string) {
	s.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	window, err := net.ResolveTCPAddr("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	p := NewPreviews(PreviewsConfig{Store: s.store, At: l.Addr(), Window: window, AllowHosts: allow})
	srv := HTTP(p)
	go srv.Serve(l)
	s.t.Cleanup(func() { srv.Close() })
	return p, "http://" + l.Addr().String()
}

// deed writes files of the deed of p.
func (s *shop) deed(files map[string]string) {
	s.t.Helper()
	for name, text := range files {
		path := filepath.Join(s.root, "p", "deed", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
}

// from sends a request to an address, without the token.
func (s *shop) from(method, address string, header ...string) (*http.Response, string) {
	s.t.Helper()
	r := s.request(method, "", nil, append([]string{"Authorization", ""}, header...)...)
	u, err := url.Parse(address)
	if err != nil {
		s.t.Fatal(err)
	}
	if r.URL = u; r.Host == strings.TrimPrefix(s.url, "http://") {
		r.Host = u.Host
	}
	return s.do(r)
}

func TestPreviewShowsTheDeed(t *testing.T) {
	s := newShop(t)
	previews, at := s.pages()
	s.config.Previews = previews
	s.serve()
	s.deed(map[string]string{
		"index.html": "<h1>Lamp</h1>", "a.js": "x", "A.MJS": "x", "s.css": "x", "w.wasm": "x", "notes.md": "<b>", "d.json": "{}", "p.svg": "<svg/>", "f.woff2": "x",
		"v.mp4": "0123456789", "x.bin": "x", "two words é.html": "x", "game/index.html": "inner", "empty/x": "",
	})
	page := get[previewAddress](s, "/project/p/preview").URL
	if again := get[previewAddress](s, "/project/p/preview").URL; again != page {
		t.Errorf("%s, and then %s", page, again)
	}
	word, ok := strings.CutPrefix(page, at+"/")
	if word = strings.TrimSuffix(word, "/"); !ok || len(word) < 26 {
		t.Fatalf("%s at %s", page, at)
	}
	for path, want := range map[string]string{
		"": "200 text/html; charset=utf-8", "index.html": "200 text/html; charset=utf-8", "a.js": "200 text/javascript; charset=utf-8", "A.MJS": "200 text/javascript; charset=utf-8",
		"s.css": "200 text/css; charset=utf-8", "w.wasm": "200 application/wasm", "notes.md": "200 text/plain; charset=utf-8", "d.json": "200 application/json",
		"p.svg": "200 image/svg+xml", "f.woff2": "200 font/woff2", "v.mp4": "200 video/mp4", "x.bin": "200 application/octet-stream",
		"two%20words%20%C3%A9.html": "200 text/html; charset=utf-8", "game/": "200 text/html; charset=utf-8", "game": "302 ", "empty/": "404 text/plain; charset=utf-8",
	} {
		for _, method := range []string{"GET", "HEAD"} {
			res, body := s.from(method, page+path)
			if got := res.Status[:3] + " " + res.Header.Get("Content-Type"); got != want || (method == "HEAD") != (body == "") && res.StatusCode != 302 {
				t.Errorf("%s %s: %s %q", method, path, got, body)
			}
		}
	}
	if res, _ := s.from("GET", page+"game?a=b"); res.Header.Get("Location") != "/"+word+"/game/?a=b" {
		t.Errorf("a folder leads to %s", res.Header.Get("Location"))
	}
	if res, _ := s.from("GET", page+"x.bin"); res.Header.Get("Content-Disposition") != "attachment; filename*=UTF-8''x.bin" {
		t.Errorf("unknown bytes: %v", res.Header)
	}
	if res, body := s.from("GET", page+"v.mp4", "Range", "bytes=2-5"); res.StatusCode != 206 || body != "2345" || res.Header.Get("Content-Range") != "bytes 2-5/10" {
		t.Errorf("a range: %s %q", res.Status, body)
	}
}

// Each header of a page holds something: without it the page would have an origin,
// lie in a cache, tell its word to others, or send on what it reads.
func TestPreviewHeaders(t *testing.T) {
	s := newShop(t)
	previews, at := s.pages("vibey.lan:8443")
	s.deed(map[string]string{"index.html": "x"})
	word, window := previews.word("p"), strings.TrimPrefix(s.url, "http://127.0.0.1")
	res, _ := s.from("GET", at+"/"+word+"/")
	for header, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "Access-Control-Allow-Origin": "null",
		"Cross-Origin-Resource-Policy": "cross-origin", "X-Frame-Options": "", "Set-Cookie": "", "Access-Control-Allow-Credentials": "",
		"Content-Security-Policy": "sandbox allow-scripts; default-src " + at + "/" + word + "/ data: blob: 'unsafe-inline' 'unsafe-eval'; base-uri " + at + "/" + word + "/" +
			"; form-action 'none'; frame-ancestors http://127.0.0.1" + window + " http://localhost" + window + " http://vibey.lan:* https://vibey.lan:*",
	} {
		if got := res.Header.Get(header); got != want {
			t.Errorf("%s: %s, want %s", header, got, want)
		}
	}
	if res, _ := s.from("GET", at+"/"+word+"/nothing"); !strings.HasPrefix(res.Header.Get("Content-Security-Policy"), "sandbox; default-src 'none'; frame-ancestors ") {
		t.Errorf("the policy of an answer that is no page: %s", res.Header.Get("Content-Security-Policy"))
	}
}

// The window's policy names the preview origin as its only frame, under the name
// with which a browser that shows the window reaches it.
func TestShellFramesThePreviewOriginAlone(t *testing.T) {
	tcp := func(addr string) net.Addr {
		a, err := net.ResolveTCPAddr("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	s := newShop(t)
	for _, c := range []struct{ at, host, origin, source, window, from string }{
		{"127.0.0.1:41", "127.0.0.1:3001", "http://127.0.0.1:41", "http://127.0.0.1:41", "http://127.0.0.1:3001", ""},
		{"127.0.0.1:41", "localhost:3001", "http://127.0.0.1:41", "http://127.0.0.1:41", "http://localhost:3001", ""},
		{"[::1]:41", "[::1]:3001", "http://localhost:41", "http://localhost:41", "http://*:3001", ""},
		{"0.0.0.0:41", "localhost:3001", "http://localhost:41", "http://localhost:41", "http://localhost:3001", ""},
		{"0.0.0.0:41", "192.168.1.5:3001", "http://192.168.1.5:41", "http://192.168.1.5:41", "http://192.168.1.5:3001", ""},
		{"[::]:41", "[fe80::1]:3001", "http://[fe80::1]:41", "http://*:41", "http://*:3001", ""},
		{"0.0.0.0:41", "vibey.lan", "http://vibey.lan:41", "http://vibey.lan:41", "http://vibey.lan:3001", ""},
		{"127.0.0.5:41", "127.0.0.5:3001", "http://127.0.0.5:41", "http://127.0.0.5:41", "http://127.0.0.5:3001", ""},
		{"[fd00::5]:41", "[fd00::5]:3001", "http://[fd00::5]:41", "http://*:41", "http://*:3001", ""},
		// The window is on another interface.
		{"127.0.0.1:41", "127.0.0.5:3001", "http://127.0.0.1:41", "http://127.0.0.1:41", "http://127.0.0.5:3001", "127.0.0.5:3001"},
		{"127.0.0.1:41", "192.168.1.5:3001", "http://127.0.0.1:41", "http://127.0.0.1:41", "http://192.168.1.5:3001", "192.168.1.5:3001"},
		{"192.168.1.5:41", "127.0.0.1:3001", "http://192.168.1.5:41", "http://192.168.1.5:41", "http://127.0.0.1:3001", "127.0.0.1:3001"},
		{"192.168.1.5:41", "localhost:3001", "http://192.168.1.5:41", "http://192.168.1.5:41", "http://localhost:3001", "127.0.0.1:3001"},
		{"192.168.1.5:41", "10.0.0.7:3001", "http://192.168.1.5:41", "http://192.168.1.5:41", "http://*:3001", "0.0.0.0:3001"},
		{"192.168.1.5:41", "vibey.lan:3001", "http://vibey.lan:41", "http://vibey.lan:41", "http://vibey.lan:3001", "192.168.1.5:3001"},
		{"[::1]:41", "127.0.0.1:3001", "http://localhost:41", "http://localhost:41", "http://127.0.0.1:3001", "127.0.0.1:3001"},
		{"[fd00::5]:41", "127.0.0.1:3001", "http://[fd00::5]:41", "http://*:41", "http://127.0.0.1:3001", "127.0.0.1:3001"},
	} {
		window := cmp.Or(c.from, strings.TrimSuffix(c.at, "41")+"3001")
		s.config.Previews = NewPreviews(PreviewsConfig{Store: s.store, At: tcp(c.at), Window: tcp(window)})
		r := s.request("GET", "/", nil)
		r.Host = c.host
		if got := s.config.Previews.origin(r); got != c.origin {
			t.Errorf("%s, asked as %s: %s", c.at, c.host, got)
		}
		// The page names the window among those that may frame it.
		page := s.request("GET", "/", nil)
		page.Host = strings.TrimPrefix(c.origin, "http://")
		if got := s.config.Previews.windows(page); !strings.Contains(got+" ", c.window+" ") || strings.Contains(got, "[") {
			t.Errorf("%s, asked as %s: framed by %s", c.at, c.host, got)
		}
		if got := shellPolicy("n", s.config.Previews.frames(r)); !strings.Contains(got, "; frame-src "+c.source+"; ") || strings.Count(got, "frame-src") != 1 {
			t.Errorf("%s, asked as %s: %s", c.at, c.host, got)
		}
	}
	if res, _ := s.from("GET", s.url+"/"); strings.Contains(res.Header.Get("Content-Security-Policy"), "frame-src") {
		t.Error("without a preview origin frames are allowed")
	}
}

// Who does not know the word, or leaves the deed, learns nothing: all these answers
// are one.
func TestPreviewTellsNothingElse(t *testing.T) {
	s := newShop(t)
	if err := s.store.Create("q", ""); err != nil {
		t.Fatal(err)
	}
	previews, at := s.pages()
	s.deed(map[string]string{"index.html": "x", ".env": "secret", ".git/config": "secret", "game/.hidden/x.txt": "secret"})
	outside := filepath.Join(t.TempDir(), "outside.txt")
	if err := os.WriteFile(outside, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	deed := filepath.Join(s.root, "p", "deed")
	for link, to := range map[string]string{"out.txt": outside, "up": "..", "above": filepath.Dir(outside), "round": "round", "in.html": "index.html"} {
		if err := os.Symlink(to, filepath.Join(deed, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(deed, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	word, other := previews.word("p"), previews.word("q")
	if word == other || len(word) < 26 {
		t.Fatalf("words %s and %s", word, other)
	}
	whole := func(path string) string {
		res, body := s.from("GET", at+"/"+path)
		res.Header.Del("Date")
		var b bytes.Buffer
		res.Header.Write(&b)
		return res.Status + "\n" + b.String() + body
	}
	want := whole("NOTAWORD/index.html")
	if !strings.HasPrefix(want, "404 ") {
		t.Fatal(want)
	}
	for _, path := range []string{
		"", "/", word, "index.html", strings.ToLower(word) + "/", word + "x/", word[:25] + "/", other + "/index.html", "%2e%2e/", "projects", "health", "vibey-client.js", "project/p/files",
	} {
		if got := whole(path); path != word && got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
	for _, path := range []string{
		"nothing", "../doc-main.md", "%2e%2e/doc-main.md", "..%2fdoc-main.md", "game/../../doc-main.md", "..%5cdoc-main.md", "x%00.html", "/index.html", "game//x", "./index.html",
		".env", ".git/config", ".git/", "game/.hidden/x.txt", "game/%2ehidden/x.txt", "out.txt", "up/doc-main.md", "above/outside.txt", "round", "pipe", "index.html/", "index.html/x",
	} {
		if got := whole(word + "/" + path); got != want {
			t.Errorf("<word>/%s: %s", path, got)
		}
	}
	if res, body := s.from("GET", at+"/"+word+"/in.html"); res.StatusCode != 200 || body != "x" {
		t.Errorf("a link within the deed: %s %s", res.Status, body)
	}
	// A project that is deleted takes its word with it.
	s.config.Previews = previews
	s.serve()
	s.json("DELETE", "/projects/p", "", 204)
	s.json("POST", "/projects", `{"name":"p"}`, 200)
	s.deed(map[string]string{"index.html": "another project's"})
	if got := whole(word + "/index.html"); got != want {
		t.Errorf("after the project was deleted: %s", got)
	}
	if again := previews.word("p"); again == word {
		t.Error("the word came again")
	}
}

// The preview's own door, which asks for no token.
func TestPreviewDoor(t *testing.T) {
	s := newShop(t)
	var log bytes.Buffer
	previews, at := s.pages("vibey.lan", "box:99")
	previews.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s.deed(map[string]string{"index.html": "the page"})
	page := at + "/" + previews.word("p") + "/"
	_, port, _ := strings.Cut(strings.TrimPrefix(at, "http://"), ":")
	for _, c := range []struct {
		method string
		header []string
		status int
	}{
		{"GET", nil, 200},
		{"GET", []string{"Host", "localhost:" + port}, 200},
		{"GET", []string{"Host", "vibey.lan"}, 200},
		{"GET", []string{"Host", "box:" + port}, 200},
		{"GET", []string{"Host", "evil.example:" + port}, 421},
		{"GET", []string{"Host", "127.0.0.1:1"}, 421},
		{"GET", []string{"Host", strings.TrimPrefix(s.url, "http://")}, 421},
		{"POST", nil, 405}, {"PUT", nil, 405}, {"DELETE", nil, 405}, {"OPTIONS", nil, 405}, {"PATCH", nil, 405},
		{"GET", []string{"Origin", "null", "Sec-Fetch-Site", "cross-site"}, 200},
		{"GET", []string{"Origin", "https://evil.example"}, 403},
		{"GET", []string{"Origin", s.url}, 403},
		{"GET", []string{"Origin", at}, 403},
		{"GET", []string{"Sec-Fetch-Dest", "iframe", "Sec-Fetch-Mode", "navigate"}, 200},
		{"GET", []string{"Sec-Fetch-Dest", "document", "Sec-Fetch-Mode", "navigate"}, 403},
	} {
		r := s.request(c.method, "", nil, append([]string{"Authorization", ""}, c.header...)...)
		u, err := url.Parse(page)
		if err != nil {
			t.Fatal(err)
		}
		if r.URL = u; len(c.header) == 0 || c.header[0] != "Host" {
			r.Host = u.Host
		}
		res, body := s.do(r)
		if res.StatusCode != c.status || strings.Contains(body, "the page") != (c.status == 200) {
			t.Errorf("%s %v: %s %s", c.method, c.header, res.Status, body)
		}
		if c.status == 405 && res.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: Allow is %s", c.method, res.Header.Get("Allow"))
		}
	}
	if strings.Contains(log.String(), previews.word("p")) {
		t.Errorf("the log tells the word: %s", &log)
	}
}

// A page that can't be read is no page that is not there.
func TestPreviewOfAnUnreadableDeed(t *testing.T) {
	s := newShop(t)
	previews, at := s.pages()
	deed := filepath.Join(s.root, "p", "deed")
	if err := os.Rename(deed, deed+"-away"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(s.root, deed); err != nil {
		t.Fatal(err)
	}
	if res, body := s.from("GET", at+"/"+previews.word("p")+"/p/doc-main.md"); res.StatusCode != 500 || !strings.Contains(body, "log") {
		t.Errorf("a deed that leads to the projects: %s %s", res.Status, body)
	}
}
