package turn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/provider"
)

// deed writes a file of the deed, or removes it where text is "".
func (w *world) deed(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, "root/p/deed", name)
	err := os.Remove(path)
	if text != "" {
		if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// What the deed tells agents stands below doc-main.md, and once; a change is told before
// the next message.
func TestInstructionsAreTold(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{text("1"), text("2"), text("3"), text("4"), text("5"), text("6"), text("7")}})
	w.deed("AGENTS.md", "Run make.\n")
	w.deed(".claude/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fill in forms.\n---\n")
	id, _ := w.start("go")
	system, _ := history.System(w.view(id).Dialog)
	doc, rest, _ := strings.Cut(system, "[end of doc-main.md]")
	agents, rest, ok := strings.Cut(rest, "[CODEBASE — deed/]")
	if !ok || !strings.Contains(doc, "# p") || !strings.Contains(agents, "\n\nRun make.\n\n[end of deed/AGENTS.md") ||
		!strings.Contains(agents, "\n- pdf (deed/.claude/skills/pdf/SKILL.md): Fill in forms.") || strings.Contains(rest, "Run make") {
		t.Errorf("%s", system)
	}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "same"}})
	w.deed("AGENTS.md", "Run just.\n")
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "changed"}})
	w.deed("AGENTS.md", "")
	w.deed(".claude/skills/pdf/SKILL.md", "")
	w.restart()
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "gone"}})
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "same"}})
	d := w.view(id).Dialog
	var told []string
	for i := range d.Sections {
		if s := &d.Sections[i]; s.Role == dialog.Note && s.Meta.Has("Instructions") {
			told = append(told, s.Kind()+": "+s.Text())
		}
	}
	if len(told) != 2 || !strings.Contains(told[0], "[INSTRUCTIONS CHANGED]") || !strings.Contains(told[0], "\n\nRun just.\n") || !strings.Contains(told[1], "no AGENTS.md and no skills any more") {
		t.Errorf("%q", told)
	}
	legal(t, d)
}

// A Summary keeps what was told last of each: what the deed holds, and what it tells.
func TestSummaryKeepsInstructions(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{text("1"), text("2"), text("3"), text("4"), text("5"), text("6"), text("7"), text("8")}})
	id, _ := w.start("go")
	w.deed("AGENTS.md", "Run just.\n")
	for range 6 {
		w.put(Input{DialogID: id, Prompt: &Prompt{Text: "on"}})
	}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "once more"}, Compact: true})
	d := w.view(id).Dialog
	i := -1
	for k := range d.Sections {
		if d.Sections[k].Role == dialog.Summary {
			i = k
		}
	}
	if i < 0 || !strings.Contains(d.Sections[i].Text(), "Run just.") || !strings.Contains(d.Sections[i].Text(), "[CODEBASE CHANGED]") {
		t.Errorf("%s", sections(d))
	}
}
