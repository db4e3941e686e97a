package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
)

// A folder's listing says what a name is, on a disk that folds names and on another; the
// question whether it has to be read costs one look.
func TestListed(t *testing.T) {
	names := []string{"doc-main.md", "doc-Rules.md", "GAME", "123", "ſ.md", "Straße.md", "both", "BOTH"}
	folding := func(name string) error {
		if slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) }) {
			return nil
		}
		return fs.ErrNotExist
	}
	other := func(name string) error {
		if slices.Contains(names, name) {
			return nil
		}
		return fs.ErrNotExist
	}
	for name, want := range map[string]string{
		"doc-main.md": "doc-main.md", "DOC-MAIN.md": "doc-main.md", "doc-rules.MD": "doc-Rules.md", "game": "GAME", "123": "123",
		"s.md": "ſ.md", "both": "both", "Both": "BOTH", "straße.md": "Straße.md", "none": "",
	} {
		if got := Listed(names, name); got != want {
			t.Errorf("Listed(%q) = %q, want %q", name, got, want)
		}
		if folding(name) == nil && !Folds(folding, name) {
			t.Errorf("%q: a disk that folds was not seen", name)
		}
	}
	for name, want := range map[string]bool{"doc-main.md": false, "GAME": false, "123": true, "both": true} {
		if Folds(other, name) != want {
			t.Errorf("%q on a disk that does not fold", name)
		}
	}
	if !Folds(func(name string) error { return fs.ErrPermission }, "x") {
		t.Error("what can't be looked at is taken for nothing")
	}
}

func TestSpelled(t *testing.T) {
	on := func(t *testing.T) (dir *os.Root, listed, other string) {
		dir, path := folder(t)
		put(t, filepath.Join(path, "Ab.md"), "x")
		names, err := os.ReadDir(path)
		if err != nil || len(names) != 1 {
			t.Fatal(names, err)
		}
		if got, err := Spelled(dir, names[0].Name()); err != nil || got != names[0].Name() {
			t.Errorf("%q, %v", got, err)
		}
		if _, err := Spelled(dir, "none"); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		return dir, names[0].Name(), "aB.md"
	}
	dir, _, other := on(t)
	if _, err := Spelled(dir, other); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	testenv.OnFolding(t, func(t *testing.T) {
		dir, listed, other := on(t)
		if got, err := Spelled(dir, other); err != nil || got != listed {
			t.Errorf("%q, %v, want %q", got, err, listed)
		}
	})
}
