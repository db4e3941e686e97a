package project

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
)

// then is the moment at which all tests happen.
var then = time.Date(2026, 2, 16, 20, 11, 0, 0, time.UTC)

func testStore(t testing.TB) *Store { return storeIn(t, t.TempDir()) }

func storeIn(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(filepath.Join(dir, "vibey"), Options{
		Now:      func() time.Time { return then },
		Template: func(name string) string { return "# " + name + "\n\nDescribe the deed here.\n" },
		Summarize: func(project, id string, st dialog.Status, d *dialog.Dialog, g *dialog.Digest) Summary {
			s := Summary{Needs: string(dialog.NeedsNone), Title: g.Title, Words: g.Words}
			if d != nil {
				s.Needs = string(grant.Needs(d, st, grant.Decide(d, grant.Of(d, grant.Authority{}), grant.Policy{})))
			}
			return s
		},
	})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func testProject(t testing.TB) *Project {
	t.Helper()
	s := testStore(t)
	must(t, s.Create("game", ""))
	p, err := s.Project("game")
	must(t, err)
	return p
}

// quickProject is one in memory where the system has such a folder, for tests
// that sync some thousand times.
func quickProject(t testing.TB) *Project {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "vibey-\xff[-") // a name of any bytes
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := storeIn(t, dir)
	must(t, s.Create("game", ""))
	p, err := s.Project("game")
	must(t, err)
	return p
}

// again is the same project after a restart of the program.
func again(t testing.TB, p *Project) *Project {
	t.Helper()
	s, err := Open(p.store.path, p.store.o)
	must(t, err)
	t.Cleanup(func() { s.Close() })
	q, err := s.Project(p.name)
	must(t, err)
	return q
}

func (p *Project) path(name string) string { return filepath.Join(p.store.path, p.name, name) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o644))
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return string(b)
}

// section makes one as a turn would, numbered so that ids differ.
func section(role dialog.Role, n int, text string) dialog.Section {
	types := map[dialog.Role]string{
		dialog.User: dialog.InputMarkdown, dialog.Assistant: dialog.OutputMarkdown, dialog.Note: dialog.NoteMarkdown,
		dialog.ToolRequest: dialog.ToolInput, dialog.ToolResult: dialog.ToolResultJSON, dialog.Reasoning: dialog.ReasoningMarkdown,
	}
	s := dialog.Section{
		Role: role, ID: "id_" + strconv.Itoa(n), Time: dialog.Span(then, then),
		Payloads: []dialog.Payload{{Type: types[role], Text: text}},
	}
	switch role {
	case dialog.ToolRequest:
		s.Meta = dialog.Fields{{Key: "Tool", Value: "run_command"}, {Key: "Status", Value: dialog.CallPending}}
	case dialog.ToolResult:
		s.Meta = dialog.Fields{{Key: "Tool", Value: "run_command"}, {Key: "Status", Value: dialog.CallApproved}}
	}
	return s
}

func header(st dialog.Status) dialog.Header {
	return dialog.Header{Provider: "openai", Model: "gpt-5", Status: st}
}

// started is a fresh active dialog with a User section.
func started(t testing.TB, p *Project) *DialogFile {
	t.Helper()
	f, err := p.NewDialog("read vibey", then, header(dialog.Active), []dialog.Section{section(dialog.User, 1, "Please read vibey.md.")})
	must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// killed lets go of a dialog as the kernel does for a killed process: the lock
// is free, nothing else happened.
func killed(f *DialogFile) {
	g := f.p.enter(f.id)
	defer f.p.leave(f.id, g)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open != nil {
		f.open.file.Close()
		f.open = nil
	}
	g.holder = nil
	f.file.Close()
	f.file = nil
	f.lock.Drop() // the file stays
}

// wholeFile holds the value in memory against a fresh parse of the file.
func wholeFile(t testing.TB, f *DialogFile) {
	t.Helper()
	text := read(t, f.p.path(f.Filename()))
	if got := dialog.Format(f.Dialog()); got != text {
		t.Fatalf("the value in memory is not the file:\n--- value\n%s\n--- file\n%s", got, text)
	}
	if int64(len(text)) != f.Size() {
		t.Fatalf("Size() = %d, the file has %d bytes", f.Size(), len(text))
	}
	d := dialog.Parse(text)
	if len(d.Sections) != len(f.Dialog().Sections) {
		t.Fatalf("%d sections in memory, %d in the file", len(f.Dialog().Sections), len(d.Sections))
	}
}

// whole takes what Snapshot returns, where nothing is left out.
func whole(t *testing.T) func(leftOut []LeftOut, err error) {
	return func(leftOut []LeftOut, err error) {
		t.Helper()
		must(t, err)
		if len(leftOut) > 0 {
			t.Errorf("left out: %q", leftOut)
		}
	}
}

// remove deletes a project that has no agents.
func remove(s *Store, name string) error { return s.Delete(name, func() error { return nil }) }
