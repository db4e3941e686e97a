package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/change"
)

// newReader is a world with the set read.
func newReader(t *testing.T) *world {
	w := newWorld(t)
	w.set = NewSet("read")
	return w
}

// The set is read-only, asks nobody, and is there where a doc names it.
func TestReadSet(t *testing.T) {
	set := NewSet("read")
	for _, name := range []string{"read_file", "list_files", "search_files"} {
		tool, ok := set.Lookup(name)
		if !ok || tool.Asks || tool.Class != dialog.Read || len(tool.Description) < 40 {
			t.Errorf("%s: %+v", name, tool)
		}
		if _, ok := NewSet().Lookup(name); ok {
			t.Errorf("%s is always there", name)
		}
	}
	if got := SetsIn(set.Specs()); !slices.Equal(got, []string{"read"}) {
		t.Error(got)
	}
}

func TestReadFile(t *testing.T) {
	w := newReader(t)
	text := "one\ntwo\r\nthree\n\nfive"
	w.put("deed/a.txt", text)
	for _, c := range []struct {
		args, content, note string
		from, to            int
	}{
		{`{"path":"deed/a.txt"}`, text, "", 1, 5},
		{`{"path":"deed//./a.txt","from":1,"lines":1}`, "one\n", "lines 1 to 1 of 5. Read on with from: 2.", 1, 1},
		{`{"path":"deed/a.txt","from":2,"lines":2}`, "two\r\nthree\n", "Read on with from: 4.", 2, 3},
		{`{"path":"deed/a.txt","from":4}`, "\nfive", "", 4, 5},
		{`{"path":"deed/a.txt","from":5,"lines":9223372036854775807}`, "five", "", 5, 5},
	} {
		r, m := w.callArgs("read_file", c.args)
		note, _ := m["note"].(string)
		if !r.Success || m["content"] != c.content || m["from"] != float64(c.from) || m["to"] != float64(c.to) || !strings.Contains(note, c.note) || c.note == "" && note != "" {
			t.Errorf("%s: %s", c.args, r.JSON)
		}
		if m["path"] != "deed/a.txt" || m["sha256"] != shaOf(text) || m["bytes"] != float64(len(text)) || m["lines"] != 5.0 {
			t.Errorf("%s: it names %s", c.args, r.JSON)
		}
	}
	w.put("deed/empty", "")
	if r, m := w.call("read_file", "path", "deed/empty"); !r.Success || m["content"] != "" || m["lines"] != 0.0 || m["to"] != 0.0 || m["sha256"] != shaOf("") {
		t.Error(r.JSON)
	}
	for args, want := range map[string]string{
		`{"path":"deed/a.txt","from":6}`:  "has 5 lines, so there is none from line 6 on",
		`{"path":"deed/none"}`:            "there is no 'deed/none'. Look with list_files",
		`{"path":"deed/none/x"}`:          "there is no",
		`{"path":"doc-none.md"}`:          "there is no 'doc-none.md'",
		`{"path":"deed/a.txt","from":0}`:  `"from" must be at least 1`,
		`{"path":"deed/a.txt","lines":0}`: `"lines" must be at least 1`,
		`{"path":"deed/a.txt/x"}`:         "is a file, not a folder",
	} {
		if r, m := w.callArgs("read_file", args); r.Success || len(m) != 2 || !strings.Contains(r.JSON, strings.ReplaceAll(want, `"`, `\"`)) {
			t.Errorf("%s: %s", args, r.JSON)
		}
	}
}

// What a call can read: docs, dialogs and the plan too, and the deed; nothing else
// by any of the ways that a write is refused.
func TestReadFileStaysInside(t *testing.T) {
	w, out := trap(t)
	w.set = NewSet("read")
	for _, name := range []string{"secret.txt", "doc-x.md"} {
		if err := os.WriteFile(filepath.Join(out, name), []byte("taken\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	fill := strings.NewReplacer("$OUT", out, "$DIR", w.dir, "$NAME", filepath.Base(w.dir), "$TOP", filepath.Dir(w.dir)).Replace
	readable := map[string]string{
		"dialog-20260101-000000-x-waiting.md": "dialog-20260101-000000-x-waiting.md", "doc-plan.md": "doc-plan.md", "deed/kept": "deed/kept",
	}
	before := fingerprint(t, filepath.Dir(w.dir))
	for _, a := range attacks {
		r, m := w.call("read_file", "path", fill(a.path))
		name, ok := strings.CutPrefix(a.want, "ok ")
		if n := readable[a.path]; n != "" {
			name, ok = n, true
		}
		said, _ := m["error"].(string)
		switch {
		case r.Success && (!ok || m["path"] != name || m["content"] != w.get(name)):
			t.Errorf("%.60q was read: %s", a.path, r.JSON)
		case r.Success:
		case ok && w.get(name) != "(none)":
			t.Errorf("%.60q can't be read: %s", a.path, r.JSON)
		case strings.Contains(a.want, outsideText) && !strings.Contains(said, fill(a.want)):
			t.Errorf("%.60q: %s", a.path, r.JSON)
		}
		if strings.Contains(r.JSON, "taken") {
			t.Errorf("%.60q told what lies outside: %s", a.path, r.JSON)
		}
		for _, tool := range []string{"list_files", "search_files"} {
			args := map[string]string{"list_files": arguments("path", fill(a.path)), "search_files": arguments("path", fill(a.path), "query", "taken")}[tool]
			if r, _ := w.callArgs(tool, args); strings.Contains(r.JSON, "secret.txt\"") && r.Success || strings.Contains(r.JSON, ":1:taken") {
				t.Errorf("%s %.60q: %s", tool, a.path, r.JSON)
			}
		}
	}
	if fingerprint(t, filepath.Dir(w.dir)) != before {
		t.Error("reading changed something")
	}
}

// A missing deed is not made by a look at it.
func TestReadingMakesNoDeed(t *testing.T) {
	w := newReader(t)
	if err := os.Remove(w.path("deed")); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{`{"path":"deed/x"}`, `{"path":"deed"}`, `{}`, `{"query":"x"}`, `{"query":"x","path":"deed"}`} {
		for _, tool := range []string{"read_file", "list_files", "search_files"} {
			if w.set.Check(tool, args) == nil {
				w.callArgs(tool, args)
			}
		}
	}
	if _, err := os.Lstat(w.path("deed")); err == nil {
		t.Error("deed was made")
	}
}

func TestReadFileBounds(t *testing.T) {
	w := newReader(t)
	line := strings.Repeat("x", 99) + "\n"
	w.put("deed/many", strings.Repeat("y\n", 5000))
	w.put("deed/wide", strings.Repeat(line, 3000))
	w.put("deed/one", strings.Repeat("ü", 200_000))
	if r, m := w.call("read_file", "path", "deed/many"); !r.Success || m["to"] != 2000.0 || m["lines"] != 5000.0 || !strings.Contains(r.JSON, "from: 2001") {
		t.Errorf("%.300s", r.JSON)
	}
	_, m := w.call("read_file", "path", "deed/wide")
	if to := int(m["to"].(float64)); len(m["content"].(string)) != to*100 || to != readBytes/100 || !strings.Contains(fmt.Sprint(m["note"]), fmt.Sprintf("from: %d.", to+1)) {
		t.Errorf("%v %v", m["to"], m["note"])
	}
	r, m := w.call("read_file", "path", "deed/one")
	if text := m["content"].(string); !r.Success || strings.Trim(text, "ü") != "" || len(text) > readBytes || len(text) < readBytes-4 || !strings.Contains(fmt.Sprint(m["note"]), "Line 1 is longer") || m["to"] != 1.0 {
		t.Errorf("%d bytes, %v, %v", len(text), m["to"], m["note"])
	}

	if err := os.Truncate(w.path("deed/one"), readLimit+1); err != nil {
		t.Fatal(err)
	}
	w.put("deed/image.png", "\x89PNG\r\n\x1a\n\x00\x00")
	w.put("deed/latin", "caf\xe9\n")
	for path, want := range map[string]string{
		"deed/one": "reads files of at most", "deed/image.png": "is not text", "deed": "names a folder", ".": "names a folder", "deed/": "names a folder",
	} {
		if r, m := w.call("read_file", "path", path); r.Success || len(m) != 2 || !strings.Contains(fmt.Sprint(m["error"]), want) {
			t.Errorf("%s: %s", path, r.JSON)
		}
	}
	if r, m := w.call("read_file", "path", "deed/latin"); !r.Success || m["content"] != "caf\uFFFD\n" || m["sha256"] != shaOf("caf\xe9\n") || !strings.Contains(r.JSON, "not UTF-8") {
		t.Error(r.JSON)
	}
}

// Neither a key nor the mark of a confirmed wish is told, a key that a bound would
// cut neither.
func TestReadFileMasks(t *testing.T) {
	w := newReader(t)
	const key = "sk-0123456789abcdef"
	w.env.Mask = func() []string { return []string{key} }
	mac := strings.Repeat("ab", 32)
	w.put("doc-main.md", "# confirmed "+mac+"\n"+key+"\n")
	w.put("deed/long", strings.Repeat("x", readBytes-6)+key)
	for _, path := range []string{"doc-main.md", "deed/long"} {
		r, m := w.call("read_file", "path", path)
		if !r.Success || strings.Contains(r.JSON, "sk-01") || strings.Contains(r.JSON, mac) || m["sha256"] != shaOf(w.get(path)) {
			t.Errorf("%.200s", r.JSON)
		}
	}
	// A search does not tell by what it finds, either.
	for _, c := range [][2]string{{"sk-0", ""}, {"sk-[0-9]", "true"}, {"confirmed ab", ""}, {"confirmed [a-f0-9]", "true"}, {"abab", ""}} {
		args := `{"query":"` + c[0] + `"}`
		if c[1] != "" {
			args = `{"query":"` + c[0] + `","regexp":true}`
		}
		if r, m := w.callArgs("search_files", args); !r.Success || len(m["matches"].([]any)) != 0 {
			t.Errorf("%s: %s", args, r.JSON)
		}
	}
	if r, _ := w.call("search_files", "query", "confirmed"); !strings.Contains(r.JSON, "doc-main.md:1:# confirmed [key]") {
		t.Error(r.JSON)
	}
}

// What a call read is what the dialog knows of the file: the guard against a lost
// update holds a later write against it, and it is no write.
func TestReadFileIsNamed(t *testing.T) {
	w := newReader(t)
	w.put("deed/a.txt", "one\n")
	r, _ := w.call("read_file", "path", "deed/a.txt", "description", "look")
	if named := change.Named(r.JSON); len(named) != 1 || named[0] != (change.FileHash{Path: "deed/a.txt", SHA256: shaOf("one\n")}) {
		t.Errorf("%v", named)
	}
	if wrote := change.Wrote("read_file", r.JSON); wrote != nil {
		t.Errorf("it wrote %v", wrote)
	}
	w.put("deed/a.txt", "two\n")
	if r, _ := w.call("write_file", "path", "deed/a.txt", "content", "three\n"); r.Success || w.get("deed/a.txt") != "two\n" {
		t.Error(r.JSON)
	}
	w.call("read_file", "path", "deed/a.txt")
	if r, _ := w.call("write_file", "path", "deed/a.txt", "content", "three\n"); !r.Success {
		t.Error(r.JSON)
	}
}
