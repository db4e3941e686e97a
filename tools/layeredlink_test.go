package tools

import (
	"os"
	"path/filepath"
	"testing"

	"vibey/tools/layer"
	"vibey/tools/sandbox"
)

// A link never leads out of the project over another link: by its text alone that can't be told
// where ".." stands behind a name.
func TestLinkOverLink(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project, deed := filepath.Join(dir, "root/p"), filepath.Join(dir, "root/p/deed")
	if err := os.MkdirAll(deed, 0o755); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(dir, "secret"), []byte("a human's"), 0o644)
	l, err := layer.Make(filepath.Join(dir, "layer"), deed, layer.Copy)
	if err != nil {
		t.Fatal(err)
	}
	l.Begin()
	os.MkdirAll(filepath.Join(l.Up(), "a/b/c"), 0o755)
	os.Symlink("../../..", filepath.Join(l.Up(), "a/b/c/...")) // deed/
	os.Symlink(".../../../../secret", filepath.Join(l.Up(), "a/b/c/out"))
	box := sandbox.Probe(sandbox.Config{Levels: []sandbox.Level{sandbox.None}})
	t.Cleanup(box.End)
	env := Env{ProjectDir: project, DeedDir: deed, Sandbox: box}
	r, err := l.Read(t.Context(), env.reads(deed, 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Changes {
		if c.Path == "deed/a/b/c/out" {
			os.MkdirAll(filepath.Join(deed, "a/b/c"), 0o755)
			os.Symlink("../../..", filepath.Join(deed, "a/b/c/..."))
			os.Symlink(".../../../../secret", filepath.Join(deed, "a/b/c/out"))
			b, _ := os.ReadFile(filepath.Join(deed, "a/b/c/out"))
			t.Errorf("a link out of the project counts; it leads to %q", b)
		}
	}
}
