package commit

import (
	"bytes"
	"crypto/sha1"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"vibey/tools/sandbox"
)

// indexOf makes a repository with files of an hour ago, changes it by git commands, and
// returns its deed and the bytes of its index.
func indexOf(t testing.TB, files []string, commands ...[]string) (deed string, b []byte) {
	t.Helper()
	deed = t.TempDir()
	for _, name := range files {
		at := filepath.Join(deed, name)
		then := time.Now().Add(-time.Hour)
		for _, err := range []error{os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(name), 0o644), os.Chtimes(at, then, then)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, args := range append([][]string{{"init", "-q"}, {"add", "."}}, commands...) {
		if out, err := exec.Command("git", append([]string{"-C", deed}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %s", args, out)
		}
	}
	b, err := os.ReadFile(filepath.Join(deed, ".git/index"))
	if err != nil {
		t.Fatal(err)
	}
	return deed, b
}

func stat(t *testing.T, deed, name string) sandbox.Stamp {
	t.Helper()
	root, err := os.OpenRoot(deed)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	folder, err := sandbox.OpenFolder(root)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	st, err := folder.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// Names of each length are read, also of the entries of version 3; an index of another
// kind is none.
func TestReadIndex(t *testing.T) {
	names := []string{"a", "b/bb", "ccc", "dddd", "eeeee", "ffffff", "ggggggg", "hhhhhhhh", "iiiiiiiii"}
	for what, commands := range map[string][][]string{
		"version 2": nil,
		"version 3": {{"update-index", "--skip-worktree", "ccc"}},
		"version 4": {{"update-index", "--index-version", "4"}},
	} {
		deed, b := indexOf(t, names, commands...)
		if _, err := parseIndex(append(b[:len(b)-sha1.Size:len(b)-sha1.Size], make([]byte, sha1.Size)...)); err == nil {
			t.Errorf("%s was read without its check", what)
		}
		x, err := ReadIndex(deed)
		if what == "version 4" {
			if err == nil {
				t.Errorf("%s was read", what)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for _, name := range names {
			blob, ok := x.Blob(name, stat(t, deed, name))
			if skipped := what == "version 3" && name == "ccc"; ok == skipped || !skipped && len(blob) != 40 {
				t.Errorf("%s: %s is %q, %v", what, name, blob, ok)
			}
		}
		if _, ok := x.Blob("zzz", stat(t, deed, "a")); ok {
			t.Error("a file that git does not know")
		}
	}
}

// Bytes of any kind are no reason to fail.
func FuzzParseIndex(f *testing.F) {
	_, b := indexOf(f, []string{"a", "b/bb"})
	for _, cut := range []int{0, 4, 12, 40, 74, len(b) - 21, len(b) - 20} {
		f.Add(b[:cut])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		sum := sha1.Sum(body)
		parseIndex(append(bytes.Clone(body), sum[:]...))
		parseIndex(body)
	})
}
