package server

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
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
	testenv.Slow(t)
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

// Folders one in another are listed as deep as costs no more than as many side by side.
func TestDeedListDepth(t *testing.T) {
	testenv.Slow(t)
	s := newShop(t)
	in := func(folders int) string { return strings.Repeat("d/", folders) }
	s.deed(map[string]string{"top.txt": "", in(deedDepth) + "last.txt": "", in(deedDepth+1) + "deeper.txt": "", in(1000) + "far.txt": ""})
	var got []string
	for _, f := range get[[]deedFile](s, "/project/p/deed") {
		got = append(got, f.Path)
	}
	if want := []string{in(deedDepth) + "last.txt", "top.txt"}; !slices.Equal(got, want) {
		t.Errorf("%d files: %.300q", len(got), got)
	}
}

// Paths are ordered folder by folder.
func TestDeedListOrder(t *testing.T) {
	want := []string{"a", "a/b", "a/b/c", "a/b.txt", "a/c", "a.txt", "a0", "b"}
	got := slices.Clone(want)
	slices.Reverse(got)
	if slices.SortFunc(got, byFolders); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// Of many large folders of one depth the last is not hidden, and no more names are read
// than may be.
func TestDeedListShares(t *testing.T) {
	testenv.Slow(t)
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	var paths []string
	for i := range 5 {
		at := strconv.Itoa(i)
		if err := root.Mkdir(at, 0o755); err != nil {
			t.Fatal(err)
		}
		for j := range 300 {
			if err := root.WriteFile(at+"/"+strconv.Itoa(j), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		paths = append(paths, at)
	}
	ctx, stop := context.WithCancel(t.Context())
	l := deedList{ctx: ctx, root: root, names: 1250}
	l.level(paths)
	if has := slices.ContainsFunc(l.files, func(f deedFile) bool { return strings.HasPrefix(f.Path, "4/") }); !has || l.names != 0 || len(l.files) != 1250 {
		t.Errorf("%d files, %d names are left", len(l.files), l.names)
	}
	// Nobody waits any more.
	stop()
	gone := deedList{ctx: ctx, root: root, names: 1250}
	if gone.level(paths); len(gone.files) > 0 || gone.names != 1250 {
		t.Errorf("%d files were listed for nobody", len(gone.files))
	}
}

// A large folder hides no file: not one that a package manager fills, nor one of many files.
func TestDeedListHidesNothingBehindMany(t *testing.T) {
	testenv.Slow(t)
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
