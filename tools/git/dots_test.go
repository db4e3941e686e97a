package git

import (
	"os"
	"path/filepath"
	"testing"
)

// A .git that leads over a link is refused, also where the link's name is nothing but dots.
func TestLeadsOverDots(t *testing.T) {
	dir := t.TempDir()
	before, after := filepath.Join(dir, "before/deed"), filepath.Join(dir, "after/deed")
	for _, at := range []string{before, after + "/a/b/c"} {
		if err := os.MkdirAll(at, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	os.Symlink("../../..", filepath.Join(after, "a/b/c/..."))                                // deed/
	os.WriteFile(filepath.Join(after, "a/b/c/.git"), []byte("gitdir: .../../evil\n"), 0o644) // beside deed/
	os.MkdirAll(filepath.Join(dir, "after/evil"), 0o755)
	was, _ := os.OpenRoot(before)
	is, _ := os.OpenRoot(after)
	defer was.Close()
	defer is.Close()
	if _, err := os.Stat(after + "/a/b/c/.../../evil"); err != nil {
		t.Fatal(err)
	}
	v := Judge([]Touched{{Name: "a"}, {Name: "a/b"}, {Name: "a/b/c"}, {Name: "a/b/c/..."}, {Name: "a/b/c/.git"}}, Views{Before: was, After: is, Dir: after})
	if !v["a/b/c/.git"].Refused {
		t.Errorf("it counts: %+v", v)
	}
}
