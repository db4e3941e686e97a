package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vibey/dialog"
	"vibey/tools/disk"
)

// A replaced file is kept as it is, under another name, and is as new there as what was
// copied.
func TestReplacedFileIsLinked(t *testing.T) {
	p := testProject(t)
	write(t, p.path("doc-a.md"), "old")
	must(t, os.Chtimes(p.path("doc-a.md"), then, then))
	before, err := os.Stat(p.path("doc-a.md"))
	must(t, err)
	agentWrites(t, p, "doc-a.md", "new")
	kept := filepath.Join(p.path(keptName), dialog.SHA256("old"))
	after, err := os.Stat(kept)
	must(t, err)
	if !os.SameFile(before, after) || names(t, kept) != 1 {
		t.Errorf("copied, or with %d names", names(t, kept))
	}
	if !after.ModTime().After(then) {
		t.Error("it is as old as its last change, and would go first")
	}
	must(t, p.Remove(p.Root(), "doc-a.md", func(*os.File) error { return nil }))
	if b, err := p.Kept(dialog.SHA256("new")); string(b) != "new" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}

// One that has other names is copied, for by them it may be changed; so is one on a disk
// that gives no second name.
func TestReplacedFileIsCopied(t *testing.T) {
	p := testProject(t)
	write(t, p.path("doc-a.md"), "old")
	must(t, os.Link(p.path("doc-a.md"), p.path("deed/other")))
	agentWrites(t, p, "doc-a.md", "new")
	write(t, p.path("deed/other"), "changed by its other name")
	if b, err := p.Kept(dialog.SHA256("old")); string(b) != "old" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	elsewhere, err := os.MkdirTemp("/dev/shm", "vibey-test-")
	if err != nil {
		t.Log("there is no other disk")
		return
	}
	defer os.RemoveAll(elsewhere)
	write(t, filepath.Join(elsewhere, "b"), "far")
	root, err := os.OpenRoot(elsewhere)
	must(t, err)
	defer root.Close()
	_, err = p.Change(root, "b", func(*os.File) ([]byte, error) { return []byte("new"), nil })
	must(t, err)
	if b, err := p.Kept(dialog.SHA256("far")); string(b) != "far" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}

// A write that fails leaves the file with the one name that it had.
func TestFailedWriteLeavesNoSecondName(t *testing.T) {
	p := testProject(t)
	agentWrites(t, p, "doc-a.md", "old")
	must(t, os.MkdirAll(p.path(disk.TempName("doc-a.md")+"/x"), 0o755)) // in the way of the new bytes
	_, err := p.Change(p.Root(), "doc-a.md", func(*os.File) ([]byte, error) { return []byte("new"), nil })
	if err == nil {
		t.Fatal("written")
	}
	if read(t, p.path("doc-a.md")) != "old" || names(t, p.path("doc-a.md")) != 1 || keptNames(t, p) != nil {
		t.Errorf("%q with %d names, kept %q", read(t, p.path("doc-a.md")), names(t, p.path("doc-a.md")), keptNames(t, p))
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

// A program that had the file open can change what is kept; then that is not given out.
func TestKeptThatWasChanged(t *testing.T) {
	p := testProject(t)
	agentWrites(t, p, "doc-a.md", "old")
	f, err := os.OpenFile(p.path("doc-a.md"), os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	defer f.Close()
	agentWrites(t, p, "doc-a.md", "new")
	_, err = f.WriteString(" and more")
	must(t, err)
	if b, err := p.Kept(dialog.SHA256("old")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%q, %v", b, err)
	}
	agentWrites(t, p, "doc-a.md", "old")
	agentWrites(t, p, "doc-a.md", strings.Repeat("new", 2))
	if b, err := p.Kept(dialog.SHA256("old")); string(b) != "old" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}

func names(t *testing.T, path string) uint64 {
	t.Helper()
	info, err := os.Lstat(path)
	must(t, err)
	return uint64(info.Sys().(*syscall.Stat_t).Nlink)
}
