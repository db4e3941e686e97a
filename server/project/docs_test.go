package project

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/server/project/folder"
	"vibey/tools/disk"
)

func TestDocs(t *testing.T) {
	p := testProject(t)
	f, err := p.WriteFile("doc-plot.md", "# Plot\n", "")
	must(t, err)
	if sum := sha256.Sum256([]byte("# Plot\n")); f.ETag != hex.EncodeToString(sum[:]) {
		t.Errorf("ETag %s", f.ETag)
	}
	got, err := p.ReadFile("doc-plot.md")
	must(t, err)
	if got != f {
		t.Errorf("read %+v, wrote %+v", got, f)
	}
	g, err := p.WriteFile("doc-plot.md", "# Plot 2\n", f.ETag)
	must(t, err)
	var lost *ConflictError
	if _, err := p.WriteFile("doc-plot.md", "# Plot 3\n", f.ETag); !errors.As(err, &lost) || !errors.Is(err, ErrConflict) || lost.Current != g {
		t.Errorf("a write that lost the race: %v, current %+v", err, lost)
	}
	if err := p.DeleteFile("doc-plot.md", f.ETag); !errors.Is(err, ErrConflict) {
		t.Errorf("a delete that lost the race: %v", err)
	}
	_, err = p.WriteFile("doc-plot.md", "# Plot 4\n", "*")
	must(t, err)
	must(t, p.DeleteFile("doc-plot.md", ""))
	if _, err := p.ReadFile("doc-plot.md"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("read after delete: %v", err)
	}
	if err := p.DeleteFile("doc-plot.md", ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("deleted twice: %v", err)
	}
	lost = nil
	if _, err := p.WriteFile("doc-plot.md", "x", g.ETag); !errors.As(err, &lost) || lost.Current.ETag != "" {
		t.Errorf("a write to what was deleted: %v", err)
	}
	if _, err := p.WriteFile("doc-plot.md", "a\xffb", ""); !errors.Is(err, ErrUTF8) {
		t.Errorf("bytes that are not UTF-8: %v", err)
	}
	if names, _ := p.Files(); !slices.Equal(names, []string{"doc-main.md"}) {
		t.Errorf("left: %v", names)
	}
}

func TestFilesNewestFirst(t *testing.T) {
	p := testProject(t)
	for i, n := range []string{"doc-b.md", "doc-a.md", "notes.md", "doc-c.md", "dialog-20260216-201100-x-done.md"} {
		write(t, p.path(n), "x")
		at := then.Add(time.Duration(i/2) * time.Hour)
		must(t, os.Chtimes(p.path(n), at, at))
	}
	must(t, os.Chtimes(p.path(MainDoc), then, then.Add(-time.Hour)))
	for _, n := range []string{".hidden.md", disk.TempName("doc-x.md"), "a..md", "picture.png", "with space.md", ".md"} {
		write(t, p.path(n), "x")
	}
	must(t, os.Mkdir(p.path("folder.md"), 0o755))
	must(t, os.Symlink(MainDoc, p.path("link.md")))
	names, err := p.Files()
	must(t, err)
	want := []string{"dialog-20260216-201100-x-done.md", "doc-c.md", "notes.md", "doc-a.md", "doc-b.md", "doc-main.md"}
	if !slices.Equal(names, want) {
		t.Errorf("files %v, want %v", names, want)
	}
}

// What a kill left under the temporary name goes with the next write, and a
// file keeps its permissions.
func TestWriteLeavesNothing(t *testing.T) {
	p := testProject(t)
	write(t, p.path(disk.TempName(MainDoc)), "half")
	must(t, os.Chmod(p.path(MainDoc), 0o600))
	_, err := p.WriteFile(MainDoc, "# New\n", "")
	must(t, err)
	info, err := os.Stat(p.path(MainDoc))
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("permissions %v", info.Mode())
	}
	names, err := p.dir.Names()
	must(t, err)
	slices.Sort(names)
	if !slices.Equal(names, []string{idName, deedName, MainDoc}) {
		t.Errorf("left: %v", names)
	}
	if _, err := p.WriteFile(MainDoc, "x", "stale"); !errors.Is(err, ErrConflict) {
		t.Fatal(err)
	}
	if _, err := p.dir.Lstat(disk.TempName(MainDoc)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a refused write left its temporary file: %v", err)
	}
}

// A human's saves and an agent's writes go through one writer: no two that were
// acknowledged replaced the same version.
func TestSavesAndToolsReplaceEachVersionOnce(t *testing.T) {
	testenv.Slow(t)
	p := testProject(t)
	first, err := p.WriteFile("doc-x.md", "start", "")
	must(t, err)
	var mu sync.Mutex
	replaced := map[string]string{}
	acknowledged := func(who, version string) {
		mu.Lock()
		defer mu.Unlock()
		if other := replaced[version]; other != "" {
			t.Errorf("%s and %s both replaced one version", other, who)
		}
		replaced[version] = who
	}
	var all sync.WaitGroup
	for who := range 2 {
		all.Go(func() {
			for i := range 300 {
				cur, err := p.ReadFile("doc-x.md")
				must(t, err)
				if _, err := p.WriteFile("doc-x.md", fmt.Sprintf("human %d: %d", who, i), cur.ETag); err == nil {
					acknowledged(fmt.Sprintf("human %d", who), cur.ETag)
				}
			}
		})
	}
	all.Go(func() {
		for i := range 300 {
			cur, err := p.ReadFile("doc-x.md")
			must(t, err)
			_, err = p.Change(p.Root(), "doc-x.md", func(old *os.File) ([]byte, error) {
				if text, _, err := folder.ReadAll(old); err != nil || newFile("doc-x.md", text, then).ETag != cur.ETag {
					return nil, errors.Join(ErrConflict, err)
				}
				return fmt.Appendf(nil, "agent: %d", i), nil
			})
			if err == nil {
				acknowledged("agent", cur.ETag)
			}
		}
	})
	all.Wait()
	if n := len(replaced); n < 300 || replaced[first.ETag] == "" {
		t.Errorf("%d writes were acknowledged", n)
	}
}

// Writers that count up a number with If-Match, in two processes: no count is lost.
func TestIfMatchRace(t *testing.T) {
	p := testProject(t)
	_, err := p.WriteFile("doc-n.md", "0", "")
	must(t, err)
	var wg sync.WaitGroup
	for _, q := range []*Project{p, p, again(t, p)} {
		wg.Go(func() {
			for n := 0; n < 20; {
				f, err := q.ReadFile("doc-n.md")
				if err != nil {
					t.Error(err)
					return
				}
				i, err := strconv.Atoi(f.Content)
				if err != nil {
					t.Errorf("half a file was read: %q", f.Content)
					return
				}
				_, err = q.WriteFile("doc-n.md", strconv.Itoa(i+1), f.ETag)
				if err == nil {
					n++
				} else if !errors.Is(err, ErrConflict) {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if got := read(t, p.path("doc-n.md")); got != "60" {
		t.Errorf("counted to %s, want 60", got)
	}
}

// A human edits, imports and deletes dialogs that nobody runs.
func TestDialogByHand(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	must(t, f.SetStatus(dialog.Waiting))
	must(t, f.Close())
	old, err := p.ReadFile(f.Filename())
	must(t, err)
	_, err = p.WriteFile(f.Filename(), strings.Replace(old.Content, "Please", "Kindly", 1), old.ETag)
	must(t, err)
	f, err = p.OpenDialog(f.ID())
	must(t, err)
	if got := f.Dialog().Sections[0].Text(); got != "Kindly read vibey.md." {
		t.Errorf("edited text is read as %q", got)
	}
	must(t, f.Close())
	if _, err := p.WriteFile(f.Filename(), "x", old.ETag); !errors.Is(err, ErrConflict) {
		t.Errorf("a stale edit: %v", err)
	}
	other := dialog.Filename(f.ID(), dialog.Done)
	if _, err := p.WriteFile(other, "x", ""); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second file for one dialog: %v", err)
	}
	if _, err := p.WriteFile(dialog.Filename("20260216-201100-new", dialog.Active), "x", ""); !errors.Is(err, ErrActive) {
		t.Errorf("an active dialog by hand: %v", err)
	}
	if _, err := p.WriteFile(dialog.Filename("20260216-201100-new", dialog.Done), old.Content, ""); err != nil {
		t.Errorf("an imported dialog: %v", err)
	}
	must(t, p.DeleteFile(f.Filename(), ""))
	if _, err := p.ReadDialog(f.ID()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("read after delete: %v", err)
	}
}

// One that was running when the server was killed, deleted by the name it had.
func TestDeleteOrphan(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	_, err := f.OpenResponse()
	must(t, err)
	name := f.Filename()
	killed(f)
	must(t, again(t, p).DeleteFile(name, ""))
	names, err := p.dir.Names()
	must(t, err)
	slices.Sort(names)
	if !slices.Equal(names, []string{idName, deedName, MainDoc}) {
		t.Errorf("left: %v", names)
	}
}

// A file that another program keeps changing is a conflict, and as that program left it.
func TestKeepsChanging(t *testing.T) {
	p := testProject(t)
	n := 0
	_, err := p.Change(p.Root(), MainDoc, func(*os.File) ([]byte, error) {
		n++
		write(t, p.path(MainDoc), strings.Repeat("theirs ", n))
		return []byte("ours"), nil
	})
	if !errors.Is(err, ErrConflict) || !errors.Is(err, disk.ErrChanged) || n != changeTries || read(t, p.path(MainDoc)) != strings.Repeat("theirs ", n) {
		t.Errorf("after %d: %v, %q", n, err, read(t, p.path(MainDoc)))
	}
}

// A doc that another program made too large is refused before it is read; a large one is
// read, and a dialog, whatever its size, too.
func TestTooLargeADoc(t *testing.T) {
	p := testProject(t)
	for name, c := range map[string]struct {
		size int64
		want error
	}{
		"doc-large.md": {17 << 20, nil}, "doc-main.md": {1 << 32, ErrTooLarge}, "doc-too.md": {docMost + 1, ErrTooLarge},
		"dialog-20260101-000000-a-waiting.md": {docMost + 1, nil},
	} {
		write(t, p.path(name), "")
		if err := os.Truncate(p.path(name), c.size); err != nil {
			t.Fatal(err)
		}
		f, err := p.ReadFile(name)
		if !errors.Is(err, c.want) || err == nil && int64(len(f.Content)) != c.size {
			t.Errorf("%s: %d bytes, %v", name, len(f.Content), err)
		}
	}
}

// A write that has to match a doc which is not read is refused as its reading is; one
// that asks for nothing writes over it.
func TestTooLargeToMatch(t *testing.T) {
	p := testProject(t)
	f, err := p.WriteFile("doc-huge.md", "# A\n", "")
	must(t, err)
	must(t, os.Truncate(p.path("doc-huge.md"), 1<<40))
	if _, err := p.WriteFile("doc-huge.md", "# B\n", f.ETag); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a write: %v", err)
	}
	if err := p.DeleteFile("doc-huge.md", f.ETag); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a deletion: %v", err)
	}
	f, err = p.WriteFile("doc-huge.md", "# C\n", "")
	must(t, err)
	if got, err := p.ReadFile("doc-huge.md"); err != nil || got != f {
		t.Errorf("written over: %+v, %v", got, err)
	}
}
