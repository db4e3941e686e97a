package commit

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"vibey/tools/disk/tree"
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

func stat(t *testing.T, deed, name string) tree.Stamp {
	t.Helper()
	root, err := os.OpenRoot(deed)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	folder, err := tree.Open(root)
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
		if _, err := parseIndex(append(b[:len(b)-sha1.Size:len(b)-sha1.Size], make([]byte, sha1.Size)...), all); err == nil {
			t.Errorf("%s was read without its check", what)
		}
		files := map[string]tree.Stamp{"zzz": stat(t, deed, "a")}
		for _, name := range names {
			files[name] = stat(t, deed, name)
		}
		x, err := OpenIndex(deed)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		// What git makes of it now is another file.
		if out, err := exec.Command("git", "-C", deed, "rm", "-rq", "--cached", ".").CombinedOutput(); err != nil {
			t.Fatalf("%s", out)
		}
		blobs, err := x.Blobs(files)
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
			blob, ok := blobs[name]
			if skipped := what == "version 3" && name == "ccc"; ok == skipped || !skipped && len(blob) != 40 {
				t.Errorf("%s: %s is %q, %v", what, name, blob, ok)
			}
		}
		if _, ok := blobs["zzz"]; ok {
			t.Error("a file that git does not know")
		}
	}
}

// What a command writes over the index, without replacing the file, is not believed.
func TestIndexOverwritten(t *testing.T) {
	deed, b := indexOf(t, []string{"a"})
	files := map[string]tree.Stamp{"a": stat(t, deed, "a")}
	genuine, err := parseIndex(b, all)
	if err != nil {
		t.Fatal(err)
	}
	x, err := OpenIndex(deed)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	forged := bytes.Clone(b[:len(b)-sha1.Size])
	copy(forged[indexHead+40:], make([]byte, sha1.Size))
	sum := sha1.Sum(forged)
	if err := os.WriteFile(filepath.Join(deed, ".git/index"), append(forged, sum[:]...), 0o644); err != nil {
		t.Fatal(err)
	}
	if blobs, err := x.Blobs(files); err != nil || blobs["a"] != genuine["a"].blob {
		t.Errorf("%v, %v", blobs, err)
	}
}

func all([]byte) bool { return true }

// A pipe in the place of the index, of HEAD or of the repository is not waited for.
func TestPipesOfGit(t *testing.T) {
	for _, name := range []string{".git/index", ".git/HEAD", ".git"} {
		deed, _ := indexOf(t, []string{"a"})
		at := filepath.Join(deed, name)
		if err := errors.Join(os.WriteFile(filepath.Join(deed, ".git", markName), nil, 0o644), os.RemoveAll(at), syscall.Mkfifo(at, 0o644)); err != nil {
			t.Fatal(err)
		}
		if x, err := OpenIndex(deed); err == nil && name != ".git/HEAD" {
			t.Errorf("%s: %v", name, x)
		}
		if err := Recover(deed, true); (err == nil) == (name == ".git") {
			t.Errorf("%s: %v", name, err)
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
		parseIndex(append(bytes.Clone(body), sum[:]...), all)
		parseIndex(body, all)
	})
}

// bigIndex makes a deed whose index has n entries.
func bigIndex(b *testing.B, n int) (deed string) {
	b.Helper()
	deed = b.TempDir()
	text := binary.BigEndian.AppendUint32([]byte("DIRC"), 2)
	text = binary.BigEndian.AppendUint32(text, uint32(n))
	for i := range n {
		name := fmt.Sprintf("packages/part-%03d/src/file-%05d.ts", i/100, i)
		entry := make([]byte, (entryFixed+len(name))/8*8+8)
		binary.BigEndian.PutUint32(entry[24:], 0o100644)
		copy(entry[entryFixed:], name)
		text = append(text, entry...)
	}
	sum := sha1.Sum(text)
	if err := errors.Join(os.Mkdir(filepath.Join(deed, ".git"), 0o755), os.WriteFile(filepath.Join(deed, ".git/index"), append(text, sum[:]...), 0o644)); err != nil {
		b.Fatal(err)
	}
	return deed
}

// What an index costs of 10,000 files, which is 1 MiB, and of 50,000: a command that changes nothing, and one that
// changes three of them.
func BenchmarkIndex(b *testing.B) {
	changed := map[string]tree.Stamp{"packages/part-000/src/file-00000.ts": {}, "packages/part-050/src/file-05000.ts": {}, "packages/part-099/src/file-09999.ts": {}}
	for _, n := range []int{10_000, 50_000} {
		deed := bigIndex(b, n)
		for _, what := range []string{"untouched", "changed"} {
			b.Run(fmt.Sprint(what, " ", n), func(b *testing.B) {
				for b.Loop() {
					x, err := OpenIndex(deed)
					if err == nil && what == "changed" {
						_, err = x.Blobs(changed)
					}
					if err != nil {
						b.Fatal(err)
					}
					x.Close()
				}
			})
		}
	}
}
