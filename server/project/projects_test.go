package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vibey/dialog"
)

func TestCreate(t *testing.T) {
	s := testStore(t)
	for _, n := range []string{"zebra", "Game", "0", "_x", "-rf", "a.b", strings.Repeat("n", 100)} {
		must(t, s.Create(n, ""))
	}
	names, err := s.Projects()
	must(t, err)
	want := []string{"-rf", "0", "Game", "_x", "a.b", strings.Repeat("n", 100), "zebra"}
	if !slices.Equal(names, want) {
		t.Errorf("projects %v, want %v", names, want)
	}
	for _, n := range []string{"Game", "game", "GAME"} {
		if err := s.Create(n, ""); !errors.Is(err, fs.ErrExist) {
			t.Errorf("Create(%s) again: %v", n, err)
		}
	}
	for _, n := range []string{strings.Repeat("n", 101), "a b", ".x", "a..b", "ä", ""} {
		if err := s.Create(n, ""); !errors.Is(err, ErrName) {
			t.Errorf("Create(%q): %v", n, err)
		}
	}
	p, err := s.Project("Game")
	must(t, err)
	if got := read(t, p.path(MainDoc)); got != "# Game\n\nDescribe the deed here.\n" {
		t.Errorf("doc-main.md says %q", got)
	}
	dir, err := p.DeedDir()
	must(t, err)
	if dir != p.path(deedName) {
		t.Errorf("deed at %s", dir)
	}
	if q, _ := s.Project("Game"); q != p {
		t.Error("one folder, opened twice")
	}
}

func TestDeedElsewhere(t *testing.T) {
	s := testStore(t)
	code, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	write(t, filepath.Join(code, "main.go"), "package main")
	file := filepath.Join(code, "main.go")
	must(t, s.Create("tool", code))
	for what, deed := range map[string]string{
		"relative": "code", "missing": filepath.Join(code, "nothing"), "a file": file,
		"the store": s.path, "another project": filepath.Join(s.path, "tool"), "another's deed folder": s.path + "/./tool/../tool",
	} {
		if err := s.Create("bad", deed); !errors.Is(err, ErrDeed) {
			t.Errorf("%s as deed: %v", what, err)
		}
	}
	p, err := s.Project("tool")
	must(t, err)
	if dir, err := p.DeedDir(); err != nil || dir != code {
		t.Errorf("deed at %s, %v", dir, err)
	}
	must(t, remove(s, "tool"))
	if got := read(t, file); got != "package main" {
		t.Errorf("the linked folder says %q", got)
	}
	if _, err := p.DeedDir(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("deed of a deleted project: %v", err)
	}
	if names, _ := s.dir.Names(); len(names) != 0 {
		t.Errorf("left: %v", names)
	}
}

func TestDelete(t *testing.T) {
	s := testStore(t)
	must(t, s.Create("game", ""))
	p, err := s.Project("game")
	must(t, err)
	must(t, os.MkdirAll(p.path("deed/src/deep"), 0o755))
	write(t, p.path("deed/src/deep/x"), "x")
	must(t, remove(s, "game"))
	if _, err := s.Project("game"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after delete: %v", err)
	}
	if err := remove(s, "game"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("deleted twice: %v", err)
	}
	must(t, s.Create("game", "")) // the name is free again
	q, err := s.Project("game")
	must(t, err)
	if q == p {
		t.Error("the deleted project's folder is still in use")
	}
	if names, err := q.Files(); err != nil || !slices.Equal(names, []string{MainDoc}) {
		t.Errorf("new project has %v, %v", names, err)
	}
}

// What a kill left in the middle of making or deleting is never a project, and
// goes with the next one made.
func TestLeftOverFolders(t *testing.T) {
	s := testStore(t)
	for _, n := range []string{makingPrefix + "game", removedPrefix + "old"} {
		must(t, os.MkdirAll(filepath.Join(s.path, n, "deed"), 0o755))
	}
	if names, err := s.Projects(); err != nil || len(names) != 0 {
		t.Errorf("listed %v, %v", names, err)
	}
	must(t, s.Create("game", ""))
	if names, _ := s.dir.Names(); !slices.Equal(names, []string{"game"}) {
		t.Errorf("left: %v", names)
	}
}

func TestOpenStoreFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	if _, err := Open(file, Options{}); err == nil {
		t.Error("a file was opened as a store")
	}
}

// A project's name begins clean: what is kept of it elsewhere goes when it is
// deleted, and before it is made, for it may have been deleted by hand. A name
// that is taken forgets nothing.
func TestForget(t *testing.T) {
	s := testStore(t)
	var forgotten []string
	s.o.Forget = func(name string) (Aside, error) {
		forgotten = append(forgotten, name)
		return nothingAside, nil
	}
	z := zipOf(t, "doc-a.md", "a")
	for _, step := range []struct {
		do   func() error
		fail bool
		want int
	}{
		{func() error { return s.Create("game", "") }, false, 1},
		{func() error { return s.Create("Game", "") }, true, 0},
		{func() error { _, err := s.Restore("GAME", z, z.Size(), UploadLimits, nil); return err }, true, 0},
		{func() error { return remove(s, "game") }, false, 1},
		{func() error { return remove(s, "game") }, true, 0},
		{func() error { _, err := s.Restore("game", z, z.Size(), UploadLimits, nil); return err }, false, 1},
	} {
		before := len(forgotten)
		if err := step.do(); (err != nil) != step.fail {
			t.Error(err)
		}
		if n := len(forgotten) - before; n != step.want {
			t.Errorf("forgotten %d times, want %d: %q", n, step.want, forgotten)
		}
	}
	must(t, remove(s, "game"))
	s.o.Forget = func(string) (Aside, error) { return Aside{}, errors.New("no") }
	if err := s.Create("game", ""); err == nil {
		t.Error("it was made with what is left of another")
	}
	if names, err := s.Projects(); err != nil || len(names) != 0 {
		t.Errorf("%q, %v", names, err)
	}
}

// What was set aside of a project is given back where that project then stays: a delete
// that fails, and a create that finds the name taken by another process.
func TestForgetGivesBack(t *testing.T) {
	s := testStore(t)
	must(t, s.Create("game", ""))
	removed, back := 0, 0
	forget := func(meanwhile func()) {
		s.o.Forget = func(string) (Aside, error) {
			meanwhile()
			return Aside{Remove: func() error { removed++; return nil }, Back: func() error { back++; return nil }}, nil
		}
	}
	forget(func() { must(t, os.Mkdir(filepath.Join(s.path, "theirs"), 0o755)) })
	if err := s.Create("theirs", ""); !errors.Is(err, fs.ErrExist) || back != 1 || removed != 0 {
		t.Errorf("create: %v; given back %d times, removed %d", err, back, removed)
	}
	forget(func() { must(t, s.dir.Root().Close()) })
	if err := remove(s, "game"); err == nil || back != 2 || removed != 0 {
		t.Errorf("delete: %v; given back %d times, removed %d", err, back, removed)
	}
	if _, err := os.Stat(filepath.Join(s.path, "game", MainDoc)); err != nil {
		t.Error(err)
	}
}

// While a project's files are removed, its name is free and the store works on.
func TestDeleteRemovesWithoutTheLock(t *testing.T) {
	s := testStore(t)
	must(t, s.Create("game", ""))
	removed := 0
	s.o.Forget = func(name string) (Aside, error) {
		if s.mu.TryLock() {
			t.Error("two could take it away at once")
		}
		return Aside{Remove: func() error {
			removed++
			if !s.mu.TryLock() {
				t.Fatal("the store's lock is held")
			}
			s.mu.Unlock()
			return nil
		}}, nil
	}
	stops := 0
	must(t, s.Delete("game", func() error {
		if stops++; stops == 2 {
			must(t, s.Create("game", ""))
			must(t, os.WriteFile(filepath.Join(s.path, "game/deed/x"), nil, 0o644))
		}
		return nil
	}))
	if stops != 2 || removed != 2 {
		t.Errorf("stopped %d times, removed %d", stops, removed)
	}
	if _, err := os.Stat(filepath.Join(s.path, "game/deed/x")); err != nil {
		t.Errorf("of the new project: %v", err)
	}
	if names, err := s.dir.Names(); err != nil || len(names) != 1 {
		t.Errorf("left: %q %v", names, err)
	}
}

// A project in which another process writes is not deleted. What works here is stopped
// before that is looked for, so that nothing of the project's own is in the way.
func TestDeleteWhileAnotherProcessWrites(t *testing.T) {
	p := testProject(t)
	theirs := started(t, again(t, p))
	stopped := false
	err := p.store.Delete("game", func() error { stopped = true; return nil })
	if !errors.Is(err, ErrElsewhere) || !strings.Contains(err.Error(), theirs.ID()) || !stopped {
		t.Errorf("%v, stopped %v", err, stopped)
	}
	must(t, theirs.Append(section(dialog.Note, 2, "on and on")))
	must(t, theirs.Close())

	var second *DialogFile
	ours := started(t, p)
	err = p.store.Delete("game", func() error {
		ours.Close()
		if second == nil {
			second = started(t, again(t, p))
		}
		return nil
	})
	if !errors.Is(err, ErrElsewhere) {
		t.Errorf("one that began in the meantime: %v", err)
	}
	if _, err := p.ReadFile(MainDoc); err != nil {
		t.Error(err)
	}
	must(t, second.Close())
	must(t, remove(p.store, "game"))
}

// What could not be removed before is removed with the next project, also where
// that one is made or restored.
func TestSweep(t *testing.T) {
	s := testStore(t)
	z := zipOf(t, "doc-a.md", "a")
	for what, do := range map[string]func() error{
		"create":  func() error { return s.Create("game", "") },
		"restore": func() error { _, err := s.Restore("other", z, z.Size(), UploadLimits, nil); return err },
		"sweep":   func() error { s.Sweep(); return nil },
	} {
		left := filepath.Join(s.path, removedPrefix+"old")
		must(t, os.MkdirAll(filepath.Join(left, "deed"), 0o755))
		must(t, do())
		if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
