package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Of a PATH no entry is left in which a file of a deed could stand in for a program.
func TestPathBeside(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"root/game/deed/bin", "root/book", "code/bin", "bin", "roots"} {
		if err := os.MkdirAll(at(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"root/book/deed": "code", "link": "root/game/deed/bin", "toBin": "bin"} {
		if err := os.Symlink(at(to), at(name)); err != nil {
			t.Fatal(err)
		}
	}
	path := strings.Join([]string{
		at("bin"), "", ".", "node_modules/.bin", "../bin", at("root/game/deed/bin"), at("code/bin"), at("root/book/deed/bin"), at("link"), at("x/../code"), at("root"), at("toBin"), at("roots"), at("gone"), at("code/gone"), "",
	}, ":")
	want := strings.Join([]string{at("bin"), at("toBin"), at("roots"), at("gone")}, ":")
	if got := pathBeside(path, append(deedsOf(at("root")), at("root"))); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// The folder that an agent starts in is made empty each time, and removed.
func TestAgentDir(t *testing.T) {
	s := newState(t)
	for range 2 {
		dir, remove, err := s.agentDir("p", "20260216-201100-x")
		if err != nil {
			t.Fatal(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 || !strings.HasPrefix(dir, s.dir) {
			t.Errorf("%s: %v, %v", dir, left, err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".npmrc"), nil, 0o600); err != nil { // as a kill leaves it
			t.Fatal(err)
		}
		defer func() {
			remove()
			if left, err := os.ReadDir(s.path(agentDirs)); err != nil || len(left) > 0 {
				t.Errorf("%v, %v", left, err)
			}
		}()
	}
}
