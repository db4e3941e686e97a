package testenv

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// Main runs the tests of a package in the surroundings of Set and returns the exit code.
func Main(m *testing.M) int {
	if slices.Contains(os.Args, "-repository") { // a deed is built with what the human's own HOME has
		return m.Run()
	}
	if strings.HasPrefix(filepath.Base(os.Getenv("HOME")), homes) { // started by a test, which may kill it: it has all that its parent has
		return m.Run()
	}
	restore, err := Set()
	if err != nil {
		fmt.Fprintln(os.Stderr, "testenv:", err)
		return 1
	}
	defer restore()
	return m.Run()
}

// homes is how the name of a HOME begins.
const homes = "vibey-home-"

// identity is the human of the tests.
const identity = "[user]\n\tname = Test Human\n\temail = human@example.org\n[init]\n\tdefaultBranch = main\n"

// Set gives this process what the tests count on, whoever runs them: the umask 022; an
// empty HOME with an identity for git; none of the variables that lead git or a program
// to a user's other settings; and of the PATH the folders that can be read. Go's caches
// stay where they are. restore removes the HOME.
func Set() (restore func(), err error) {
	cache, err := goFolders()
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp("", homes)
	if err != nil {
		return nil, err
	}
	restore = func() { os.RemoveAll(home) }
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(identity), 0o644); err != nil {
		restore()
		return nil, err
	}
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "XDG_") || slices.Contains([]string{"VIBEY_DIR", "VIBEY_STATE", "VIBEY_ADDR"}, name) {
			os.Unsetenv(name)
		}
	}
	for name, value := range cache {
		os.Setenv(name, value)
	}
	os.Setenv("HOME", home)
	os.Setenv("PATH", readable(os.Getenv("PATH")))
	syscall.Umask(0o022)
	return restore, nil
}

// goFolders are Go's folders that a HOME of its own would move.
func goFolders() (map[string]string, error) {
	names := []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOENV"}
	program, err := exec.LookPath("go")
	if err != nil {
		return nil, nil // a test binary that was copied to a place without Go
	}
	out, err := exec.Command(program, append([]string{"env"}, names...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	values := strings.Split(string(out), "\n")
	found := map[string]string{}
	for i, name := range names {
		found[name] = values[i]
	}
	return found, nil
}

// readable returns a PATH without the folders that this user can't list, and without
// those that are no absolute path. (A shell says "permission denied" of a program that
// is nowhere, where one folder of its PATH can't be read.)
func readable(path string) string {
	return strings.Join(slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool {
		_, err := os.ReadDir(dir)
		return !filepath.IsAbs(dir) || os.IsPermission(err)
	}), string(filepath.ListSeparator))
}
