package tree

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vibey/cmd/tally/testenv"
)

func openFolder(t *testing.T, dir string) (*os.Root, *Folder) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close(); f.Close() })
	return root, f
}

func listFolder(t *testing.T, f *Folder) (all []string) {
	t.Helper()
	err := f.Each(func(name []byte, k Kind) bool {
		if st, err := f.Stat(string(name)); err != nil || k != UnknownKind && st.Kind() != k {
			t.Errorf("%s is of kind %v, and %v by its stat, %v", name, k, st.Kind(), err)
		}
		all = append(all, string(name))
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"a/b/c", "other"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	os.WriteFile(filepath.Join(dir, "a/b/file"), []byte("text"), 0o644)
	os.Symlink("b", filepath.Join(dir, "a/link"))
	os.Symlink("file", filepath.Join(dir, "a/b/link"))
	unix.Mkfifo(filepath.Join(dir, "a/b/pipe"), 0o600)
	_, top := openFolder(t, dir)
	sub, err := top.Sub("a/b")
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if got := strings.Join(listFolder(t, sub), " "); got != "c file link pipe" {
		t.Error(got)
	}
	if self, err := sub.Self(); err != nil || self.Kind() != DirKind {
		t.Errorf("%+v, %v", self, err)
	}
	f, err := top.Read("a/b/file")
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	for _, step := range []func(string, int) (int, error){top.open, func(name string, flags int) (int, error) { return stepBelow(top.fd, name, flags) }} {
		for name, ok := range map[string]bool{
			".": true, "a": true, "a/b/c": true, "a/link": false, "a/link/c": false, "a/b/file": false, "none": false,
		} {
			fd, err := step(name, unix.O_RDONLY|unix.O_DIRECTORY)
			if err == nil {
				unix.Close(fd)
			}
			if (err == nil) != ok {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestNoWayUp(t *testing.T) {
	dir := t.TempDir()
	os.MkdirAll(filepath.Join(dir, "in/a"), 0o755)
	_, top := openFolder(t, filepath.Join(dir, "in"))
	for _, name := range []string{"..", "../in", "a/..", "a/../a", "/", "/tmp"} {
		if sub, err := top.Sub(name); err == nil {
			sub.Close()
			t.Errorf("%s was opened", name)
		}
	}
}

// nest makes n folders named a, each in the one before.
func nest(t *testing.T, dir string, n int) {
	t.Helper()
	at, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	for i := 0; err == nil && i < n; i++ {
		var next int
		if err = unix.Mkdirat(at, "a", 0o755); err == nil {
			next, err = unix.Openat(at, "a", unix.O_RDONLY|unix.O_DIRECTORY, 0)
		}
		unix.Close(at)
		at = next
	}
	if err != nil {
		t.Fatal(err)
	}
	unix.Close(at)
}

// TestRemoveDeep: 5,000 folders, each in the one before, are more than a process
// with 256 descriptors could hold open, and their path is longer than PATH_MAX.
func TestRemoveDeep(t *testing.T) {
	testenv.Slow(t)
	if os.Getenv("TREE_DEEP") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestRemoveDeep$")
		cmd.Env = append(os.Environ(), "TREE_DEEP=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 256, Max: 256}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	os.MkdirAll(filepath.Join(dir, "x/y"), 0o755)
	nest(t, filepath.Join(dir, "x"), 5000)
	nest(t, filepath.Join(dir, "x/y"), 300)
	root, top := openFolder(t, dir)
	if _, err := top.Sub("x" + strings.Repeat("/a", 3000)); !errors.Is(err, unix.ENAMETOOLONG) {
		t.Errorf("a path of 6,000 bytes: %v", err)
	}
	if sub, err := top.Sub("x" + strings.Repeat("/a", 1500)); err != nil {
		t.Errorf("a path of 3,000 bytes: %v", err)
	} else {
		sub.Close()
	}
	if err := Remove(root, "x"); err != nil {
		t.Error(err)
	}
	if left := listFolder(t, top); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
}

// TestRemoveWhatMayNotBeWritten: a module cache has folders without permission
// to write; the test does not mind being root, for whom they have it.
func TestRemoveWhatMayNotBeWritten(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"x/mod/cache/deep/er", "x/dark/room", "beside"} {
		os.MkdirAll(filepath.Join(dir, d), 0o755)
	}
	os.WriteFile(filepath.Join(dir, "x/mod/cache/file"), nil, 0o400)
	os.WriteFile(filepath.Join(dir, "beside/kept"), nil, 0o600)
	os.Symlink("../beside", filepath.Join(dir, "x/link"))
	os.Symlink("../../beside", filepath.Join(dir, "x/mod/link"))
	for _, d := range []string{"x/mod/cache/deep/er", "x/mod/cache/deep", "x/mod/cache", "x/mod"} {
		os.Chmod(filepath.Join(dir, d), 0o555)
	}
	os.Chmod(filepath.Join(dir, "x/dark/room"), 0)
	os.Chmod(filepath.Join(dir, "x/dark"), 0)
	root, top := openFolder(t, dir)
	if err := Remove(root, "x"); err != nil {
		t.Error(err)
	}
	if err := errors.Join(Remove(root, "x"), Remove(root, "none")); err != nil {
		t.Errorf("what is not there: %v", err)
	}
	if left := strings.Join(listFolder(t, top), " "); left != "beside" {
		t.Errorf("left: %s", left)
	}
	if _, err := os.Stat(filepath.Join(dir, "beside/kept")); err != nil {
		t.Errorf("a link was followed: %v", err)
	}
	os.Symlink("beside", filepath.Join(dir, "l"))
	if err := Remove(root, "l"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "beside/kept")); errors.Is(err, fs.ErrNotExist) {
		t.Error("a link was followed")
	}
}
