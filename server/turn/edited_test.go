package turn

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/provider"
	"vibey/provider/anthropic"
	"vibey/provider/providertest"
	"vibey/server/project"
)

// logbook keeps what the runner logs, in which no panic may be but a wanted one.
type logbook struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logbook) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (w *world) log() *logbook {
	l := &logbook{}
	w.run.w.Log = slog.New(slog.NewTextHandler(l, nil))
	return l
}

// quick puts a test's folders into memory where the system has such a place:
// some sync thousands of times.
func quick(t testing.TB) {
	if _, err := os.Stat("/dev/shm"); err == nil {
		t.(*testing.T).Setenv("TMPDIR", "/dev/shm")
	}
}

// file is the dialog's file as it stands under whatever status.
func (w *world) file(id string) string {
	w.t.Helper()
	for _, st := range []dialog.Status{dialog.Active, dialog.Waiting, dialog.Done} {
		name := filepath.Join(w.dir, "root/p", dialog.Filename(id, st))
		if _, err := os.Stat(name); err == nil {
			return name
		}
	}
	return filepath.Join(w.dir, "root/p", dialog.Filename(id, dialog.Active))
}

// goesOn sends one message and holds what the model is asked against a strict
// validator. Whatever was done to the file, this must work.
func (w *world) goesOn(id string) {
	w.t.Helper()
	w.script.mu.Lock()
	before := len(w.script.reqs)
	w.script.mu.Unlock()
	_, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Provider: "claude", Model: "m", Prompt: &Prompt{Text: "and now?"}})
	if err != nil {
		w.t.Errorf("a message is refused: %v", err)
		return
	}
	w.drain(sub)
	if len(w.script.reqs) == before {
		w.t.Error("a message asks nobody")
		return
	}
	for i := before; i < len(w.script.reqs); i++ {
		if err := providertest.Validate("messages", providertest.Request(anthropic.New(provider.Config{}), &w.script.reqs[i])); err != nil {
			w.t.Errorf("request %d: %v", i, err)
		}
	}
}

func (w *world) project() *project.Project {
	w.t.Helper()
	p, err := w.run.w.Store.Project("p")
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// cut takes whole sections out of a dialog's text.
func cut(text string, out func(i int, s *dialog.Section) bool) string {
	d := dialog.Parse(text)
	b := dialog.AppendHeader(nil, &d.Header)
	for i := range d.Sections {
		if !out(i, &d.Sections[i]) {
			b = dialog.AppendSection(b, &d.Sections[i])
		}
	}
	return string(b)
}

// edits are what somebody does in an editor while a call runs or is about to.
// before is the text that it had before the approval.
var edits = map[string]func(text, before string) string{
	"nothing":                   func(text, _ string) string { return text },
	"a word to an early answer": func(text, _ string) string { return strings.Replace(text, "Hello.", "Hello there.", 1) },
	"old turns removed": func(text, _ string) string {
		return cut(text, func(i int, s *dialog.Section) bool { return i < 8 && s.Role != dialog.System })
	},
	"all removed before the call": func(text, _ string) string {
		return cut(text, func(i int, s *dialog.Section) bool { return i < 10 && s.Role != dialog.ToolRequest })
	},
	"the call removed": func(text, _ string) string {
		return cut(text, func(_ int, s *dialog.Section) bool { return s.Role == dialog.ToolRequest })
	},
	"the call's bytes changed": func(text, _ string) string {
		return strings.Replace(text, `"content":"once"`, `"content":"evil"`, 1)
	},
	"the call doubled": func(text, _ string) string {
		d := dialog.Parse(text)
		i := d.Find(dialog.ToolRequest, "c1")
		return text + d.Encode(d.Sections[i])
	},
	"the approval removed": func(text, _ string) string {
		return cut(text, func(_ int, s *dialog.Section) bool { return s.Role == dialog.Authorization })
	},
	"a result by hand": func(text, _ string) string {
		return text + "\n## Tool Result\n> Id: c1\n> Time: 2026-02-16T20:11:00Z - 2026-02-16T20:11:00Z\n> Resources: in=0 out=0 total=0 tools=0 ms=0\n> Tool: write_file\n> Status: approved\n\nəəətool/result/json\n{\"success\":true}\nəəə\n"
	},
	"what stood before the approval": func(_, before string) string { return before },
	"nothing but a head":             func(text, _ string) string { return text[:strings.Index(text, "\n## ")+1] },
	"emptied":                        func(_, _ string) string { return "" },
	"another text":                   func(_, _ string) string { return "notes of mine\n" },
}

// An editor saves at any moment of an approved call. Nothing panics, what runs
// is what was approved, it runs once, its result is in the file or beside it,
// and one message is enough to go on.
func TestEditedUnderACall(t *testing.T) {
	testenv.Slow(t)
	quick(t)
	step := testenv.Stride(t, 7)
	for name, edit := range edits {
		for i, how := range []string{"in place", "by renaming", "removed first"} {
			for moment := i % step; moment < 16; moment += step {
				approved := (i+moment)%2 > 0
				w := newWorld(t, &script{answers: [][]provider.Event{
					text("Hello."), text("Hello again."), text("What now?"),
					{provider.Text{Piece: "May I?"}, write("c1", "deed/a.txt", "once"), write("c2", "deed/b.txt", "two")}, text("Done."), text("Done."), text("Done."),
				}})
				log := w.log()
				underEdit(t, w, approved, moment, how, edit)
				if t.Failed() || strings.Contains(log.String(), "panic") {
					t.Fatalf("%s, %s, approved before %v, at moment %d:\n%s", name, how, approved, moment, log)
				}
				w.run.Shutdown(context.Background())
			}
		}
	}
}

func underEdit(t *testing.T, w *world, approved bool, moment int, how string, edit func(text, before string) string) {
	id, _ := w.start("hi")
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "again"}})
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "and again"}})
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "write"}})
	in := Input{Project: w.p(), DialogID: id, Control: control("c1 approve\nc2 approve")}
	if approved { // and then the server was killed
		f, err := w.project().OpenDialog(id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.run.turn(f, in).control(*in.Control, ""); err != nil {
			t.Fatal(err)
		}
		f.Close()
		in.Control, in.Continue = nil, true
	}
	before := w.view(id).Text

	// The clock is asked at each step, and the home of commands in the midst of a call.
	step, ran := 0, map[string]int{}
	meddle := func() {
		if step++; step != moment+1 {
			return
		}
		path := w.file(id)
		text, err := os.ReadFile(path)
		if err != nil {
			return
		}
		text = []byte(edit(string(text), before))
		switch how {
		case "by renaming":
			os.WriteFile(path+"~", text, 0o644)
			os.Rename(path+"~", path)
		case "removed first":
			os.Remove(path)
			fallthrough
		default:
			os.WriteFile(path, text, 0o644)
		}
	}
	var mu sync.Mutex
	w.run.w.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); meddle(); return w.now }
	home := w.run.w.Home
	w.run.w.Home = func(p string, network bool) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		b, err := os.ReadFile(w.file(id))
		if err != nil {
			t.Error(err)
		}
		for _, c := range w.run.Decide(in.Project, id, dialog.Parse(string(b))) {
			if c.Started {
				ran[c.ID]++
				if c.Verdict != grant.Run || c.ID == "c1" && !strings.Contains(c.Input, "once") {
					t.Errorf("%s runs, and the file says %+v", c.ID, c)
				}
				meddle()
				return home(p, network)
			}
		}
		t.Error("a call runs that does not stand in the file")
		meddle()
		return home(p, network)
	}
	_, sub, err := w.run.Put(context.Background(), in)
	if err == nil && sub != nil {
		w.drain(sub)
	}
	w.run.w.Now = func() time.Time { return w.now }
	for range 2 { // nothing of what ran runs again
		if _, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Continue: true}); err == nil && sub != nil {
			w.drain(sub)
		}
	}
	if b, _ := os.ReadFile(filepath.Join(w.dir, "root/p/deed/a.txt")); string(b) != "once" && len(b) > 0 {
		t.Errorf("what ran is %q", b)
	}
	for id, n := range ran {
		if n > 1 {
			t.Errorf("%s ran %d times", id, n)
		}
	}
	told := map[string]bool{}
	files, _ := filepath.Glob(filepath.Join(w.dir, "root/p/dialog-*.md"))
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		d := dialog.Parse(string(b))
		for i := range d.Sections {
			if s := &d.Sections[i]; s.Role == dialog.ToolResult && strings.Contains(s.Text(), `"sha256"`) {
				told[s.ID] = true
			}
		}
	}
	for call := range ran {
		if !told[call] {
			t.Errorf("%s ran, and no file has its result", call)
		}
	}
	w.goesOn(id)
	if open, _ := filepath.Glob(filepath.Join(w.dir, "root/p/.*.open")); len(open) > 0 {
		t.Errorf("left: %v", open)
	}
}
