package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vibey/provider/providertest"
)

func TestLogin(t *testing.T) {
	t.Parallel()
	h := serve(t, newPlace(t, providertest.Script{}))
	if st, err := os.Stat(filepath.Join(h.state, "token")); err != nil || st.Mode() != 0o600 {
		t.Errorf("token: %v %v", st.Mode(), err)
	}
	if st, err := os.Stat(h.state); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("state dir: %v %v", st.Mode(), err)
	}
	token := h.token
	h.token = ""
	h.get("/projects").problem(401)
	if got := h.ask("POST", "/login", body{"code": h.code}).is(200).object(); got["token"] != token || len(got) != 1 {
		t.Errorf("login answers %v", got)
	}
	h.ask("POST", "/login", body{"code": h.code}).problem(401)
	h.token = token
	h.get("/projects").is(200)
	// The token is the same after a restart; a code is not.
	again := h.again(syscall.SIGTERM)
	if again.token != token || again.code == h.code {
		t.Errorf("token %q, was %q; code %q, was %q", again.token, token, again.code, h.code)
	}
	again.ask("POST", "/login", body{"code": again.code}).is(200)
}

// TestDoor goes through all that openapi.json lists: nothing but the open
// routes answers without the token, to another host's name or another site.
func TestDoor(t *testing.T) {
	t.Parallel()
	h := serve(t, newPlace(t, providertest.Script{}))
	h.make("p")
	var api struct {
		Paths map[string]map[string]json.RawMessage
	}
	h.get("/openapi.json").is(200).into(&api)
	guarded := 0
	for path, methods := range api.Paths {
		path = strings.NewReplacer("{project}", "p", "{name}", "doc-main.md", "{id}", "20260101-000000-x", "{path}", "a.png").Replace(path)
		for method := range methods {
			method = strings.ToUpper(method)
			ask := func(change func(*http.Request)) int {
				req := h.request(method, path, nil)
				req.Header.Set("Content-Type", "application/json")
				change(req)
				res, err := client.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				res.Body.Close()
				return res.StatusCode
			}
			if path != "/login" {
				guarded++
				if st := ask(func(r *http.Request) { r.Header.Del("Authorization") }); st != 401 {
					t.Errorf("%s %s without a token: %d", method, path, st)
				}
				if st := ask(func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+h.token+"x") }); st != 401 {
					t.Errorf("%s %s with another token: %d", method, path, st)
				}
			}
			if st := ask(func(r *http.Request) { r.Host = "vibey.example:80" }); st != 421 {
				t.Errorf("%s %s under another host's name: %d", method, path, st)
			}
			if method != "GET" {
				if st := ask(func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }); st != 403 {
					t.Errorf("%s %s from another site: %d", method, path, st)
				}
				if st := ask(func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }); st != 403 {
					t.Errorf("%s %s from another origin: %d", method, path, st)
				}
			}
		}
	}
	if guarded < 15 {
		t.Errorf("only %d guarded routes are listed", guarded)
	}
	if !h.there("p") {
		t.Error("a refused request deleted the project")
	}
	res := h.get("/")
	if csp := res.header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
		t.Errorf("CSP of the shell: %q", csp)
	}
}

// TestTerm stops the program in the middle of its work.
func TestTerm(t *testing.T) {
	for name, script := range map[string]providertest.Script{
		"streaming": {Replies: []providertest.Reply{{Text: strings.Repeat("word ", 400), Chunk: 5, DelayMS: 20}}},
		"stalled":   {Replies: []providertest.Reply{{Text: "a word", Fault: &providertest.Fault{Kind: "stall", After: 3}}}},
		"tool": {Replies: []providertest.Reply{{Text: "I run it.", Calls: []providertest.Call{
			{ID: "slow", Name: "run_command", Args: `{"command":"echo began; sleep 25; touch deed/slept"}`}}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := serve(t, newPlace(t, script))
			h.make("p")
			s := h.post(dialogPath, body{"provider": "claude", "prompt": "go"})
			id := s.kind("section").data.DialogID
			if name == "tool" {
				s.ends("tool_request")
				s = h.put(dialogPath, body{"dialogId": id, "control": "slow approve"})
				s.until(0, func(f frame) bool { return f.data.Section.Meta["Kind"] == "started" })
			} else if name == "streaming" {
				s.kind("chunk")
			}
			began := time.Now()
			h.kill(syscall.SIGTERM)
			if took := time.Since(began); took > 2*time.Second || h.err != nil {
				t.Errorf("SIGTERM: %v after %v\n%s", h.err, took, h.log)
			}
			if f := s.last(); f.kind != "done" && f.kind != "error" {
				t.Errorf("the stream ended with %s", f.raw)
			}
			for _, name := range h.names("p") {
				if strings.HasSuffix(name, ".open") || strings.HasSuffix(name, "-active.md") {
					t.Errorf("%s is left", name)
				}
			}
			h = serve(t, h.place)
			st := h.look("p", id)
			if st.Status != "waiting" || st.Needs != "continue" {
				t.Errorf("%s, needs %s:\n%s", st.Status, st.Needs, st.Markdown)
			}
			if h.there("p", "deed", "slept") {
				t.Error("the command went on")
			}
			if name == "tool" {
				if r, _ := st.find("Tool Result", "slow"); r.Meta["Status"] != "error" || !strings.Contains(r.text(), "interrupted") {
					t.Errorf("the result of what was cut off: %+v", r)
				}
			}
			h.parse(st.Markdown)
		})
	}
}

// TestPreviewOrigin asks the port of the deed's pages as a browser would, and stops
// the program while a page is being read.
func TestPreviewOrigin(t *testing.T) {
	t.Parallel()
	h := serve(t, newPlace(t, providertest.Script{}))
	h.make("p")
	h.write("<h1>The lamp</h1>", "p", "deed", "index.html")
	h.write(strings.Repeat("0123456789abcdef", 1<<20), "p", "deed", "long.mp4")
	page := h.get("/project/p/preview").is(200).object()["url"].(string)
	host, _, _ := strings.Cut(strings.TrimPrefix(page, "http://"), "/")
	ask := func(method, at string, change func(*http.Request)) (int, string) {
		req, err := http.NewRequest(method, at, nil)
		if err != nil {
			t.Fatal(err)
		}
		change(req)
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(b)
	}
	as := func(*http.Request) {}
	if st, text := ask("GET", page, as); st != 200 || text != "<h1>The lamp</h1>" {
		t.Errorf("the page: %d %s", st, text)
	}
	bear := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+h.token) }
	for _, path := range []string{"", "projects", "health", "vibey-client.js", "project/p/files", "project/p/preview"} {
		if st, text := ask("GET", "http://"+host+"/"+path, bear); st != 404 {
			t.Errorf("/%s at the preview origin: %d %s", path, st, text)
		}
	}
	if st, _ := ask("GET", page, func(r *http.Request) { r.Host = "vibey.example:80" }); st != 421 {
		t.Errorf("under another host's name: %d", st)
	}
	if st, _ := ask("POST", page, bear); st != 405 {
		t.Errorf("POST: %d", st)
	}
	if csp := h.get("/").header.Get("Content-Security-Policy"); !strings.Contains(csp, "; frame-src http://"+host+"; ") {
		t.Errorf("CSP of the shell: %q", csp)
	}
	slow := dial(t, host)
	fmt.Fprintf(slow, "GET %slong.mp4 HTTP/1.1\r\nHost: %s\r\n\r\n", strings.TrimPrefix(page, "http://"+host), host)
	if _, err := slow.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	h.kill(syscall.SIGTERM)
	if took := time.Since(began); took > 2*time.Second || h.err != nil {
		t.Errorf("SIGTERM: %v after %v\n%s", h.err, took, h.log)
	}
	h = serve(t, h.place)
	if again := h.get("/project/p/preview").is(200).object()["url"].(string); again[len(again)-27:] == page[len(page)-27:] {
		t.Error("the word is that of the start before")
	}
}
