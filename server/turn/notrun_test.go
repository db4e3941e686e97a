package turn

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider"
)

// A call whose tool did not begin is an error in the file, not approved, and is
// not counted as run. One that its tool refused ran.
func TestWhatNeverRanIsNotApproved(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{
		command("c1", "true"), write("c2", "deed/a.txt", "x"),
		provider.Call{ID: "c3", Name: "launch_agent", Args: `{"provider":"claude","model":"m","prompt":" "}`},
		edit("c4", "doc-none.md", "a", "b"),
	}, text("ok")}})
	id, _ := w.start("go")
	deed := filepath.Join(w.dir, "root/p/deed")
	if err := errors.Join(os.Remove(deed), os.Symlink("nowhere", deed)); err != nil {
		t.Fatal(err)
	}
	w.put(Input{DialogID: id, Control: control("c1 approve\nc2 approve\nc3 approve\nc4 approve")})
	d := w.view(id).Dialog
	for call, want := range map[string]string{"c1": "error 0", "c2": "error 0", "c3": "error 0", "c4": "error 0"} {
		s := d.Sections[d.Find(dialog.ToolResult, call)]
		if got := s.Meta.Get("Status") + " " + string(rune('0'+s.Resources.Tools)); got != want || !strings.Contains(s.Text(), `"success":false`) {
			t.Errorf("%s: %s, want %s: %s", call, got, want, s.Text())
		}
	}

	// A deed that a copy of the project did not carry is made.
	w = newWorld(t, &script{answers: [][]provider.Event{{write("c1", "deed/a.txt", "x")}, text("ok")}})
	id, _ = w.start("go")
	if err := os.Remove(filepath.Join(w.dir, "root/p/deed")); err != nil {
		t.Fatal(err)
	}
	w.put(Input{DialogID: id, Control: control("c1 approve")})
	if got, err := os.ReadFile(filepath.Join(w.dir, "root/p/deed/a.txt")); string(got) != "x" {
		t.Errorf("%q, %v", got, err)
	}

	w = newWorld(t, &script{answers: [][]provider.Event{{edit("c1", "doc-none.md", "a", "b"), command("c2", "false")}, text("ok")}})
	id, _ = w.start("go")
	w.put(Input{DialogID: id, Control: control("c1 approve\nc2 approve")})
	d = w.view(id).Dialog
	for _, call := range []string{"c1", "c2"} {
		if s := d.Sections[d.Find(dialog.ToolResult, call)]; s.Meta.Get("Status") != dialog.CallApproved || s.Resources.Tools != 1 {
			t.Errorf("%s: %s, %d", call, s.Meta.Get("Status"), s.Resources.Tools)
		}
	}
}
