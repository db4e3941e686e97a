package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/dialog"
)

// contentsOf is what a folder holds, each file with its bytes.
func contentsOf(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		b.WriteString(strings.TrimPrefix(path, dir) + "\n" + string(text) + "\n")
		return err
	}))
	return b.String()
}

// Who holds a folder open that was unmounted, moved or renamed could write there, where
// nobody finds it: nothing is written, and after it is back everything is, without a restart.
func TestNothingIsWrittenAway(t *testing.T) {
	const waits = "20260216-201100-waits"
	acts := []struct {
		what string
		do   func(p *Project, f *DialogFile) error
	}{
		{"save", func(p *Project, _ *DialogFile) error { _, err := p.WriteFile("doc-a.md", "x", ""); return err }},
		{"delete", func(p *Project, _ *DialogFile) error { return p.DeleteFile(MainDoc, "") }},
		{"keep", func(p *Project, _ *DialogFile) error { return p.Keep([]byte("x")) }},
		{"begin", func(p *Project, _ *DialogFile) error {
			f, err := p.NewDialog("new", then, header(dialog.Active), nil)
			if err == nil {
				err = f.Close()
			}
			return err
		}},
		{"open", func(p *Project, _ *DialogFile) error {
			f, err := p.OpenDialog(waits)
			if err == nil {
				err = f.Close()
			}
			return err
		}},
		{"mail", func(p *Project, _ *DialogFile) error {
			return p.Insert(waits, func(func(string) bool) (dialog.Section, bool) { return section(dialog.Note, 7, "mail"), true })
		}},
		{"append", func(_ *Project, f *DialogFile) error { return f.Append(section(dialog.Note, 2, "more")) }},
		{"respond", func(_ *Project, f *DialogFile) error { _, err := f.OpenResponse(); return err }},
		{"end", func(_ *Project, f *DialogFile) error { return f.SetStatus(dialog.Waiting) }},
		{"save a dialog", func(p *Project, _ *DialogFile) error {
			_, err := p.WriteFile("dialog-"+waits+"-waiting.md", "# Dialog\n", "")
			return err
		}},
		{"let go of it", func(_ *Project, f *DialogFile) error { return f.Close() }},
		{"make a project", func(p *Project, _ *DialogFile) error { return p.store.Create("other", "") }},
		{"delete the project", func(p *Project, _ *DialogFile) error { return remove(p.store, p.name) }},
	}
	away := func(from, to string, instead bool) func(*testing.T, *Project) (string, func()) {
		return func(t *testing.T, p *Project) (string, func()) {
			from := strings.ReplaceAll(from, "ROOT", p.store.path)
			to := strings.ReplaceAll(to, "ROOT", p.store.path)
			must(t, os.Rename(from, to))
			if instead { // as an unmounted disk shows what lies below it
				must(t, os.Mkdir(from, 0o755))
			}
			return strings.Replace(p.store.path, from, to, 1), func() {
				if instead {
					must(t, os.Remove(from))
				}
				must(t, os.Rename(to, from))
			}
		}
	}
	for what, way := range map[string]func(*testing.T, *Project) (root string, back func()){
		"the folder of projects is moved": away("ROOT", "ROOT-moved", false),
		"it is unmounted":                 away("ROOT", "ROOT-moved", true),
		"the project is renamed":          away("ROOT/game", "ROOT/renamed", false),
		"the project is moved":            away("ROOT/game", "ROOT-moved", false),
		"another has the project's name":  away("ROOT/game", "ROOT-moved", true),
		"what is kept beside them is moved": func(t *testing.T, p *Project) (string, func()) {
			p.store.o.Stands = func() error { return &AwayError{What: "the state dir"} }
			return p.store.path, func() { p.store.o.Stands = func() error { return nil } }
		},
	} {
		t.Run(what, func(t *testing.T) {
			p := testProject(t)
			f := started(t, p)
			write(t, p.path("dialog-"+waits+"-waiting.md"), "# Dialog\n> DialogId: "+waits+"\n> Status: waiting\n")
			root, back := way(t, p)
			before := contentsOf(t, root)
			for _, act := range acts {
				switch act.what {
				case "let go of it": // once
					continue
				case "make a project", "delete the project": // by its name: not this folder
					if strings.Contains(what, "project ") || strings.Contains(what, "project's") {
						continue
					}
				}
				if err := act.do(p, f); !errors.Is(err, ErrAway) {
					t.Errorf("%s: %v", act.what, err)
				}
				if now := contentsOf(t, root); now != before {
					t.Fatalf("%s changed\n%s\ninto\n%s", act.what, before, now)
				}
			}
			back()
			for _, act := range acts {
				if err := act.do(p, f); err != nil {
					t.Errorf("back again, %s: %v", act.what, err)
				}
			}
		})
	}
}

// What went away between a write and its end is not acknowledged, and taken back where
// the folder can still be written.
func TestNothingIsAcknowledgedAway(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	before := read(t, p.path(f.Filename()))
	asked := 0
	p.store.o.Stands = func() error {
		if asked++; asked == 1 {
			return nil
		}
		return &AwayError{What: "the state dir"}
	}
	if err := f.Append(section(dialog.Note, 2, "lost")); !errors.Is(err, ErrAway) {
		t.Errorf("append: %v", err)
	}
	asked = 0
	if _, err := p.NewDialog("new", then, header(dialog.Waiting), nil); !errors.Is(err, ErrAway) {
		t.Errorf("begin: %v", err)
	}
	p.store.o.Stands = func() error { return nil }
	if now := read(t, p.path(f.Filename())); now != before || len(f.Dialog().Sections) != 1 {
		t.Errorf("%d sections in\n%s", len(f.Dialog().Sections), now)
	}
	if names, err := p.Files(); err != nil || len(names) != 2 {
		t.Errorf("%v, %v", names, err)
	}
	must(t, f.Append(section(dialog.Note, 2, "kept")))
}

// A project that was removed did not go away: it is not found, and can be made again.
func TestRemovedIsNotAway(t *testing.T) {
	p := testProject(t)
	must(t, os.RemoveAll(p.path("")))
	if err := p.Stands(); err != nil {
		t.Error(err)
	}
	if _, err := p.store.Project(p.name); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	must(t, p.store.Create(p.name, ""))
}
