package server

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"vibey/cmd/tally/testenv"
)

// projects waits for a frame of all projects that is want. What depends on the clock is
// left out.
func (f *following) projects(key, want string) {
	f.t.Helper()
	got := ""
	for {
		fr, ok := f.next()
		if !ok {
			f.t.Fatalf("the live stream ended after %s", got)
		}
		var l struct {
			Watch string
			Frame json.RawMessage
		}
		if json.Unmarshal([]byte(fr.data), &l) != nil || l.Watch != key {
			continue
		}
		if got = changed.ReplaceAllString(string(l.Frame), ""); got == want {
			return
		}
	}
}

// A window is told what goes on in all projects: at once, and where it changes, by a
// turn, by another program, by a project that is made or deleted.
func TestLiveTellsOfAllProjects(t *testing.T) {
	testenv.Slow(t)
	s := newShop(t, writesAndReports...)
	live := s.live("n/projects", "p/project/p")
	live.projects("n", `{"type":"projects","projects":[{"name":"p","waiting":0,"active":0}]}`)

	s.dialog("POST", object("provider", "claude", "model", "m", "prompt", "write", "slug", "x")) // asks
	live.projects("n", `{"type":"projects","projects":[{"name":"p","waiting":1,"active":0}]}`)

	s.json("POST", "/projects", `{"name":"book"}`, 200)
	live.projects("n", `{"type":"projects","projects":[{"name":"book","waiting":0,"active":0},{"name":"p","waiting":1,"active":0}]}`)

	s.write("book/dialog-20260216-201100-cut-waiting.md", "# Dialog\n\n## User\n\nhello\n")
	live.projects("n", `{"type":"projects","projects":[{"name":"book","waiting":1,"active":0},{"name":"p","waiting":1,"active":0}]}`)
	if err := os.Remove(filepath.Join(s.root, "book", "dialog-20260216-201100-cut-waiting.md")); err != nil {
		t.Fatal(err)
	}
	live.projects("n", `{"type":"projects","projects":[{"name":"book","waiting":0,"active":0},{"name":"p","waiting":1,"active":0}]}`)

	s.json("DELETE", "/projects/book", "", 204)
	live.projects("n", `{"type":"projects","projects":[{"name":"p","waiting":1,"active":0}]}`)

	// One that comes later is told at once.
	s.live("z/projects").projects("z", `{"type":"projects","projects":[{"name":"p","waiting":1,"active":0}]}`)
}
