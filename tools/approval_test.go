package tools

import (
	"io/fs"
	"os"
	"reflect"
	"strings"
	"testing"

	"vibey/dialog/grant"
)

// A call that a human approved writes over the file that was shown, and over no
// other.
func TestApprovedTarget(t *testing.T) {
	w0, shown, other := grant.NoFile, shaOf("shown"), shaOf("other")
	left := func(path, sha string) bool { return path == "deed/x" && sha == shaOf("mine") }
	for _, c := range []struct {
		name, target, there, known string // there: the file's content, "-" for none; known: its hash as results named it
		refused                    string // words of the refusal, "" for none
	}{
		{"as shown", shown, "shown", "", ""},
		{"none, as shown", w0, "-", "", ""},
		{"changed since", shown, "other", "", "is not as it was when the human approved this call: the call c9 of this dialog left it so. Nothing was written"},
		{"changed since, and known", shown, "other", other, "is not as it was when"},
		{"made since", w0, "other", "", "did not exist when the human approved this call, and does now"},
		{"made since, empty", w0, "", "", "did not exist when"},
		{"gone since", shown, "-", "", "is gone since the human approved this call"},
		{"left by one approved with it", shown, "mine", "", ""},
		{"made by one approved with it", w0, "mine", "", ""},
		{"as shown, but not as the dialog knew it", shown, "shown", other, "has changed since you last saw it"},
		{"does not say", "", "other", "", "does not say that the human was shown it"},
		{"does not say, and known", "", "other", other, ""},
		{"does not say, and known otherwise", "", "other", shown, "has changed since you last saw it"},
		{"does not say, and none", "", "-", "", ""},
	} {
		for _, tool := range []string{"write_file", "edit_file"} {
			if tool == "edit_file" && (c.there == "-" || c.there == "") && c.refused == "" {
				continue
			}
			w := newWorld(t)
			if c.there != "-" {
				w.put("deed/x", c.there)
			}
			if c.known != "" {
				w.seen["deed/x"] = c.known
			}
			asked := ""
			w.env.Approved = &Approval{Target: c.target, Left: left, Changed: func(path, sha string) string {
				asked = path + " " + sha
				return "the call c9 of this dialog left it so"
			}}
			args := []string{"path", "deed/./x", "content", "new"}
			if tool == "edit_file" {
				args = []string{"path", "deed/./x", "old_string", c.there, "new_string", "new"}
				if c.there == "-" || c.there == "" {
					args[3] = "a"
				}
			}
			r, m := w.call(tool, args...)
			if c.refused == "" {
				if !r.Success || w.get("deed/x") != "new" {
					t.Errorf("%s, %s: %s", c.name, tool, r.JSON)
				}
				continue
			}
			after := c.there
			if after == "-" {
				after = "(none)"
			}
			if r.Success || r.Failure != ExecError || !strings.Contains(r.JSON, c.refused) || w.get("deed/x") != after {
				t.Errorf("%s, %s: %s", c.name, tool, r.JSON)
			}
			now, _ := m["current"].(map[string]any)
			switch {
			case now["path"] != "deed/x", c.there == "-" && now["deleted"] != true, c.there != "-" && now["sha256"] != shaOf(c.there):
				t.Errorf("%s, %s: current %v", c.name, tool, now)
			case strings.Contains(r.JSON, "c9") && asked != "deed/x "+strings.TrimPrefix(shaOf(c.there), shaOf("-")):
				t.Errorf("%s, %s: asked who left %q", c.name, tool, asked)
			}
		}
	}
}

// What a human is told of the file that a call would write.
func TestLook(t *testing.T) {
	w := newWorld(t)
	w.put("deed/x", "here")
	w.put("deed/empty", "")
	w.put("deed/.git", "")
	w.mkdir("deed/folder")
	w.link("folder", "deed/to")
	w.put("deed/folder/y", "y")
	w.put("secret", "secret")
	w.link("../secret", "deed/out")
	w.link("..", "deed/up")
	w.link("secret", "doc-out.md")
	before := fingerprint(t, w.dir)
	w.put("deed/huge", "")
	if err := os.Truncate(w.path("deed/huge"), shownLimit+1); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]grant.Target{
		"deed/x":             {Path: "deed/x", SHA256: shaOf("here"), Exists: true, Bytes: 4},
		"deed/./folder/../x": {}, // climbs
		"deed/empty":         {Path: "deed/empty", SHA256: shaOf(""), Exists: true},
		"deed/to/y":          {Path: "deed/folder/y", SHA256: shaOf("y"), Exists: true, Bytes: 1},
		"deed/none":          {Path: "deed/none"},
		"deed/no/folder/yet": {Path: "deed/no/folder/yet"},
		"doc-none.md":        {Path: "doc-none.md"},
		"doc-main.md":        {Path: "doc-main.md", SHA256: shaOf("# Mine\n"), Exists: true, Bytes: 7},
		"deed/huge":          {Path: "deed/huge", Exists: true, Bytes: shownLimit + 1},
		"deed/folder":        {},
		"deed/x/y":           {},
		"deed/out":           {},
		"deed/up/secret":     {},
		"deed/up/none":       {},
		"doc-out.md":         {},
		"../secret":          {},
		"/etc/passwd":        {},
		"secret":             {},
		"doc-plan.md":        {},
		"deed/.git/config":   {},
	} {
		for tool, args := range map[string]string{
			"write_file": arguments("path", path, "content", "new"),
			"edit_file":  arguments("path", path, "old_string", "a", "new_string", "b"),
		} {
			if got, ok := NewLook(w.env).Target(tool, args); !reflect.DeepEqual(got, want) || ok != (want.Path != "") {
				t.Errorf("%s %s: %+v %v", tool, path, got, ok)
			}
		}
	}
	for tool, args := range map[string]string{
		"run_command": `{"command":"x"}`, "write_file": `{"path":"deed/x"}`, "edit_file": `{"path":"deed/x","old_string":1,"new_string":""}`,
	} {
		if got, ok := NewLook(w.env).Target(tool, args); ok {
			t.Errorf("%s %s: %+v", tool, args, got)
		}
	}
	for path, want := range map[string]string{"deed/x": "here", "deed/empty": "", "deed/none": "(none)", "deed/huge": "(none)"} {
		_, content, ok := TargetContent(w.env, "write_file", arguments("path", path, "content", "new"))
		if got := string(content); !ok || got != strings.TrimPrefix(want, "(none)") || (content == nil) != (want == "(none)") {
			t.Errorf("%s holds %q, %v", path, got, ok)
		}
	}
	if err := os.Remove(w.path("deed/huge")); err != nil {
		t.Fatal(err)
	}
	if fingerprint(t, w.dir) != before {
		t.Error("looking changed something")
	}
}

// A doc that can't be confirmed anew is not written, and a file of the deed asks nobody.
func TestBringing(t *testing.T) {
	w := newWorld(t)
	told := ""
	w.env.Bringing = func(doc string, old, new []byte) error {
		told += doc + ": " + string(old) + " -> " + string(new) + "; "
		if strings.Contains(string(new), "bad") {
			return os.ErrInvalid
		}
		return nil
	}
	w.call("write_file", "path", "doc-main.md", "content", "one")
	w.call("edit_file", "path", "doc-main.md", "old_string", "one", "new_string", "two")
	w.call("write_file", "path", "deed/a.md", "content", "bad")
	if r, _ := w.call("write_file", "path", "doc-a.md", "content", "bad"); r.Success || w.get("doc-a.md") != "(none)" {
		t.Error(r.JSON)
	}
	if told != "doc-main.md:  -> one; doc-main.md: one -> two; doc-a.md:  -> bad; " {
		t.Error(told)
	}
}

// What is compared is what stands there once nobody else writes: a save that
// comes while a call waits for its turn is seen.
func TestComparedUnderTheLock(t *testing.T) {
	for _, tool := range []string{"write_file", "edit_file"} {
		w := newWorld(t)
		w.put("doc-a.md", "shown")
		w.env.Approved = &Approval{Target: shaOf("shown")}
		held := false
		w.env.Write = func(dir *os.Root, name string, edit func(*os.File) ([]byte, error)) (fs.FileInfo, error) {
			w.put("doc-a.md", "shown, and saved anew")
			held = true
			defer func() { held = false }()
			return w.write(dir, name, edit)
		}
		w.env.Bringing = func(string, []byte, []byte) error {
			if !held {
				t.Error("told without the lock")
			}
			return nil
		}
		args := []string{"path", "doc-a.md", "content", "new"}
		if tool == "edit_file" {
			args = []string{"path", "doc-a.md", "old_string", "shown", "new_string", "new"}
		}
		if r, _ := w.call(tool, args...); r.Success || w.get("doc-a.md") != "shown, and saved anew" {
			t.Errorf("%s: %s", tool, r.JSON)
		}
		w.env.Approved.Target = shaOf("shown, and saved anew")
		w.seen = map[string]string{}
		if r, _ := w.call(tool, args...); !r.Success || held {
			t.Errorf("%s: %s, held %v", tool, r.JSON, held)
		}
		w.env.Write = func(*os.Root, string, func(*os.File) ([]byte, error)) (fs.FileInfo, error) {
			return nil, os.ErrPermission
		}
		if r, _ := w.call(tool, args...); r.Success {
			t.Errorf("%s without the lock: %s", tool, r.JSON)
		}
	}
}

// A file that many calls name is read once in a look, again where it changed, and
// all that is read has a limit: what is beyond it has no hash.
func TestLookReadsLittle(t *testing.T) {
	w := newWorld(t)
	w.put("deed/a", "aaaa")
	l := NewLook(w.env)
	write := func(path string) grant.Target {
		t.Helper()
		got, ok := l.Target("write_file", arguments("path", path, "content", "x"))
		if !ok {
			t.Fatalf("%s is not told of", path)
		}
		return got
	}
	for range 200 {
		if got := write("deed/a"); got.SHA256 != grant.InputHash("aaaa") {
			t.Fatalf("%+v", got)
		}
	}
	if read := lookLimit - l.left; read != 4 {
		t.Errorf("%d bytes read for 200 calls on a file of 4", read)
	}
	w.put("deed/a", "longer")
	if got := write("deed/a"); got.SHA256 != grant.InputHash("longer") {
		t.Errorf("changed, and told %+v", got)
	}
	l.left = 5
	w.put("deed/b", "sixsix")
	if got := write("deed/b"); !reflect.DeepEqual(got, grant.Target{Path: "deed/b", Exists: true, Bytes: 6}) || got.Word() != "" {
		t.Errorf("beyond the limit %+v", got)
	}
	w.put("deed/c", "four")
	if got := write("deed/c"); got.SHA256 == "" || l.left != 1 {
		t.Errorf("within the limit %+v, %d left", got, l.left)
	}
}
