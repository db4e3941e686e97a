package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

func folder(t *testing.T) (*os.Root, string) {
	t.Helper()
	path := t.TempDir()
	dir, err := os.OpenRoot(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	return dir, path
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func give(text string) func(*os.File) ([]byte, error) {
	return func(*os.File) ([]byte, error) { return []byte(text), nil }
}

// left is what the folder holds, and what stands under name.
func left(t *testing.T, path, name string) (names int, text string) {
	t.Helper()
	all, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := os.ReadFile(filepath.Join(path, name))
	return len(all), string(b)
}

func TestChange(t *testing.T) {
	dir, path := folder(t)
	for _, text := range []string{"one", "", "three"} {
		info, err := Change(dir, "x", 0o600, give(text))
		if err != nil || info.Size() != int64(len(text)) || info.Mode().Perm() != 0o600 {
			t.Fatalf("%q: %v, %v", text, info, err)
		}
		if n, got := left(t, path, "x"); n != 1 || got != text {
			t.Errorf("%d files, %q", n, got)
		}
	}
	// An existing file keeps its permissions, also those that the umask takes.
	if err := os.Chmod(filepath.Join(path, "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	info, err := Change(dir, "x", 0o600, func(old *os.File) ([]byte, error) {
		b, err := io.ReadAll(old)
		return append(b, '!'), err
	})
	if _, got := left(t, path, "x"); err != nil || got != "three!" || info.Mode().Perm() != 0o777 {
		t.Errorf("%q, %v, %v", got, info, err)
	}
	// What a kill left under the temporary name goes.
	put(t, filepath.Join(path, TempName("x")), "half")
	if _, err := Change(dir, "x", 0o600, give("whole")); err != nil {
		t.Fatal(err)
	}
	if n, got := left(t, path, "x"); n != 1 || got != "whole" {
		t.Errorf("%d files, %q", n, got)
	}
	if !IsTemp(TempName("x")) || IsTemp("x") || TempName("x") == TempName("y") {
		t.Error("temporary names")
	}
}

// What refuses a change leaves everything as it was.
func TestChangesNothing(t *testing.T) {
	dir, path := folder(t)
	at := filepath.Join(path, "x")
	put(t, at, "old")
	stop := errors.New("stop")
	meanwhile := func(do func()) func(*os.File) ([]byte, error) {
		return func(*os.File) ([]byte, error) { do(); return []byte("new"), nil }
	}
	for what, c := range map[string]struct {
		name string
		edit func(*os.File) ([]byte, error)
		err  error
		text string
	}{
		"edit errs":         {"x", func(*os.File) ([]byte, error) { return []byte("new"), stop }, stop, "old"},
		"an editor saves":   {"x", meanwhile(func() { put(t, at, "theirs") }), ErrChanged, "theirs"},
		"an editor renames": {"x", meanwhile(func() { put(t, at+"~", "renamed"); os.Rename(at+"~", at) }), ErrChanged, "renamed"},
		"an editor deletes": {"x", meanwhile(func() { os.Remove(at) }), ErrChanged, ""},
		"an editor makes":   {"y", meanwhile(func() { put(t, filepath.Join(path, "y"), "theirs") }), ErrChanged, "theirs"},
	} {
		os.Remove(filepath.Join(path, "y"))
		put(t, at, "old")
		_, err := Change(dir, c.name, 0o644, c.edit)
		if _, text := left(t, path, c.name); !errors.Is(err, c.err) || text != c.text {
			t.Errorf("%s: %v, %q", what, err, text)
		}
		if _, err := os.Lstat(filepath.Join(path, TempName(c.name))); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the temporary file is left", what)
		}
	}
}

// A file that came into being between the last look and the rename is not
// replaced, and neither is what stands there and is no file.
func TestReplacesNoOther(t *testing.T) {
	dir, path := folder(t)
	put(t, filepath.Join(path, "temp"), "ours")
	put(t, filepath.Join(path, "x"), "theirs")
	if err := swap(dir, "temp", "x", true); !errors.Is(err, ErrChanged) {
		t.Error(err)
	}
	if _, text := left(t, path, "x"); text != "theirs" {
		t.Error(text)
	}
	if err := os.Mkdir(filepath.Join(path, "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("x", filepath.Join(path, "l")); err != nil {
		t.Fatal(err)
	}
	for name, kind := range map[string]string{"d": "a folder", "l": "a link"} {
		_, err := Change(dir, name, 0o644, give("new"))
		err2 := Remove(dir, name, func(*os.File) error { return nil })
		for _, err := range []error{err, err2} {
			if e, ok := errors.AsType[*NotFileError](err); !ok || e.Kind() != kind {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestRemove(t *testing.T) {
	dir, path := folder(t)
	stop := errors.New("stop")
	put(t, filepath.Join(path, "x"), "old")
	if err := Remove(dir, "x", func(*os.File) error { return stop }); err != stop {
		t.Error(err)
	}
	if err := Remove(dir, "x", func(*os.File) error { put(t, filepath.Join(path, "x"), "theirs"); return nil }); err != ErrChanged {
		t.Error(err)
	}
	if err := Remove(dir, "x", func(*os.File) error { return nil }); err != nil {
		t.Error(err)
	}
	if err := Remove(dir, "x", func(*os.File) error { return nil }); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// Of many who count a number up under the lock, each in a folder of its own
// opening as another process would have it, no count is lost.
func TestLock(t *testing.T) {
	_, path := folder(t)
	put(t, filepath.Join(path, "n"), "0")
	const writers, each = 8, 25
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			dir, err := os.OpenRoot(path)
			if err != nil {
				t.Error(err)
				return
			}
			defer dir.Close()
			for range each {
				err := countUp(dir)
				for held := new(HeldError); errors.As(err, &held); err = countUp(dir) { // the others had it for long: nothing was counted
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if _, text := left(t, path, "n"); text != fmt.Sprint(writers*each) {
		t.Errorf("%s of %d", text, writers*each)
	}
}

func countUp(dir *os.Root) error {
	unlock, err := Lock(context.Background(), dir)
	if err != nil {
		return err
	}
	defer unlock()
	_, err = Change(dir, "n", 0o644, func(old *os.File) ([]byte, error) {
		b, err := io.ReadAll(old)
		n, _ := strconv.Atoi(string(bytes.TrimSpace(b)))
		return strconv.AppendInt(nil, int64(n+1), 10), err
	})
	return err
}
