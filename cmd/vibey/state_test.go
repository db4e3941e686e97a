package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func newState(t *testing.T) *state {
	t.Helper()
	s, err := openState(filepath.Join(t.TempDir(), "state"), "", func(text string) { t.Error(text) })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSecretsAreMadeOnce(t *testing.T) {
	s := newState(t)
	const readers = 20
	var keys, tokens [readers]string
	var wg sync.WaitGroup
	for i := range readers {
		wg.Go(func() {
			k, err := s.key()
			if err != nil {
				t.Error(err)
			}
			keys[i] = string(k)
			if tokens[i], err = s.token(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i := range readers {
		if keys[i] != keys[0] || tokens[i] != tokens[0] || len(keys[0]) != keySize || len(tokens[0]) != 43 {
			t.Fatalf("reader %d has another key or token, or one of another size", i)
		}
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != 0o600 || strings.HasPrefix(e.Name(), ".") {
			t.Errorf("%s has mode %v", e.Name(), info.Mode())
		}
	}
}

func TestStateIsNeverBelowTheProjects(t *testing.T) {
	root := t.TempDir()
	if err := os.Symlink(root, filepath.Join(t.TempDir(), "link")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{root, filepath.Join(root, "state"), filepath.Join(root, "a", "b")} {
		if _, err := openState(dir, root, nil); err == nil {
			t.Errorf("%s was taken", dir)
		}
	}
	beside := root + "-state"
	defer os.RemoveAll(beside)
	s, err := openState(beside, root, nil)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(s.dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

func TestCodeWorksOnce(t *testing.T) {
	s := newState(t)
	now := time.Now()
	code, err := s.newCode(now)
	if err != nil {
		t.Fatal(err)
	}
	var won [20]bool
	var wg sync.WaitGroup
	for i := range won {
		wg.Go(func() { won[i] = s.redeem(code, now) })
	}
	wg.Wait()
	n := 0
	for _, w := range won {
		if w {
			n++
		}
	}
	if n != 1 {
		t.Errorf("the code worked %d times", n)
	}
	for _, wrong := range []string{"", code, "../key", "0000-0000-0000-0000", strings.Repeat("x", 100_000)} {
		if s.redeem(wrong, now) {
			t.Errorf("%.20q worked", wrong)
		}
	}
}

func TestCodeAsPeopleTypeIt(t *testing.T) {
	s := newState(t)
	now := time.Now()
	for _, typed := range []func(string) string{
		strings.ToUpper,
		func(c string) string { return strings.ReplaceAll(c, "-", "") },
		func(c string) string { return " " + strings.ReplaceAll(c, "-", " ") + "\n" },
		func(c string) string { return strings.NewReplacer("0", "O", "1", "l").Replace(c) },
	} {
		code, err := s.newCode(now)
		if err != nil {
			t.Fatal(err)
		}
		if !s.redeem(typed(code), now) {
			t.Errorf("%q, typed as %q, did not work", code, typed(code))
		}
	}
}

func TestOldCodesGo(t *testing.T) {
	s := newState(t)
	now := time.Now()
	first, err := s.newCode(now)
	if err != nil {
		t.Fatal(err)
	}
	if s.redeem(first, now.Add(codeLife)) {
		t.Error("a code of yesterday worked")
	}
	for range 3 * codesKept {
		if _, err := s.newCode(now); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(s.path("codes"))
	if err != nil || len(entries) != codesKept {
		t.Errorf("%d codes are kept, %v", len(entries), err)
	}
	if _, err := s.newCode(now.Add(2 * codeLife)); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(s.path("codes")); len(entries) != 1 {
		t.Errorf("%d codes are kept after two days", len(entries))
	}
}

func TestKeyringForgetsAndKeeps(t *testing.T) {
	s := newState(t)
	k, err := openKeyring(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range [][2]string{{"a", " one\n"}, {"b", "two"}, {"a", ""}} {
		if err := k.set(set[0], set[1]); err != nil {
			t.Fatal(err)
		}
	}
	again, err := openKeyring(s)
	if err != nil {
		t.Fatal(err)
	}
	if again.get("a") != "" || again.get("b") != "two" || len(again.all()) != 1 {
		t.Errorf("kept: %q", again.all())
	}
}

// A project has two HOMEs, and one for each MCP server of its own, and all go with it,
// read-only folders and links too.
func TestHomes(t *testing.T) {
	s := newState(t)
	if aside, err := s.forget("game"); err != nil || aside.Remove() != nil {
		t.Errorf("before there is any: %v", err)
	}
	var paths []string
	for _, network := range []bool{false, true} {
		for _, project := range []string{"game", "game2"} {
			home, err := s.home(project, network)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := s.home(project, network); err != nil || again != home {
				t.Errorf("another HOME the second time: %s, %v", again, err)
			}
			if err := os.WriteFile(filepath.Join(home, "cache"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, home)
		}
	}
	for _, project := range []string{"game", "game2"} {
		home, err := s.serverHome(project, "mail")
		if err != nil {
			t.Fatal(err)
		}
		if fi, err := os.Stat(home); err != nil || fi.Mode().Perm() != 0o700 {
			t.Errorf("the HOME of a server: %v, %v", fi, err)
		}
		if err := os.WriteFile(filepath.Join(home, "cache"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, home)
	}
	for _, i := range []int{0, 2} {
		if err := os.Symlink(paths[1], filepath.Join(paths[i], "other")); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(paths[i], "go/mod"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(paths[i], "go"), 0o555); err != nil {
			t.Fatal(err)
		}
	}
	aside, err := s.forget("game")
	if err != nil {
		t.Fatal(err)
	}
	if home, err := s.home("game", false); err != nil {
		t.Error(err)
	} else if entries, err := os.ReadDir(home); err != nil || len(entries) > 0 {
		t.Errorf("the next project of that name has in its HOME: %v, %v", entries, err)
	}
	if err := os.Mkdir(s.path(networkHomes, ".removed-before"), 0o700); err != nil { // a kill left it
		t.Fatal(err)
	}
	if err := aside.Remove(); err != nil {
		t.Error(err)
	}
	for dir, want := range map[string]string{homes: "game game2", networkHomes: "game2", serverHomes: "game2"} {
		entries, err := os.ReadDir(s.path(dir))
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if got := strings.Join(names, " "); err != nil || got != want {
			t.Errorf("%s holds %s, not %s; %v", dir, got, want, err)
		}
	}
	for i, want := range []bool{false, true, false, true, false, true} {
		if _, err := os.Stat(filepath.Join(paths[i], "cache")); (err == nil) != want {
			t.Errorf("%s: %v", paths[i], err)
		}
	}
}

// HOMEs are set aside all, or none.
func TestHomesStay(t *testing.T) {
	s := newState(t)
	home, err := s.home("game", false)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, "cache")
	write := func(path string) {
		t.Helper()
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(file)
	write(s.path(serverHomes)) // no folder
	if _, err := s.forget("game"); err == nil {
		t.Error("what is no folder was set aside")
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("the first HOME after the third could not be set aside: %v", err)
	}
	if err := os.Remove(s.path(serverHomes)); err != nil {
		t.Fatal(err)
	}
	aside, err := s.forget("game")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("it was not set aside")
	}
	if err := aside.Back(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("it was not given back: %v", err)
	}
}
