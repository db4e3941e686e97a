package tools

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// listed is the names in a result of list_files.
func listed(t *testing.T, w *world, args string) (names []string, m map[string]any) {
	t.Helper()
	r, m := w.callArgs("list_files", args)
	if !r.Success {
		t.Fatalf("%s: %s", args, r.JSON)
	}
	for _, f := range m["files"].([]any) {
		names = append(names, f.(string))
	}
	return names, m
}

func TestListFiles(t *testing.T) {
	w := newReader(t)
	for _, d := range []string{"deed/src/deep/deeper", "deed/.git/objects", "deed/node_modules/x", "deed/empty", ".kept", "notes"} {
		w.mkdir(d)
	}
	for _, f := range []string{
		"deed/index.html", "deed/src/b.js", "deed/src/a.js", "deed/src/deep/c.js", "deed/src/deep/deeper/d.js", "deed/.git/config",
		"deed/node_modules/x/i.js", "deed/.env", "doc-notes.md", "dialog-20260101-000000-x-waiting.md", ".20260101-000000-x.open", "loose.txt",
	} {
		w.put(f, "x")
	}
	w.link("src/deep", "deed/to-deep")
	if err := unix.Mkfifo(w.path("deed/pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		`{}`:                           "deed/ deed/.env deed/.git/ deed/empty/ deed/index.html deed/node_modules/ deed/pipe deed/src/ deed/src/a.js deed/src/b.js deed/src/deep/ deed/to-deep dialog-20260101-000000-x-waiting.md doc-main.md doc-notes.md",
		`{"path":".","depth":1}`:       "deed/ dialog-20260101-000000-x-waiting.md doc-main.md doc-notes.md",
		`{"path":"deed/src"}`:          "deed/src/a.js deed/src/b.js deed/src/deep/ deed/src/deep/c.js deed/src/deep/deeper/ deed/src/deep/deeper/d.js",
		`{"path":"deed/src/"}`:         "deed/src/a.js deed/src/b.js deed/src/deep/ deed/src/deep/c.js deed/src/deep/deeper/ deed/src/deep/deeper/d.js",
		`{"path":"deed","depth":1}`:    "deed/.env deed/.git/ deed/empty/ deed/index.html deed/node_modules/ deed/pipe deed/src/ deed/to-deep",
		`{"path":"deed/to-deep"}`:      "deed/src/deep/c.js deed/src/deep/deeper/ deed/src/deep/deeper/d.js",
		`{"path":"deed/empty"}`:        "",
		`{"path":"deed/node_modules"}`: "deed/node_modules/x/ deed/node_modules/x/i.js",
	} {
		if got, m := listed(t, w, args); strings.Join(got, " ") != want || m["omitted"] != nil || m["note"] != nil {
			t.Errorf("%s: %v", args, m)
		}
	}
	for path, want := range map[string]string{
		"deed/index.html": "is a file, not a folder. Read it with read_file", "doc-main.md": "Read it with read_file", "deed/none": "there is no 'deed/none'", "doc-none.md": "there is no",
		"deed/.git": "belongs to git", "notes": "neither a doc nor below deed/", ".kept": "begins with a dot", "..": "PATH_OUTSIDE_PROJECT", "/": "PATH_OUTSIDE_PROJECT",
		"deed/pipe": "is a file, not a folder", "deed/index.html/x": "is a file, not a folder",
	} {
		if r, m := w.call("list_files", "path", path); r.Success || len(m) != 2 || !strings.Contains(fmt.Sprint(m["error"]), want) {
			t.Errorf("%s: %s", path, r.JSON)
		}
	}
}

// Of more names than a result takes those near the beginning are there, and the
// others are counted.
func TestListFilesBounds(t *testing.T) {
	w := newReader(t)
	w.mkdir("deed/a/b")
	for i := range 600 {
		w.put(fmt.Sprintf("deed/a/b/f%03d", i), "")
	}
	w.put("deed/z", "")
	for i := range 30 {
		w.put(fmt.Sprintf("dialog-20260101-0000%02d-x-done.md", i), "")
	}
	got, m := listed(t, w, `{"path":"deed"}`)
	if len(got) != listMost || m["omitted"] != 103.0 || !slices.Contains(got, "deed/z") || !slices.Contains(got, "deed/a/b/f000") || !slices.IsSorted(got) {
		t.Errorf("%d, %v omitted: %v", len(got), m["omitted"], got)
	}
	got, m = listed(t, w, `{"depth":4}`)
	if len(got) != listMost || m["omitted"] != 135.0 || !slices.Contains(got, "doc-main.md") {
		t.Errorf("%d, %v omitted", len(got), m["omitted"])
	}
	found := 0
	whole := walkFrom(w.env.Project, 9, 100, func(entry) bool { found++; return true })
	if whole || found > 100 {
		t.Errorf("whole %v, %d found", whole, found)
	}
	// Paths longer than the system takes.
	dir, err := os.OpenRoot(w.path("deed/a"))
	if err != nil {
		t.Fatal(err)
	}
	for range 40 {
		next, err := func() (*os.Root, error) {
			name := strings.Repeat("d", 200)
			if err := dir.Mkdir(name, 0o755); err != nil {
				return nil, err
			}
			return dir.OpenRoot(name)
		}()
		dir.Close()
		if err != nil {
			t.Fatal(err)
		}
		dir = next
	}
	dir.Close()
	if _, m := listed(t, w, `{"path":"deed/a","depth":64}`); !strings.Contains(fmt.Sprint(m["note"]), "There is more") {
		t.Errorf("%v", m["note"])
	}
}
