package project

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vibey/dialog"
	"vibey/tools/disk"
)

// agentWrites is a write as a tool makes it.
func agentWrites(t *testing.T, p *Project, name, text string) {
	t.Helper()
	_, err := p.Change(p.Root(), name, func(*os.File) ([]byte, error) { return []byte(text), nil })
	must(t, err)
}

// keptNames are the files in .kept, sorted.
func keptNames(t *testing.T, p *Project) []string {
	t.Helper()
	entries, err := os.ReadDir(p.path(keptName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// What a tool replaces or removes is kept under its hash; what a human saves is not, and
// neither is what was not there.
func TestToolsChangesAreKept(t *testing.T) {
	p := testProject(t)
	_, err := p.WriteFile("doc-a.md", "one", "")
	must(t, err)
	_, err = p.WriteFile("doc-a.md", "two", "")
	must(t, err)
	must(t, p.DeleteFile("doc-a.md", ""))
	agentWrites(t, p, "doc-a.md", "three")
	if names := keptNames(t, p); names != nil {
		t.Errorf("kept: %q", names)
	}
	agentWrites(t, p, "doc-a.md", "four")
	must(t, p.Remove(p.Root(), "doc-a.md", func(*os.File) error { return nil }))
	for _, text := range []string{"three", "four"} {
		if b, err := p.Kept(dialog.SHA256([]byte(text))); err != nil || string(b) != text {
			t.Errorf("%q: %q, %v", text, b, err)
		}
	}
	refused := errors.New("no")
	agentWrites(t, p, "doc-b.md", "five")
	if _, err := p.Change(p.Root(), "doc-b.md", func(*os.File) ([]byte, error) { return nil, refused }); !errors.Is(err, refused) {
		t.Error(err)
	}
	if err := p.Remove(p.Root(), "doc-b.md", func(*os.File) error { return refused }); !errors.Is(err, refused) {
		t.Error(err)
	}
	if names := keptNames(t, p); len(names) != 2 {
		t.Errorf("kept: %q", names)
	}
	// It is no doc, and no name leads to it.
	if files, err := p.Files(); err != nil || slices.ContainsFunc(files, func(n string) bool { return strings.Contains(n, "kept") }) {
		t.Errorf("%q, %v", files, err)
	}
	for _, sha := range []string{"", "../doc-main.md", dialog.SHA256("five"), strings.ToUpper(dialog.SHA256("four"))} {
		if _, err := p.Kept(sha); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", sha, err)
		}
	}
}

// sparse makes a kept file of size bytes, which is as old as that.
func sparse(t *testing.T, p *Project, sign string, size int64, age time.Duration) {
	t.Helper()
	must(t, os.MkdirAll(p.path(keptName), 0o755))
	at := filepath.Join(p.path(keptName), strings.Repeat(sign, 64))
	write(t, at, "")
	must(t, os.Truncate(at, size))
	must(t, os.Chtimes(at, time.Time{}, time.Now().Add(-age)))
}

// The oldest go when more than 200 MB would be kept; what is kept again is new.
func TestOldestKeptGo(t *testing.T) {
	p := testProject(t)
	agentWrites(t, p, "doc-a.md", "first")
	agentWrites(t, p, "doc-a.md", "second")
	agentWrites(t, p, "doc-a.md", "first") // which keeps "second"
	sparse(t, p, "a", 100_000_000, time.Hour)
	sparse(t, p, "b", 90_000_000, 2*time.Hour)
	must(t, os.Chtimes(filepath.Join(p.path(keptName), dialog.SHA256("first")), time.Time{}, time.Now().Add(-3*time.Hour)))
	agentWrites(t, p, "doc-a.md", "third") // which keeps "first" once more
	if names := keptNames(t, p); len(names) != 4 {
		t.Fatalf("%q", names)
	}
	write(t, p.path("doc-a.md"), strings.Repeat("x", 11_000_000))
	agentWrites(t, p, "doc-a.md", "fourth")
	want := []string{strings.Repeat("a", 64), dialog.SHA256("first"), dialog.SHA256("second"), dialog.SHA256([]byte(strings.Repeat("x", 11_000_000)))}
	slices.Sort(want)
	if names := keptNames(t, p); !slices.Equal(names, want) {
		t.Errorf("kept %q, want %q", names, want)
	}
	// Bytes that are kept already push nothing out.
	write(t, p.path("doc-a.md"), strings.Repeat("x", 11_000_000))
	sparse(t, p, "d", 89_000_000-18, time.Hour/2)
	want = append(want, strings.Repeat("d", 64))
	slices.Sort(want)
	agentWrites(t, p, "doc-a.md", "fourth")
	if names := keptNames(t, p); !slices.Equal(names, want) {
		t.Errorf("kept %q, want %q", names, want)
	}
	must(t, os.Remove(filepath.Join(p.path(keptName), strings.Repeat("d", 64))))
	want = slices.DeleteFunc(want, func(n string) bool { return n == strings.Repeat("d", 64) })
	// One that is too large pushes nothing out, and is replaced all the same.
	write(t, p.path("doc-a.md"), "")
	must(t, os.Truncate(p.path("doc-a.md"), keptMost+1))
	agentWrites(t, p, "doc-a.md", "fifth")
	if names := keptNames(t, p); !slices.Equal(names, want) || read(t, p.path("doc-a.md")) != "fifth" {
		t.Errorf("kept %q", names)
	}
	// Another process fills it behind our back.
	sparse(t, p, "c", 99_999_000, 4*time.Hour)
	agentWrites(t, p, "doc-a.md", "sixth")
	if names := keptNames(t, p); slices.Contains(names, strings.Repeat("c", 64)) || len(names) != 5 {
		t.Errorf("kept %q", names)
	}
}

// What stands in the place of .kept, or of a file in it, is neither followed nor does it
// keep a write from being made.
func TestKeptFollowsNoLink(t *testing.T) {
	for name, make := range map[string]func(t *testing.T, p *Project, elsewhere string) error{
		"a file":            func(t *testing.T, p *Project, _ string) error { return os.WriteFile(p.path(keptName), nil, 0o644) },
		"a link outside":    func(t *testing.T, p *Project, elsewhere string) error { return os.Symlink(elsewhere, p.path(keptName)) },
		"a link to deed":    func(t *testing.T, p *Project, _ string) error { return os.Symlink("deed", p.path(keptName)) },
		"a link to nowhere": func(t *testing.T, p *Project, _ string) error { return os.Symlink("nowhere", p.path(keptName)) },
		"a folder that may not be written": func(t *testing.T, p *Project, _ string) error {
			return os.Mkdir(p.path(keptName), 0o000)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := testProject(t)
			elsewhere := t.TempDir()
			old := dialog.SHA256("old")
			for _, dir := range []string{elsewhere, p.path("deed")} {
				write(t, filepath.Join(dir, old), "old")
				write(t, filepath.Join(dir, strings.Repeat("a", 64)), "")
				must(t, os.Truncate(filepath.Join(dir, strings.Repeat("a", 64)), keptMost))
			}
			must(t, make(t, p, elsewhere))
			agentWrites(t, p, "doc-a.md", "old")
			agentWrites(t, p, "doc-a.md", "new")
			if got := read(t, p.path("doc-a.md")); got != "new" {
				t.Error(got)
			}
			if strings.HasPrefix(name, "a folder") {
				return // root may write it
			}
			if _, err := p.Kept(old); !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
			}
			for _, dir := range []string{elsewhere, p.path("deed")} {
				if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
					t.Errorf("%v, %v", entries, err)
				}
			}
			must(t, os.Remove(p.path("deed/"+strings.Repeat("a", 64)))) // a snapshot packs the deed
			var b bytes.Buffer
			if _, err := p.Snapshot(&b, ScopeAll); err != nil {
				t.Error(err)
			}
		})
	}
	p := testProject(t)
	secret := filepath.Join(t.TempDir(), "secret")
	write(t, secret, "old")
	must(t, os.Mkdir(p.path(keptName), 0o755))
	must(t, os.Symlink(secret, filepath.Join(p.path(keptName), dialog.SHA256("old"))))
	if _, err := p.Kept(dialog.SHA256("old")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	agentWrites(t, p, "doc-a.md", "old")
	agentWrites(t, p, "doc-a.md", "new")
	if b, err := p.Kept(dialog.SHA256("old")); err != nil || string(b) != "old" || read(t, secret) != "old" {
		t.Errorf("%q, %v", b, err)
	}
}

// Only a snapshot of all has what is kept, with the bytes that its name says; a zip in
// which a name says otherwise is refused.
func TestKeptInSnapshots(t *testing.T) {
	p := testProject(t)
	agentWrites(t, p, "doc-a.md", "old")
	agentWrites(t, p, "doc-a.md", "new")
	wrong := keptName + "/" + strings.Repeat("a", 64)
	write(t, p.path(wrong), "of another hash")
	write(t, p.path(keptName+"/notes.txt"), "a human's")
	for _, scope := range []Scope{ScopeDocs, ScopeDialogs, ScopeAll} {
		var b bytes.Buffer
		left, err := p.Snapshot(&b, scope)
		must(t, err)
		name := "from-" + string(scope)
		restored(t)(p.store.Restore(name, bytes.NewReader(b.Bytes()), int64(b.Len()), UploadLimits, nil))
		q, err := p.store.Project(name)
		must(t, err)
		kept := keptNames(t, q)
		if scope != ScopeAll {
			if len(left)+len(kept) > 0 {
				t.Errorf("%s: %v, %q", scope, left, kept)
			}
			continue
		}
		if !slices.Equal(kept, []string{dialog.SHA256("old")}) || len(left) != 1 || left[0].File != wrong {
			t.Errorf("%v, %q", left, kept)
		}
	}
	for _, entry := range []string{keptName + "/" + dialog.SHA256("x"), keptName + "/x", keptName + "/a/" + dialog.SHA256("old"), keptName} {
		z := zipOf(t, "doc-a.md", "a", entry, "old")
		if _, err := p.store.Restore("forged", z, z.Size(), UploadLimits, nil); err == nil {
			t.Errorf("%s was restored", entry)
		} else if _, ok := errors.AsType[*ZipError](err); !ok {
			t.Errorf("%s: %v", entry, err)
		}
	}
}

// A snapshot holds no more for undo than a project does, however it came together.
func TestKeptInSnapshotsIsBounded(t *testing.T) {
	c := newContents(DiskLimits)
	add := func(sign string, size uint64) error { return c.add(keptPrefix+strings.Repeat(sign, 64), size) }
	must(t, add("a", keptMost-10))
	if err := add("b", 11); err == nil || !strings.Contains(err.Error(), "kept for an undo") {
		t.Error(err)
	}
	must(t, add("c", 10))
	must(t, c.add("deed/large.bin", keptMost))
}

// What can't be kept is not removed: its bytes may stand nowhere else.
func TestRemovesOnlyWhatIsKept(t *testing.T) {
	p := testProject(t)
	agentWrites(t, p, "doc-a.md", "the only copy")
	write(t, p.path(keptName), "in the way")
	if err := p.Remove(p.Root(), "doc-a.md", func(*os.File) error { return nil }); err == nil {
		t.Error("removed without its bytes being kept")
	}
	if b, err := os.ReadFile(p.path("doc-a.md")); string(b) != "the only copy" {
		t.Errorf("%q, %v", b, err)
	}
}

// A replacing that fails, as on a full disk, leaves what is kept of an earlier call: it is no
// second name of the file, which a command may then write in place.
func TestKeptOutlivesAFailedReplacing(t *testing.T) {
	p := testProject(t)
	agentWrites(t, p, "doc-a.md", "one")
	agentWrites(t, p, "doc-a.md", "two") // which keeps "one"
	agentWrites(t, p, "doc-a.md", "one")
	temp := p.path(disk.TempName("doc-a.md"))
	must(t, os.MkdirAll(filepath.Join(temp, "in-the-way"), 0o755))
	if _, err := p.Change(p.Root(), "doc-a.md", func(*os.File) ([]byte, error) { return []byte("three"), nil }); err == nil {
		t.Fatal("it was replaced: this test shows nothing")
	}
	if got := read(t, p.path("doc-a.md")); got != "one" {
		t.Fatalf("it is %q", got)
	}
	write(t, p.path("doc-a.md"), "a command wrote over it")
	for _, text := range []string{"one", "two"} {
		if b, err := p.Kept(dialog.SHA256([]byte(text))); err != nil || string(b) != text {
			t.Errorf("%q: %q, %v", text, b, err)
		}
	}
}
