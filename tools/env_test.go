package tools

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"vibey/dialog/change"
	"vibey/tools/disk"
	"vibey/tools/sandbox"
)

// world is a project in a temporary folder, with the Env of a call to it.
type world struct {
	t    testing.TB
	dir  string
	env  Env
	set  *Set
	seen map[string]string // path → hash, as results named it
}

// newWorld makes a project with doc-main.md and deed/, and no sandbox.
func newWorld(t testing.TB) *world {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: filepath.Join(top, "mine"), set: NewSet(), seen: map[string]string{}}
	w.mkdir("deed")
	w.put("doc-main.md", "# Mine\n")
	root, err := os.OpenRoot(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	w.env = Env{
		Known:   Known(nil),
		Write:   w.write,
		Project: root, ProjectDir: w.dir, Home: filepath.Join(top, "home"),
		ServerHome: func(server string) (string, error) { return w.ownHome(server), os.MkdirAll(w.ownHome(server), 0o700) },
		Sandbox:    sandbox.Probe(sandbox.Config{Path: os.Getenv("PATH"), Limit: 20 * time.Second}),
		Hash:       func(p string) (string, bool) { sha, ok := w.seen[p]; return sha, ok },
	}
	w.resolve()
	return w
}

// ownHome is the HOME of an MCP server that has one for itself.
func (w *world) ownHome(server string) string {
	return filepath.Join(filepath.Dir(w.dir), "home-mcp", server)
}

// write writes as server/project does.
func (w *world) write(dir *os.Root, name string, edit func(*os.File) ([]byte, error)) (fs.FileInfo, error) {
	unlock, err := disk.Lock(w.t.Context(), w.env.Project)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return disk.Change(dir, name, 0o644, edit)
}

// resolve takes the deed as the server does when it opens a project.
func (w *world) resolve() {
	w.t.Helper()
	deed, err := filepath.EvalSymlinks(w.path("deed"))
	if err != nil {
		w.t.Fatal(err)
	}
	w.env.DeedDir = deed
}

func (w *world) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

func (w *world) mkdir(name string) {
	w.t.Helper()
	if err := os.MkdirAll(w.path(name), 0o755); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) put(name, content string) {
	w.t.Helper()
	if err := os.WriteFile(w.path(name), []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) link(to, name string) {
	w.t.Helper()
	if err := os.Symlink(to, w.path(name)); err != nil {
		w.t.Fatal(err)
	}
}

// get is a file's content, or "(none)".
func (w *world) get(name string) string {
	b, err := os.ReadFile(w.path(name))
	if err != nil {
		return "(none)"
	}
	return string(b)
}

// call runs a tool with args made from the pairs, and remembers the hashes.
func (w *world) call(tool string, pairs ...string) (Result, map[string]any) {
	w.t.Helper()
	return w.callArgs(tool, arguments(pairs...))
}

func (w *world) callArgs(tool, args string) (Result, map[string]any) {
	w.t.Helper()
	r := w.set.Call(w.t.Context(), w.env, tool, args)
	for _, f := range change.Named(r.JSON) {
		w.seen[f.Path] = f.SHA256
	}
	return r, fieldsOfResult(w.t, r)
}

// arguments makes the JSON object of key, value, key, value …
func arguments(pairs ...string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	b, _ := json.Marshal(m)
	return string(b)
}

// fieldsOfResult reads a result, and holds it against what every result is.
func fieldsOfResult(t testing.TB, r Result) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(r.JSON), &m); err != nil {
		t.Fatalf("the result is not JSON: %v\n%s", err, r.JSON)
	}
	if m["success"] != r.Success {
		t.Errorf("success is %v in the JSON and %v beside it", m["success"], r.Success)
	}
	if !r.Success && m["error"] == "" {
		t.Errorf("a failure without words: %s", r.JSON)
	}
	if r.Success && r.Failure != "" {
		t.Errorf("a success with a failure kind: %q", r.Failure)
	}
	return m
}
