package server

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
)

// concrete is a path that a route answers to.
func concrete(path string) string {
	path = strings.Replace(path, "/assets/{name}", "/assets/icon.svg", 1)
	return regexp.MustCompile(`\{[^}]+\}`).ReplaceAllString(path, "x")
}

// Whoever adds a route adds it to the table, and so to this test: none is
// open that does not say so, and none leaves the door.
func TestDoorCoversEveryRoute(t *testing.T) {
	s := newShop(t)
	wantOpen := map[string]bool{
		"GET /": true, "GET /vibey-client.js": true, "GET /favicon.ico": true, "GET /assets/{name}": true, "POST /login": true,
	}
	for _, r := range routes() {
		if r.open != wantOpen[r.method+" "+r.path] {
			t.Errorf("%s %s: open is %v", r.method, r.path, r.open)
		}
		for _, method := range r.methods() {
			path := concrete(r.path)
			status := func(header ...string) int {
				res, body := s.do(s.request(method, path, nil, header...))
				if got := res.Header.Get("Content-Security-Policy"); !strings.Contains(got, "default-src 'none'") || !strings.Contains(got, "frame-ancestors 'none'") {
					t.Errorf("%s %s: policy %q", method, path, got)
				}
				for k, v := range map[string]string{
					"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
				} {
					if got := res.Header.Get(k); got != v {
						t.Errorf("%s %s: %s is %q", method, path, k, got)
					}
				}
				if method != "HEAD" && res.StatusCode >= 400 && !strings.HasPrefix(body, `{"type":"urn:vibey:problem:`) {
					t.Errorf("%s %s: %s", method, path, body)
				}
				return res.StatusCode
			}
			for _, host := range []string{"evil.example", "127.0.0.1:1", "localhost", "127.0.0.1.evil.example", "box:98", "vibey.lan.evil"} {
				if got := status("Host", host); got != 421 {
					t.Errorf("%s %s with Host %s: %d", method, path, host, got)
				}
			}
			foreign := [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "http://evil.example"}, {"Origin", "null"}}
			for _, h := range foreign {
				got := status(h...)
				if reading := r.open && r.method == "GET"; reading && got >= 400 || !reading && got != 403 {
					t.Errorf("%s %s with %s: %d", method, path, h, got)
				}
			}
			for _, auth := range []string{"", "Bearer", "Bearer ", "Bearer wrong", "Basic " + testToken, "Bearer " + testToken + "0", "Bearer " + strings.Repeat("0", 500), testToken} {
				got := status("Authorization", auth)
				if !r.open && got != 401 || r.open && r.method == "GET" && got >= 400 {
					t.Errorf("%s %s with Authorization %q: %d", method, path, excerpt(auth), got)
				}
			}
			if r.streams() {
				continue // nothing more to know here, and some of them do not end
			}
			if got := status(); got == 401 || got == 403 || got == 421 {
				t.Errorf("%s %s with the token: %d", method, path, got)
			}
		}
	}
}

func TestUnknownPathsAskForTheTokenFirst(t *testing.T) {
	s := newShop(t)
	for path, want := range map[string]string{
		"/nothing": "no-route", "/assets": "no-route", "/assets/x/y": "no-route", "/project/p/../p/files": "no-route", "//projects": "no-route", "/projects/": "no-route",
	} {
		if res, _ := s.do(s.request("GET", path, nil, "Authorization", "")); res.StatusCode != 401 && !strings.HasPrefix(path, "/assets/") {
			t.Errorf("%s without a token: %d", path, res.StatusCode)
		}
		if res, body := s.do(s.request("GET", path, nil)); res.StatusCode != 404 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", path, res.StatusCode, body)
		}
	}
	res, body := s.do(s.request("PATCH", "/project/p/dialog", nil))
	if res.StatusCode != 405 || res.Header.Get("Allow") != "POST, PUT" || !strings.Contains(body, "wrong-method") {
		t.Errorf("PATCH: %d, Allow %q, %s", res.StatusCode, res.Header.Get("Allow"), body)
	}
	res, _ = s.do(s.request("DELETE", "/project/p/deed/a/b.png", nil))
	if res.StatusCode != 405 || res.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("DELETE of the deed: %d, Allow %q", res.StatusCode, res.Header.Get("Allow"))
	}
}

// However a path is spelled, by whatever method it is asked for, and wherever else than in
// its header the token stands, what needs the token answers to nothing.
func TestNoSpellingPassesTheDoor(t *testing.T) {
	s := newShop(t)
	h := New(s.config)
	before := treeHash(t, s.root)
	host := strings.TrimPrefix(s.url, "http://")
	spellings := []func(string) string{
		func(p string) string { return p },
		func(p string) string { return "/" + p },
		func(p string) string { return "/." + p },
		func(p string) string { return p + "/" },
		func(p string) string { return p + "/." },
		func(p string) string { return p + ";a=b" },
		func(p string) string { return p + "%00" },
		func(p string) string { return "/assets/.." + p },
		func(p string) string { return "/assets/%2e%2e" + p },
		func(p string) string { return "/assets/x/../.." + p },
		func(p string) string { return "/assets/..%2f" + p[1:] },
		func(p string) string { return "/vibey-client.js/.." + p },
		func(p string) string { return "/favicon.ico%2f.." + p },
		func(p string) string { return "/login/.." + p },
		func(p string) string { return "/%2e" + p },
		func(p string) string { return strings.ToUpper(p) },
		func(p string) string { return p[:1] + fmt.Sprintf("%%%02x", p[1]) + p[2:] },
		func(p string) string { return strings.ReplaceAll(p, "/", "\\") },
		func(p string) string { return "http://" + host + p },
		func(p string) string { return "http://" + host + "/assets/.." + p },
		func(p string) string { return p + "?token=" + testToken + "&access_token=" + testToken + "&code=right" },
	}
	headers := []string{
		"", "Cookie: token=" + testToken, "X-Token: " + testToken, "Proxy-Authorization: Bearer " + testToken, "Authorization: Basic " + testToken, "Authorization: " + testToken,
		"Authorization: Token " + testToken, "Authorization: Bearer " + testToken[1:], "Authorization: Bearer  " + testToken, "Authorization: Bearer " + strings.ToUpper(testToken),
		"Authorization: Bearer x\r\nAuthorization: Bearer " + testToken, "X-Original-URL: /\r\nX-Rewrite-URL: /", "X-HTTP-Method-Override: GET", "Upgrade: websocket\r\nConnection: Upgrade",
	}
	n, step := 0, testenv.Stride(t, 17)
	for _, r := range routes() {
		if r.open {
			continue
		}
		for _, method := range []string{r.method, "GET", "HEAD", "OPTIONS", "POST", "TRACE", strings.ToLower(r.method), "FROB"} {
			for i, spell := range spellings {
				for k, header := range headers {
					if i > 0 && k > 0 && (i+k)%5 > 0 {
						continue // two oddities at once: a fifth of them
					}
					if n++; n%step > 0 {
						continue
					}
					if header != "" {
						header += "\r\n"
					}
					raw := method + " " + spell(concrete(r.path)) + " HTTP/1.1\r\nHost: " + host + "\r\nContent-Type: application/json\r\n" + header + "Content-Length: 2\r\n\r\n{}"
					req, err := http.ReadRequest(bufio.NewReader(strings.NewReader(raw)))
					if err != nil {
						continue // net/http's server refuses it
					}
					ctx, end := context.WithCancel(at(t, host))
					end() // what passes must not stream for ever
					w := httptest.NewRecorder()
					h.ServeHTTP(w, req.WithContext(ctx))
					if none := strings.HasPrefix(req.URL.Path, "/assets/") && w.Code == 404; w.Code != 401 && !none {
						t.Errorf("%q: %d %s", raw, w.Code, excerpt(w.Body.String()))
					}
				}
			}
		}
	}
	if now := treeHash(t, s.root); now != before {
		t.Error("something on disk has changed")
	}
}

// at is the context of a request that came to that address.
func at(t *testing.T, addr string) context.Context {
	t.Helper()
	a, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	return context.WithValue(context.Background(), http.LocalAddrContextKey, a)
}

func TestHosts(t *testing.T) {
	g := newGuard(&Config{Log: slog.New(slog.DiscardHandler), Token: "t", AllowHosts: []string{"Vibey.LAN", "box:99"}}, nil, nil)
	for _, c := range []struct {
		local, host string
		want        bool
	}{
		{"127.0.0.1:3001", "127.0.0.1:3001", true},
		{"127.0.0.1:3001", "localhost:3001", true},
		{"127.0.0.1:3001", "LocalHost:3001", true},
		{"127.0.0.1:3001", "[::1]:3001", true},
		{"127.0.0.1:80", "localhost", true},
		{"127.0.0.1:80", "[::1]", true},
		{"127.0.0.1:3001", "vibey.lan:1234", true},
		{"127.0.0.1:3001", "vibey.lan", true},
		{"127.0.0.1:3001", "box:99", true},
		{"192.168.1.5:3001", "192.168.1.5:3001", true},
		{"[::ffff:192.168.1.5]:3001", "192.168.1.5:3001", true},
		{"[fe80::1]:3001", "[fe80::1]:3001", true},
		{"127.0.0.1:3001", "127.0.0.1", false},
		{"127.0.0.1:3001", "127.0.0.1:3002", false},
		{"127.0.0.1:3001", "localhost:03001x", false},
		{"127.0.0.1:3001", "localhost:", false},
		{"127.0.0.1:3001", "localhost.:3001", false},
		{"127.0.0.1:3001", "", false},
		{"127.0.0.1:3001", ":3001", false},
		{"127.0.0.1:3001", "box:3001", false},
		{"127.0.0.1:3001", "box", false},
		{"127.0.0.1:3001", "192.168.1.5:3001", false},
		{"192.168.1.5:3001", "192.168.1.6:3001", false},
		{"127.0.0.1:3001", "1.evil.example:3001", false},
		{"127.0.0.1:3001", "[evil]:3001", false},
		{"127.0.0.1:3001", "localhost:99999999", false},
		{"127.0.0.1:3001", "vibey.lan:99999", false},
		// Two ports: what stands before the last one may be an allowed host.
		{"127.0.0.1:3001", "box:99:1", false},
		{"127.0.0.1:3001", "box:99:3001", false},
		{"127.0.0.1:3001", "box:99:", false},
		{"127.0.0.1:3001", "vibey.lan:1:2", false},
		{"127.0.0.1:2", "127.0.0.1:1:2", false},
		{"127.0.0.1:80", "localhost:80:80", false},
		{"127.0.0.1:80", "localhost::80", false},
		{"127.0.0.1:80", "localhost:80:", false},
		{"127.0.0.1:2", "[::1]:1:2", false},
		{"127.0.0.1:80", "[::1]:80:80", false},
		{"127.0.0.1:80", "[::1]::80", false},
		{"127.0.0.1:80", "[::1]x", false},
		{"127.0.0.1:80", "[::1]x:80", false},
		{"127.0.0.1:80", "[::1", false},
		{"127.0.0.1:80", "::1", false},
		{"127.0.0.1:1", "::1", false},
		{"[::1]:80", "::1", false},
		{"[::1]:80", "[[::1]]:80", false},
		{"[::1]:80", "[::1]]:80", false},
		{"[::1]:80", "[]:80", false},
		{"[fe80::1]:1", "fe80::1", false},
		{"192.168.1.5:80", "[192.168.1.5]:80", false},
		{"127.0.0.1:80", "]", false},
		{"127.0.0.1:80", ":", false},
		{"127.0.0.1:80", "user@localhost:80", false},
		{"127.0.0.1:80", "localhost:80 ", false},
		{"127.0.0.1:80", "localhost/:80", false},
		{"127.0.0.1:80", "localhost:-80", false},
		{"127.0.0.1:80", "localhost:+80", false},
	} {
		r := httptest.NewRequest("GET", "/", nil).WithContext(at(t, c.local))
		r.Host = c.host
		if got := g.hosts.allow(r); got != c.want {
			t.Errorf("Host %q at %s: %v", c.host, c.local, got)
		}
	}
	r := httptest.NewRequest("GET", "/", nil)
	r.Host = "localhost:3001"
	if g.hosts.allow(r) {
		t.Error("a connection of which nothing is known is let in")
	}
}

// atDoor is a request of the window that the door lets pass.
func atDoor(method string) (http.Handler, *http.Request, http.ResponseWriter) {
	pass := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	g := newGuard(&Config{Log: slog.New(slog.DiscardHandler), Token: testToken}, routes(), pass)
	r := httptest.NewRequest(method, "/project/p/dialogs", nil)
	r.Host = "127.0.0.1:3001"
	r.Header.Set("Authorization", "Bearer "+testToken)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Origin", "http://127.0.0.1:3001")
	local := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 3001}
	return g, r.WithContext(context.WithValue(context.Background(), http.LocalAddrContextKey, local)), &nobody{h: http.Header{}}
}

// nobody takes an answer and keeps nothing.
type nobody struct {
	h      http.Header
	status int
}

func (n *nobody) Header() http.Header         { return n.h }
func (n *nobody) Write(p []byte) (int, error) { return len(p), nil }
func (n *nobody) WriteHeader(status int)      { n.status = status }

func TestDoorAllocatesNothing(t *testing.T) {
	for _, method := range []string{"GET", "PUT"} {
		g, r, w := atDoor(method)
		if n := testing.AllocsPerRun(100, func() { g.ServeHTTP(w, r) }); n != 0 || w.(*nobody).status != 0 {
			t.Errorf("%s: %v allocations, status %d", method, n, w.(*nobody).status)
		}
	}
}

func BenchmarkDoor(b *testing.B) {
	g, r, w := atDoor("PUT")
	b.ReportAllocs()
	for b.Loop() {
		g.ServeHTTP(w, r)
	}
}
