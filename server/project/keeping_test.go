package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/tools/disk"
)

// What was replaced is kept as a copy, which is new there however old the file was, and
// which may be read by no more users than the file.
func TestReplacedFileIsCopied(t *testing.T) {
	p := testProject(t)
	write(t, p.path("doc-a.md"), "old")
	must(t, os.Chmod(p.path("doc-a.md"), 0o600))
	must(t, os.Chtimes(p.path("doc-a.md"), then, then))
	must(t, os.Link(p.path("doc-a.md"), p.path("deed/other")))
	agentWrites(t, p, "doc-a.md", "new")
	kept, err := os.Stat(filepath.Join(p.path(keptName), dialog.SHA256("old")))
	must(t, err)
	if !kept.ModTime().After(then) {
		t.Error("it is as old as its last change, and would go first")
	}
	if kept.Mode() != 0o600 {
		t.Errorf("its mode is %s", kept.Mode())
	}
	write(t, p.path("deed/other"), "changed by its other name")
	if b, err := p.Kept(dialog.SHA256("old")); string(b) != "old" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	must(t, p.Remove(p.Root(), "doc-a.md", func(*os.File) error { return nil }))
	if b, err := p.Kept(dialog.SHA256("new")); string(b) != "new" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}

// A write that fails leaves the file as it was.
func TestFailedWriteLeavesTheFile(t *testing.T) {
	p := testProject(t)
	agentWrites(t, p, "doc-a.md", "old")
	must(t, os.MkdirAll(p.path(disk.TempName("doc-a.md")+"/x"), 0o755)) // in the way of the new bytes
	_, err := p.Change(p.Root(), "doc-a.md", func(*os.File) ([]byte, error) { return []byte("new"), nil })
	if err == nil {
		t.Fatal("written")
	}
	if read(t, p.path("doc-a.md")) != "old" {
		t.Errorf("%q", read(t, p.path("doc-a.md")))
	}
}

// An editor that saves while the bytes are being kept loses nothing: what it saved is
// kept too.
func TestSaveBesideKeeping(t *testing.T) {
	p := testProject(t)
	agentWrites(t, p, "doc-a.md", "one")
	first := true
	_, err := p.Change(p.Root(), "doc-a.md", func(old *os.File) ([]byte, error) {
		if first {
			first = false
			write(t, p.path("doc-a.md.new"), "two")
			must(t, os.Rename(p.path("doc-a.md.new"), p.path("doc-a.md")))
		}
		return []byte("three"), nil
	})
	must(t, err)
	if b, err := p.Kept(dialog.SHA256("two")); string(b) != "two" || err != nil || read(t, p.path("doc-a.md")) != "three" {
		t.Errorf("%q, %v", b, err)
	}
}

// A program that had the file open does not change what is kept. What another program
// changed there is not given out, and is kept anew.
func TestKeptThatWasChanged(t *testing.T) {
	p := testProject(t)
	agentWrites(t, p, "doc-a.md", "old")
	f, err := os.OpenFile(p.path("doc-a.md"), os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	defer f.Close()
	agentWrites(t, p, "doc-a.md", "new")
	_, err = f.WriteString(" and more")
	must(t, err)
	if b, err := p.Kept(dialog.SHA256("old")); string(b) != "old" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	write(t, filepath.Join(p.path(keptName), dialog.SHA256("old")), "other")
	if b, err := p.Kept(dialog.SHA256("old")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%q, %v", b, err)
	}
	agentWrites(t, p, "doc-a.md", "old")
	agentWrites(t, p, "doc-a.md", strings.Repeat("new", 2))
	if b, err := p.Kept(dialog.SHA256("old")); string(b) != "old" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}
