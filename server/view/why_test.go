package view

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"vibey/dialog"
	"vibey/dialog/why"
	"vibey/server/project"
)

// What stands in a project and is neither a doc nor a file of its deed has no history, and no
// path leads out of these.
func TestWhyReadsOnlyWhatIsThere(t *testing.T) {
	store, err := project.Open(filepath.Join(t.TempDir(), "vibey"), project.Options{Key: []byte("key")})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := store.Create("p", ""); err != nil {
		t.Fatal(err)
	}
	p, err := store.Project("p")
	if err != nil {
		t.Fatal(err)
	}
	deed, err := p.DeedDir()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.txt": "one\n", "b/c.txt": "two\n"} {
		path := filepath.Join(deed, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(deed, "out")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.SaveFile("doc-a.md", "mine\n", ""); err != nil {
		t.Fatal(err)
	}
	for path, lines := range map[string]int{
		"doc-a.md": 1, "deed/a.txt": 1, "deed/b/c.txt": 1,
		"doc-b.md": -1, ".id": -1, ".saves/doc-a.md": -1, ".kept/" + dialog.SHA256("mine\n"): -1, "deed": -1, "deed/": -1, "deed/b": -1,
		"deed/out": -1, "deed/../doc-a.md": -1, "../p/doc-a.md": -1, "deed/a.txt/b": -1, "": -1,
	} {
		h, present, err := Why(p, path, []byte("key"))
		switch {
		case lines < 0 && err == nil:
			t.Errorf("%q has %q", path, present)
		case lines >= 0 && (err != nil || len(h.Lines) != lines):
			t.Errorf("%q: %v, %v", path, h.Lines, err)
		}
	}
	h, _, err := Why(p, "doc-a.md", []byte("key"))
	if err != nil || h.Versions[h.Lines[0]].Who() != why.Human {
		t.Errorf("%+v, %v", h, err)
	}
	if h, _, err := Why(p, "doc-a.md", []byte("another")); err != nil || h.Lines[0] != why.Unknown {
		t.Errorf("%+v, %v", h, err)
	}
	if _, _, err := Why(p, "dialog-20260216-201100-x-done.md", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
