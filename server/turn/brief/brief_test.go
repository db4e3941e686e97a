package brief

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/history"
	"vibey/server/project"
	"vibey/tools/codebase"
)

// What stands before a prompt follows from the files and from the dialog: the System
// section at first, then a Note of each thing that has changed since, and nothing twice.
func TestPrompt(t *testing.T) {
	now := func() time.Time { return time.Date(2026, 2, 16, 20, 11, 0, 0, time.UTC) }
	root := t.TempDir()
	store, err := project.Open(root, project.Options{Now: now, Log: slog.New(slog.DiscardHandler), Template: func(string) string { return "# p\n" }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	if err := store.Create("p", ""); err != nil {
		t.Fatal(err)
	}
	p, err := store.Project("p")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, "p", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d := dialog.Parse("# Dialog\n> Provider: m\n> Model: x\n> Status: active\n> Started: 2026-02-16T20:11:00Z\n")
	s := &Sources{
		Project: p, Dialog: d, Now: now, Deeds: new(codebase.Cache),
		Offer: func(grant.Rules, string) ([]history.ToolSpec, []string, error) {
			return []history.ToolSpec{{Name: "read_file", Description: "Reads.", Schema: `{"type":"object","properties":{}}`}}, []string{"a server\nis off"}, nil
		},
		Wish: func(string) (dialog.Section, bool) { return dialog.Section{}, false },
	}
	for _, c := range []struct{ file, text, attached, want string }{
		{"doc-main.md", "# Shop\n", "", "System; Note project: a server is off"},
		{"", "", "", ""},
		{"doc-main.md", "# Garden\n", "", "Note doc-change: # Garden"},
		{"deed/index.html", "<p>", "", "Note codebase: index.html"},
		{"deed/AGENTS.md", "Be brief.", "", "Note codebase: Be brief.; Note codebase: AGENTS.md"},
		{"doc-plan.md", "# Plan\n\n## Decisions\n\n- **Tone**: warm {confidence=user}\n", "", "Note plan: Tone"},
		{"", "", "a.txt", "Note attached: a.txt"},
		{"doc-main.md", "# Garden\n\nəəəproject/v1\nbudget none\nəəə\n", "", "Note doc-change: budget none"},
	} {
		if c.file != "" {
			write(c.file, c.text)
		}
		secs, err := s.Prompt(c.attached)
		if err != nil {
			t.Fatal(err)
		}
		wants := strings.Split(c.want, "; ")
		if c.want == "" {
			wants = nil
		}
		if len(secs) != len(wants) {
			t.Errorf("%s %q: %d sections, want %q", c.file, c.text, len(secs), c.want)
		}
		for i, sec := range secs {
			t.Logf("%s %s: %.60q", sec.Role, sec.Kind(), sec.Text())
			if i >= len(wants) {
				break
			}
			head, text, _ := strings.Cut(wants[i], ": ")
			if got := strings.TrimSpace(string(sec.Role) + " " + sec.Kind()); got != head || !strings.Contains(sec.Text(), text) {
				t.Errorf("%s %q: %s with %q, want %s", c.file, c.text, got, sec.Text(), wants[i])
			}
		}
		for _, sec := range secs {
			d.Append(sec)
		}
	}
	if secs, err := s.System(); len(secs) != 0 || err != nil {
		t.Errorf("told again: %v, %v", secs, err)
	}
}
