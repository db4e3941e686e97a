package turn

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/dialog/effect"
)

// What never counts does not, either, where the Note of an effect is not one of ours: a folder of
// somebody else's with a question in it is not more than its human sees.
func TestTriedForged(t *testing.T) {
	testenv.Slow(t)
	hook, out := "#!/bin/sh\nevil\n", "../../.."
	for name, c := range map[string]effect.Change{
		"a hook":           {Path: "deed/.git/hooks/pre-commit", Kind: effect.Added, Type: effect.File, After: dialog.SHA256(hook), Mode: "755", Bytes: int64(len(hook))},
		"settings":         {Path: "deed/.git/config", Kind: effect.Changed, Type: effect.File, Before: dialog.SHA256("[core]\n"), After: dialog.SHA256("[core]\n\tfsmonitor = evil\n"), Mode: "644", Bytes: 25},
		"new settings":     {Path: "deed/r/.git/config", Kind: effect.Added, Type: effect.File, After: dialog.SHA256("[core]\n\tfsmonitor = evil\n"), Mode: "644", Bytes: 25},
		"set-uid":          {Path: "deed/run", Kind: effect.Added, Type: effect.File, After: dialog.SHA256(hook), Mode: "4755", Bytes: int64(len(hook))},
		"a link out of it": {Path: "deed/l", Kind: effect.Added, Type: effect.Link, After: dialog.SHA256(out)},
	} {
		w, id := tries(t, "echo new >deed/n")
		if err := os.MkdirAll(filepath.Join(w.dir, "root/p/deed/.git/hooks"), 0o755); err != nil {
			t.Fatal(err)
		}
		w.save("deed/.git/config", "[core]\n")
		for _, kept := range []string{hook, out, "[core]\n\tfsmonitor = evil\n"} {
			w.save(".kept/"+dialog.SHA256(kept), kept)
		}
		v := w.view(id)
		forged := effect.Of([]effect.Change{c})
		if c.Path == "deed/r/.git/config" {
			forged = effect.Of([]effect.Change{c, {Path: "deed/r", Kind: effect.Added, Type: effect.Folder, Mode: "755"}, {Path: "deed/r/.git", Kind: effect.Added, Type: effect.Folder, Mode: "755"}})
		}
		w.save(v.Filename, strings.Replace(v.Text, asJSON(t, v.Pending[0].Effect.Effect), asJSON(t, forged), 1))
		w.put(Input{DialogID: id, Control: control("c1 approve effect:" + forged.SHA256)})
		r := result(w.view(id).Dialog, "c1")
		if _, err := os.Lstat(filepath.Join(w.dir, "root/p", c.Path)); !strings.Contains(r, `"success":false`) || err == nil && c.Kind == effect.Added || w.read("deed/.git/config") != "[core]\n" {
			t.Errorf("%s: %s, %v", name, r, err)
		}
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Where bytes that an effect waits with are gone, it is answered so, and the dialog goes on.
func TestTriedKeptGone(t *testing.T) {
	w, id := tries(t, "echo new >deed/a.txt; rm -f deed/z; echo n >deed/n")
	w.save(".kept/"+dialog.SHA256("new\n"), "evil\n")
	w.put(Input{DialogID: id, Control: control("c1 approve effect:" + w.view(id).Pending[0].Effect.SHA256)})
	if r := result(w.view(id).Dialog, "c1"); !strings.Contains(r, "no longer") || w.read("deed/a.txt") != "old\n" {
		t.Errorf("%s, the deed has %q", r, w.read("deed/a.txt"))
	}
}
