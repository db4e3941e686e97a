package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vibey/dialog"
	"vibey/tools/disk"
)

// names that must not reach a file, as a document's and as a project's.
var badNames = []string{
	"", ".", "..", "/", "../secret.md", "..%2fsecret.md", "/etc/passwd", "/etc/passwd.md", "a/b.md", `a\b.md`, "deed/x.md",
	"./doc-main.md", "doc-main.md/", "doc-main.md/.", "doc-main.md\x00", "doc\x00.md", "doc-main.md\n", " doc-main.md", "doc main.md",
	"a..md", "..md", "a..b.md", ".md", ".hidden.md", "dóc.md", "doc\u2028.md", "doc.md.", "doc:x.md", "~.md", "*.md", "doc%00.md",
	"．．/secret.md", "con|x.md", "-", "doc.MD", "doc", strings.Repeat("a", 300) + ".md", "\xff.md", "doc\t.md",
}

func TestBadNames(t *testing.T) {
	p := testProject(t)
	secret := filepath.Join(filepath.Dir(p.store.path), "secret.md")
	write(t, secret, "secret")
	for _, n := range badNames {
		if _, err := p.ReadFile(n); !errors.Is(err, ErrName) {
			t.Errorf("ReadFile(%q): %v", n, err)
		}
		if _, err := p.WriteFile(n, "owned", ""); !errors.Is(err, ErrName) {
			t.Errorf("WriteFile(%q): %v", n, err)
		}
		if err := p.DeleteFile(n, ""); !errors.Is(err, ErrName) {
			t.Errorf("DeleteFile(%q): %v", n, err)
		}
		if n == "-" || n == "doc" || n == "doc.MD" || n == "doc.md." {
			continue // fine names for a project
		}
		if _, err := p.store.Project(n); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Project(%q): %v", n, err)
		}
		if err := p.store.Create(n, ""); !errors.Is(err, ErrName) {
			t.Errorf("Create(%q): %v", n, err)
		}
		if err := remove(p.store, n); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Delete(%q): %v", n, err)
		}
	}
	if got := read(t, secret); got != "secret" {
		t.Errorf("secret.md is now %q", got)
	}
	names, err := p.Files()
	must(t, err)
	projects, err := p.store.Projects()
	must(t, err)
	if len(names) != 1 || len(projects) != 1 {
		t.Errorf("made: %v, %v", names, projects)
	}
}

// What is not a plain file where one should be is not opened, followed, waited
// for, listed or written over.
func TestNotPlain(t *testing.T) {
	p := testProject(t)
	outside := filepath.Join(t.TempDir(), "secret.md")
	write(t, outside, "secret")
	id := "20260216-201100-trap"
	dialogName := dialog.Filename(id, dialog.Waiting)
	traps := map[string]func(path string) error{
		"link out":       func(path string) error { return os.Symlink(outside, path) },
		"link up":        func(path string) error { return os.Symlink("../../../"+filepath.Base(outside), path) },
		"link within":    func(path string) error { return os.Symlink(MainDoc, path) },
		"link to itself": func(path string) error { return os.Symlink(filepath.Base(path), path) },
		"dangling link":  func(path string) error { return os.Symlink("nothing.md", path) },
		"device by link": func(path string) error { return os.Symlink("/dev/zero", path) },
		"pipe":           func(path string) error { return unix.Mkfifo(path, 0o644) },
		"socket":         func(path string) error { return unix.Mknod(path, unix.S_IFSOCK|0o644, 0) },
		"folder":         func(path string) error { return os.Mkdir(path, 0o755) },
	}
	for what, make := range traps {
		t.Run(what, func(t *testing.T) {
			for _, n := range []string{"doc-trap.md", dialogName} {
				must(t, make(p.path(n)))
				if f, err := p.ReadFile(n); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("ReadFile: %+v, %v", f, err)
				}
				if _, err := p.WriteFile(n, "owned", ""); !errors.Is(err, ErrNotPlain) || !errors.Is(err, fs.ErrExist) {
					t.Errorf("WriteFile: %v", err)
				}
				if err := p.DeleteFile(n, ""); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("DeleteFile: %v", err)
				}
			}
			if d, err := p.ReadDialog(id); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("ReadDialog: %+v, %v", d, err)
			}
			if _, err := p.OpenDialog(id); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("OpenDialog: %v", err)
			}
			names, err := p.Files()
			must(t, err)
			infos, err := p.Dialogs()
			must(t, err)
			if len(names) != 1 || len(infos) != 0 {
				t.Errorf("listed: %v, %v", names, infos)
			}
			for _, n := range []string{"doc-trap.md", dialogName} {
				must(t, os.Remove(p.path(n)))
			}
			if got := read(t, outside); got != "secret" {
				t.Errorf("outside it says %q", got)
			}
		})
	}
}

// A trap set under a running dialog.
func TestTrapUnderRunning(t *testing.T) {
	p := testProject(t)
	outside := filepath.Join(t.TempDir(), "secret.md")
	write(t, outside, "secret")
	f := started(t, p)
	must(t, os.Remove(p.path(f.Filename())))
	must(t, os.Symlink(outside, p.path(f.Filename())))
	var taken *OverwrittenError
	if err := f.Append(section(dialog.Note, 2, "x")); !errors.As(err, &taken) || !taken.Gone || taken.Kept == "" {
		t.Errorf("Append: %v", err)
	}
	if got := read(t, outside); got != "secret" {
		t.Errorf("outside it says %q", got)
	}
}

// The temporary name and the open response's, taken by a link out.
func TestTrapUnderOwnNames(t *testing.T) {
	p := testProject(t)
	outside := filepath.Join(t.TempDir(), "secret.md")
	write(t, outside, "secret")
	f := started(t, p)
	must(t, os.Symlink(outside, p.path(disk.TempName("doc-x.md"))))
	must(t, os.Symlink(outside, p.path(dialog.OpenName(f.ID()))))
	_, err := p.WriteFile("doc-x.md", "x", "")
	must(t, err)
	o, err := f.OpenResponse()
	must(t, err)
	_, err = o.Write([]byte("owned"))
	must(t, err)
	must(t, f.AppendResponse())
	if got := read(t, outside); got != "secret" {
		t.Errorf("outside it says %q", got)
	}
}

// A link in the project folder's place, before and after it was opened.
func TestProjectFolderIsLink(t *testing.T) {
	p := testProject(t)
	s := p.store
	other := t.TempDir()
	write(t, filepath.Join(other, MainDoc), "other")
	must(t, s.Create("second", ""))
	for _, target := range []string{other, "second", ".", ".."} {
		path := filepath.Join(s.path, "linked")
		must(t, os.Symlink(target, path))
		if _, err := s.Project("linked"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a link to %s as a project: %v", target, err)
		}
		if err := remove(s, "linked"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a link to %s deleted as a project: %v", target, err)
		}
		if names, _ := s.Projects(); len(names) != 2 {
			t.Errorf("a link to %s is listed: %v", target, names)
		}
		must(t, os.Remove(path))
	}
	must(t, os.Rename(p.path(""), filepath.Join(s.path, "moved")))
	must(t, os.Symlink(other, filepath.Join(s.path, "game")))
	if _, err := s.Project("game"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link in an open project's place: %v", err)
	}
	if f, err := p.ReadFile(MainDoc); err != nil || f.Content == "other" {
		t.Errorf("the open project follows the link: %q, %v", f.Content, err)
	}
}
