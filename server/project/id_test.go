package project

import (
	"archive/zip"
	"bytes"
	"os"
	"regexp"
	"slices"
	"testing"
)

func TestID(t *testing.T) {
	s := testStore(t)
	id := func(name string) string {
		t.Helper()
		p, err := s.Project(name)
		must(t, err)
		id, err := p.ID()
		must(t, err)
		return id
	}
	must(t, s.Create("game", ""))
	first := id("game")
	if !regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(first) {
		t.Fatalf("the id is %q", first)
	}
	p, err := s.Project("game")
	must(t, err)
	if st, err := os.Stat(p.path(idName)); err != nil || st.Mode().Perm()&^0o022 != 0o644&^0o022 {
		t.Errorf("%v %v", st.Mode(), err)
	}

	// It is no file of the project, and in no snapshot; and no snapshot brings one.
	files, err := p.Files()
	must(t, err)
	if !slices.Equal(files, []string{MainDoc}) {
		t.Errorf("files %v", files)
	}
	var out bytes.Buffer
	whole(t)(p.Snapshot(&out, ScopeAll))
	z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	must(t, err)
	for _, f := range z.File {
		if f.Name == idName {
			t.Error("it is in the snapshot")
		}
	}
	restored(t)(s.Restore("again", bytes.NewReader(out.Bytes()), int64(out.Len()), UploadLimits, nil))
	if id("again") == first || id("again") == "" {
		t.Errorf("restored: %q", id("again"))
	}
	bad := zipOf(t, idName, first+"\n")
	if _, err := s.Restore("forged", bad, bad.Size(), UploadLimits, nil); err == nil {
		t.Error("a zip brought an id")
	}

	// Deleted with the project: the next one of that name is another.
	must(t, remove(s, "game"))
	must(t, s.Create("game", ""))
	if id("game") == first {
		t.Error("the new project has the old id")
	}
}

// A folder made by hand has none until it needs one; what is no id is none.
func TestEnsureID(t *testing.T) {
	p := testProject(t)
	for _, there := range []string{"", "x\n", "0123456789abcdef0123456789abcde\n", "0123456789abcdef0123456789abcdef\nmore\n", "link"} {
		must(t, os.RemoveAll(p.path(idName)))
		switch there {
		case "":
		case "link":
			must(t, os.Symlink(MainDoc, p.path(idName)))
		default:
			write(t, p.path(idName), there)
		}
		if id, err := p.ID(); err != nil || id != "" {
			t.Errorf("%q: %q %v", there, id, err)
		}
		made, err := p.EnsureID()
		must(t, err)
		again, err := p.EnsureID()
		must(t, err)
		read, err := p.ID()
		must(t, err)
		if made == "" || made != again || made != read {
			t.Errorf("%q: made %q, then %q, read %q", there, made, again, read)
		}
	}
	before, _ := p.ID()
	_, err := p.Change(p.Root(), "doc-x.md", func(*os.File) ([]byte, error) { return nil, p.RenewID() })
	must(t, err)
	if after, _ := p.ID(); after == before || after == "" {
		t.Errorf("%q, then %q", before, after)
	}
}
