package server

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// What the deed holds is told by path; nothing of what links lead to, nor of hidden names.
func TestDeedIsListed(t *testing.T) {
	s := newShop(t)
	if got := get[[]deedFile](s, "/project/p/deed"); len(got) != 0 {
		t.Fatalf("an empty deed lists %v", got)
	}
	s.write("secret/key", "secret")
	s.deed(map[string]string{"index.html": "<p>", "game/a.js": "let a", "game/my file.txt": "", ".git/config": "x", "game/.hidden": "x"})
	for _, link := range []string{"out", "game/out"} {
		if err := os.Symlink(filepath.Join(s.root, "secret"), filepath.Join(s.root, "p/deed", link)); err != nil {
			t.Fatal(err)
		}
	}
	got := get[[]deedFile](s, "/project/p/deed")
	var paths []string
	for _, f := range got {
		paths = append(paths, f.Path)
		if f.MTime == "" {
			t.Errorf("%s has no time", f.Path)
		}
	}
	want := []string{"game/a.js", "game/my file.txt", "index.html"}
	if len(paths) != len(want) || paths[0] != want[0] || paths[1] != want[1] || paths[2] != want[2] {
		t.Fatalf("got %q, want %q", paths, want)
	}
	if got[0].Bytes != 5 {
		t.Errorf("a.js has %d bytes, want 5", got[0].Bytes)
	}
	s.json("GET", "/project/none/deed", "", 404)
}

func TestDeedListHasAnEnd(t *testing.T) {
	s := newShop(t)
	files := map[string]string{}
	for i := range maxDeedFiles + 10 {
		files["many/"+strconv.Itoa(i)] = ""
	}
	s.deed(files)
	if n := len(get[[]deedFile](s, "/project/p/deed")); n != maxDeedFiles {
		t.Errorf("got %d files, want %d", n, maxDeedFiles)
	}
}

// A large folder hides no file: not one that a package manager fills, nor one of many files.
func TestDeedListHidesNothingBehindMany(t *testing.T) {
	s := newShop(t)
	files := map[string]string{"zebra.html": "", "src/deep/er/app.ts": "", "src/node_modules/x/y.js": ""}
	for i := range maxDeedFiles {
		files["data/"+strconv.Itoa(i)] = ""
		files["node_modules/p"+strconv.Itoa(i%10)+"/"+strconv.Itoa(i)] = ""
	}
	s.deed(files)
	got := get[[]deedFile](s, "/project/p/deed")
	has := func(path string) bool {
		return slices.ContainsFunc(got, func(f deedFile) bool { return f.Path == path })
	}
	if !has("zebra.html") || len(got) != maxDeedFiles {
		t.Errorf("%d files", len(got))
	}
	delete(files, "zebra.html")
	if err := os.RemoveAll(filepath.Join(s.root, "p/deed/data")); err != nil {
		t.Fatal(err)
	}
	got = get[[]deedFile](s, "/project/p/deed")
	if !has("zebra.html") || !has("src/deep/er/app.ts") || len(got) != maxDeedFiles {
		t.Errorf("%d files", len(got))
	}
}
