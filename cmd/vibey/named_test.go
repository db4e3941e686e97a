package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/server/project"
)

// A project is named as its folder is listed, on a disk that folds names too; who names it
// in other capitals is told the one that is there. A path is what the disk makes of it, and
// a check judges Macs by the name that is listed.
func TestNamedAsListed(t *testing.T) {
	named := func(t *testing.T) {
		f := dirFlag{Dir: t.TempDir()}
		store, err := project.Open(f.Dir, project.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		if err := store.Create("game", ""); err != nil {
			t.Fatal(err)
		}
		if _, err := f.namedProject(store, "GAME"); err == nil || !strings.Contains(err.Error(), `there is no project "GAME"`) || !strings.HasSuffix(err.Error(), `; there is "game"`) {
			t.Errorf("%v", err)
		}
		if _, err := f.namedProject(store, "game"); err != nil {
			t.Error(err)
		}
	}
	named(t)
	testenv.OnFolding(t, func(t *testing.T) {
		named(t)
		at := t.TempDir()
		if err := os.Mkdir(filepath.Join(at, "game"), 0o755); err != nil {
			t.Fatal(err)
		}
		if got := listedName(filepath.Join(at, "GAME")); got != "game" {
			t.Errorf("listed as %q", got)
		}
	})
}
