package tools

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folders is a project whose deed has links between its folders.
func folders(t *testing.T) Env {
	t.Helper()
	env := newWorld(t).env
	deed := filepath.Join(env.ProjectDir, "deed")
	for _, dir := range []string{"game/in", "other"} {
		if err := os.MkdirAll(filepath.Join(deed, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"game/out": "../other", "game/file": "../other/a", "game/far": t.TempDir(), "game/up": "../..", "game/nowhere": "../new/../other/x", "link": "game", "loop": "loop",
	} {
		if err := os.Symlink(to, filepath.Join(deed, name)); err != nil {
			t.Fatal(err)
		}
	}
	return env
}

// Real tells the place to which links lead a path, also where folders on the way are
// still to be made.
func TestNamedAndReal(t *testing.T) {
	env := folders(t)
	for path, want := range map[string][2]string{
		"doc-a.md":                            {"doc-a.md", "doc-a.md"},
		"./doc-a.md":                          {"doc-a.md", "doc-a.md"},
		"deed/game/a":                         {"deed/game/a", "deed/game/a"},
		"deed//game/./in/a":                   {"deed/game/in/a", "deed/game/in/a"},
		"deed/game/new/b/a":                   {"deed/game/new/b/a", "deed/game/new/b/a"},
		"deed/game/out/a":                     {"deed/game/out/a", "deed/other/a"},
		"deed/game/out/new/b/a":               {"deed/game/out/new/b/a", "deed/other/new/b/a"},
		"deed/link/out/new/a":                 {"deed/link/out/new/a", "deed/other/new/a"},
		"deed/game/file":                      {"deed/game/file", "deed/other/a"},
		"deed/game/far/a":                     {"deed/game/far/a", ""},
		"deed/game/up/doc-a.md":               {"deed/game/up/doc-a.md", ""},
		"deed/game/nowhere/a":                 {"deed/game/nowhere/a", ""},
		"deed/loop/a":                         {"deed/loop/a", ""},
		"deed/game/../../doc-a.md":            {"", ""},
		"deed/game/../a":                      {"", ""},
		"/deed/game/a":                        {"", ""},
		`deed\\game\\a`:                       {"", ""},
		"deed/game/":                          {"", ""},
		"deed/game/.git/config":               {"", ""},
		"doc-plan.md":                         {"", ""},
		"Deed/game/a":                         {"", ""},
		"dialog-20260101-000000-x-waiting.md": {"", ""},
	} {
		for _, tool := range []string{"write_file", "edit_file"} {
			args := `{"path":"` + path + `","content":""}`
			if tool == "edit_file" {
				args = `{"path":"` + path + `","old_string":"a","new_string":"b"}`
			}
			if named, real := Named(tool, args), Real(env, tool, args); named != want[0] || real != want[1] {
				t.Errorf("%s %s: %q, %q", tool, path, named, real)
			}
		}
	}
	for _, args := range []string{`{"path":"deed/a"}`, `{"Path":"deed/a","content":""}`, `{`, ``} {
		if named, real := Named("write_file", args), Real(env, "write_file", args); named != "" || real != "" {
			t.Errorf("%s: %q, %q", args, named, real)
		}
	}
	if named := Named("run_command", `{"path":"deed/a","content":""}`); named != "" {
		t.Errorf("a command writes %q", named)
	}
}

// A target behind a link is told by where it lies, also where it is still to be made.
func TestTargetOfMissingFolderBehindALink(t *testing.T) {
	env := folders(t)
	if got, ok := NewLook(env).Target("write_file", `{"path":"deed/game/out/new/a","content":""}`); !ok || got.Path != "deed/other/new/a" || got.Exists {
		t.Errorf("%+v, %v", got, ok)
	}
	if got, ok := NewLook(env).Target("write_file", `{"path":"deed/game/far/new/a","content":""}`); ok {
		t.Errorf("told of a place outside: %+v", got)
	}
}

// The size that is told is of the bytes that were hashed, also of a file that grows.
func TestSizeIsOfTheHashedBytes(t *testing.T) {
	f, err := os.Open("/proc/self/cmdline") // which has no bytes until it is read
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	c, err := read("x", f, true)
	if err != nil || c.info.Size() != 0 || c.size != int64(len(c.content)) || c.size == 0 || c.sha != shaOf(string(c.content)) {
		t.Errorf("%+v, %v", c, err)
	}
}

// A call that a folder's rule released writes nothing where a link leads it.
func TestUnlinked(t *testing.T) {
	env := folders(t)
	env.Unlinked = true
	set := NewSet()
	for path, runs := range map[string]bool{"deed/game//./a": true, "deed/game/new/a": true, "doc-a.md": true, "deed/game/out/a": false, "deed/game/file": false, "deed/link/a": false} {
		got := set.Call(context.Background(), env, "write_file", `{"path":"`+path+`","content":"x"}`)
		if got.Success != runs || !runs && (!got.NotRun || !strings.Contains(got.JSON, "a link leads '"+path+"' to 'deed/")) {
			t.Errorf("%s: %s", path, got.JSON)
		}
	}
	if names, _ := os.ReadDir(filepath.Join(env.ProjectDir, "deed/other")); len(names) != 0 {
		t.Errorf("written: %v", names)
	}
}
