package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A doc's name has 200 characters at most and no dot first, whoever saves it; what
// stands in the folder under another name is no doc.
func TestDocNames(t *testing.T) {
	s := newShop(t)
	longest := strings.Repeat("x", 197) + ".md"
	for name, want := range map[string]int{
		longest: 200, "x" + longest: 400, ".doc.md": 400, ".md": 400, "a..b.md": 400, "README.md": 200, "a.md.md": 200, "-.md": 200, "_": 400,
	} {
		s.json("POST", "/project/p/file/"+name, `{"content":"x"}`, want)
		if want == 400 && len(name) > len("_") {
			if err := os.WriteFile(filepath.Join(s.root, "p", name), []byte("by hand"), 0o644); err != nil {
				t.Fatal(err)
			}
			s.json("GET", "/project/p/file/"+name, "", 400)
		}
	}
	files := get[[]string](s, "/project/p/files")
	if len(files) != 5 {
		t.Errorf("listed: %q", files)
	}
}
