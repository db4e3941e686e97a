package server

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"vibey/provider/providertest"
)

// away moves a folder, and returns what brings it back.
func (s *shop) away(path string) (back func()) {
	s.t.Helper()
	move := func(from, to string) {
		if err := os.Rename(from, to); err != nil {
			s.t.Error(err)
		}
	}
	move(path, path+"-away")
	return func() { move(path+"-away", path) }
}

// Whoever adds a route that changes something adds it to the table, and so to this test:
// none answers but 503, in words, while what it would write is not where it was found.
func TestNoActIsAnsweredAway(t *testing.T) {
	s := newShop(t)
	s.json("GET", "/project/p/files", "", 200)
	bodies := map[string]string{
		"POST /login": `{"code":"right"}`, "POST /keys": `{"provider":"claude","key":"k"}`, "POST /projects": `{"name":"q"}`,
		"POST /project/{project}/file/{name}": `{"content":"x"}`, "POST /project/{project}/dialog": `{"provider":"claude","prompt":"hi"}`,
		"POST /project/{project}/dialog/new": `{"provider":"claude"}`, "PUT /project/{project}/dialog": `{"dialogId":"20260216-201100-x","status":"waiting"}`,
	}
	for _, folder := range []string{s.root, s.root + "/p"} {
		what := "The folder of projects is not where it was found"
		if folder != s.root {
			what = "The project p is not where it was found"
		}
		back := s.away(folder)
		for _, r := range routes() {
			if r.method == "GET" || folder != s.root && !strings.Contains(r.path, "{project}") {
				continue
			}
			path := strings.NewReplacer("{project}", "p", "{name}", "doc-a.md").Replace(r.path)
			res, body := s.do(s.request(r.method, concrete(path), strings.NewReader(bodies[r.method+" "+r.path]), "Content-Type", "application/json"))
			if res.StatusCode != 503 || res.Header.Get("Content-Type") != "application/problem+json" || !strings.Contains(body, `"type":"urn:vibey:problem:away"`) || !strings.Contains(body, what) {
				t.Errorf("%s %s: %d %s", r.method, path, res.StatusCode, body)
			}
		}
		s.json("GET", "/health", "", 200)
		back()
		s.json("POST", "/project/p/file/doc-b.md", `{"content":"x"}`, 200)
	}
	s.json("GET", "/project/p/file/doc-a.md", "", 404)
}

// What went away while an act was done is not acknowledged either. One that failed says why.
func TestActThatWentAway(t *testing.T) {
	s := newShop(t)
	var back func()
	var failed error
	s.config.SetKey = func(string, string) error { back = s.away(s.root); return failed }
	s.serve()
	for _, want := range []struct {
		failed error
		status int
		kind   string
	}{{nil, 503, "away"}, {syscall.EIO, 500, "disk-error"}} {
		failed = want.failed
		got := s.json("POST", "/keys", `{"provider":"claude","key":"k"}`, want.status)
		if !strings.Contains(got, "problem:"+want.kind) {
			t.Error(got)
		}
		back()
	}
}

// What runs in a project that was moved can be stopped, though the stop is not acknowledged.
func TestStopReachesAMovedProject(t *testing.T) {
	s := newShop(t, providertest.Reply{Text: "late", FirstMS: 60_000})
	r := s.request("POST", "/project/p/dialog", strings.NewReader(`{"provider":"claude","prompt":"go"}`), "Content-Type", "application/json")
	f, ok := s.follow(r).next()
	if !ok {
		t.Fatal("no frame")
	}
	back := s.away(s.root + "/p")
	s.json("PUT", "/project/p/dialog", `{"dialogId":"`+f.DialogID+`","status":"waiting"}`, 503)
	if s.runner.Running("p", f.DialogID) {
		t.Error("it runs on")
	}
	back()
	s.json("PUT", "/project/p/dialog", `{"dialogId":"`+f.DialogID+`","status":"done"}`, 200)
}
