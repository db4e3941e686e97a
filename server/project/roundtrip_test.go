package project

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What a snapshot leaves out is told with its name and why; the rest comes back.
func TestSnapshotTellsWhatItLeavesOut(t *testing.T) {
	p := testProject(t)
	for _, n := range []string{
		"deed/Makefile", "deed/makefile", "deed/back\\slash", "deed/caf\xe9", "deed/two\nlines", "deed/Src/a", "deed/src/b",
		"deed/" + strings.Repeat("long/", 80) + "file",
		"dialog-20260216-201100-x-done.md", "dialog-20260216-201100-X-waiting.md", "doc-a.md", "DOC-A.md",
	} {
		must(t, os.MkdirAll(filepath.Dir(p.path(n)), 0o755))
		write(t, p.path(n), n)
	}
	write(t, p.path("deed/zeros"), string(make([]byte, 6_000_000)))
	must(t, os.Symlink("Makefile", p.path("deed/link")))
	var b bytes.Buffer
	leftOut, err := p.Snapshot(&b, ScopeAll)
	must(t, err)
	want := map[string]string{
		"deed/makefile":    `"deed/Makefile" has the same name but for capitals`,
		"deed/src":         `"deed/Src" has the same name but for capitals`,
		"deed/back\\slash": "its name has a backslash",
		"deed/caf\xe9":     "its name is not UTF-8",
		"deed/two\nlines":  "its name has a control character",
		"deed/" + strings.Repeat("long/", 79) + "long": "its path is longer than 400 bytes",
		"deed/link": "it is a link, a pipe or a device",
	}
	for _, l := range leftOut {
		if why, ok := want[l.File]; ok && why != l.Why {
			t.Errorf("%q: %s", l.File, l.Why)
		}
		delete(want, l.File)
	}
	if len(want) > 0 || len(leftOut) != 9 {
		t.Errorf("not told: %q of %q", want, leftOut)
	}
	restored(t)(p.store.Restore("again", bytes.NewReader(b.Bytes()), int64(b.Len()), UploadLimits, nil))
	for name, there := range filesBelow(t, p.path(deedName)) {
		at := filepath.Join(p.store.path, "again/deed", name)
		if slices.ContainsFunc(leftOut, func(l LeftOut) bool { return strings.HasPrefix(deedPrefix+name+"/", l.File+"/") }) {
			if _, err := os.Lstat(at); err == nil {
				t.Errorf("%q is told, and in the zip", name)
			}
			continue
		}
		if got := filesBelow(t, filepath.Join(p.store.path, "again/deed"))[name]; got != there {
			t.Errorf("%q came back as %.40q", name, got)
		}
	}
}

// Whatever a snapshot holds without a word, a restore takes, and the same bytes
// come out; and of what it leaves out, it tells each.
func TestSnapshotRoundTrip(t *testing.T) {
	names := rapid.SampledFrom([]string{
		"a", "A", "b", "Makefile", "makefile", "é", "\xe9", "\\", "a\\b", "\n", "\x7f", " ", ".", ".x", "x.", "con", "K", "\u212a",
		strings.Repeat("n", 90), "deed", "doc-a.md", "dialog-20260216-201100-x-done.md",
	})
	texts := rapid.OneOf(rapid.StringN(0, 40, -1), rapid.Just("\xff\x00\r\n"), rapid.Just(strings.Repeat("\x00", 70_000)))
	docs := rapid.SampledFrom([]string{
		"doc-a.md", "DOC-A.md", "doc-main.md", "x.md", "dialog-20260216-201100-x-done.md", "dialog-20260216-201100-x-waiting.md",
		"dialog-20260216-201100-X-done.md", "dialog-20260216-201100-y-done.md",
	})
	s := quickProject(t).store
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		name := fmt.Sprint("p", n)
		must(t, s.Create(name, ""))
		p, err := s.Project(name)
		must(t, err)
		for range rapid.IntRange(0, 8).Draw(rt, "files") {
			at := filepath.Join(rapid.SliceOfN(names, 1, 6).Draw(rt, "path")...)
			if os.MkdirAll(filepath.Dir(p.path("deed/"+at)), 0o755) == nil {
				os.WriteFile(p.path("deed/"+at), []byte(texts.Draw(rt, "text")), 0o644) // or a folder stands there
			}
		}
		for _, doc := range rapid.SliceOfN(docs, 0, 4).Draw(rt, "docs") {
			write(t, p.path(doc), texts.Draw(rt, "doc"))
		}
		var b bytes.Buffer
		leftOut, err := p.Snapshot(&b, ScopeAll)
		must(t, err)
		if _, err := s.Restore(name+"-again", bytes.NewReader(b.Bytes()), int64(b.Len()), UploadLimits, nil); err != nil {
			rt.Fatal(err)
		}
		was, is := filesBelow(t, p.path("")), filesBelow(t, filepath.Join(s.path, name+"-again"))
		for name, text := range was {
			out := slices.ContainsFunc(leftOut, func(l LeftOut) bool { return name == l.File || strings.HasPrefix(name, l.File+"/") })
			if got, in := is[name]; in == out || in && got != text {
				rt.Errorf("%q: told as left out: %v; came back: %v, as %.40q", name, out, in, got)
			}
		}
		for name := range is {
			if _, ok := was[name]; !ok {
				rt.Errorf("%q came from nowhere", name)
			}
		}
	})
}

// filesBelow is what stands in a folder but for links and the project's id: each file's
// text, and each folder as "/".
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	must(t, filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, at)
		switch {
		case err != nil || name == "." || name == idName:
			return err
		case d.IsDir():
			out[name] = "/"
		case d.Type().IsRegular():
			out[name] = read(t, at)
		}
		return nil
	}))
	return out
}

// A zip that unpacks to more than the disk has room for is refused before
// anything is written, and names how much it is.
func TestRestoreLooksWhetherTheDiskHasRoom(t *testing.T) {
	s := testStore(t)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	_, err := z.CreateRaw(&zip.FileHeader{Name: "deed/huge", UncompressedSize64: 1 << 60})
	must(t, err)
	must(t, z.Close())
	_, err = s.Restore("game", bytes.NewReader(b.Bytes()), int64(b.Len()), DiskLimits, nil)
	if err == nil || !strings.Contains(err.Error(), "it unpacks to 1099511627776 MiB, and the disk has room for") {
		t.Error(err)
	}
	if names, err := s.dir.Names(); err != nil || len(names) != 0 {
		t.Errorf("left: %q %v", names, err)
	}
}

// A name that no disk takes is refused before anything is made.
func TestLongNamesAreRefused(t *testing.T) {
	for name, ok := range map[string]bool{strings.Repeat("n", 255): true, strings.Repeat("n", 256): false, strings.Repeat("é", 128): false} {
		if err := newContents(DiskLimits).add("deed/"+name, 1); (err == nil) != ok {
			t.Errorf("%d bytes: %v", len(name), err)
		}
	}
}
