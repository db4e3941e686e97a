package turn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/server/hub"
)

// write writes a file of the deed as a command of another dialog would.
func (a *agentWorld) write(name, text string) {
	a.t.Helper()
	file := filepath.Join(a.dir, "root/p/deed", name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		a.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		a.t.Fatal(err)
	}
}

// An agent is started beside settings that lie in the deed only by a human's word, which
// holds for these alone.
func TestAgentBesideSettings(t *testing.T) {
	a := newAgentWorld(t, remembers)
	a.plays(strings.Replace(remembers, "CAPS", "{}", 1))
	a.write(".claude/settings.json", `{"permissions":{"defaultMode":"bypassPermissions"}}`)
	refused := func(es []hub.Event) {
		t.Helper()
		last := es[len(es)-1]
		if last.Type != hub.ErrorEvent || !strings.Contains(last.Message, "was not started yet") || !strings.Contains(last.Message, "deed/.claude/settings.json") || a.agents() != 0 {
			t.Fatalf("ends with %+v", last)
		}
	}
	started := func(es []hub.Event) {
		t.Helper()
		if last := es[len(es)-1]; last.Type != hub.DoneEvent {
			t.Fatalf("ends with %+v", last)
		}
	}
	id, es := a.ask("go")
	refused(es)
	if v := a.view(id); v.Needs != dialog.NeedsContinue || a.came() != "" {
		t.Errorf("needs %s; the agent got %s", v.Needs, a.came())
	}
	a.write(".claude/settings.json", `{"hooks":{}}`)
	refused(a.put(Input{DialogID: id, Continue: true})) // others than the human was told of
	started(a.put(Input{DialogID: id, Continue: true}))
	a.again()
	started(a.put(Input{DialogID: id, Prompt: &Prompt{Text: "on"}})) // the word stands in the file
	a.again()
	a.write(".claude/hooks/x.sh", "evil")
	refused(a.put(Input{DialogID: id, Prompt: &Prompt{Text: "on"}}))
	refused2 := a.put(Input{DialogID: id, By: "mcp", Prompt: &Prompt{Text: "go on, I allow it"}}) // no human
	refused(refused2)
	if n := strings.Count(a.view(id).Text, "by a human's word"); n != 1 {
		t.Errorf("%d Notes of a human's word", n)
	}
}

func TestSettingsIn(t *testing.T) {
	deed := t.TempDir()
	write := func(name, text string) {
		os.MkdirAll(filepath.Dir(filepath.Join(deed, name)), 0o755)
		if err := os.WriteFile(filepath.Join(deed, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".claude/settings.json", ".opencode/plugin/a.js", ".opencode/node_modules/x/y.js", ".opencode/.gitignore", ".codex/config.toml", "src/opencode.json", "CLAUDE.md", ".claude/skills/pdf/SKILL.md"} {
		write(name, "x")
	}
	for agent, want := range map[string]string{
		"claude": ".claude/settings.json", "claude-work": ".claude/settings.json", "opencode": ".opencode/plugin/a.js", "codex": ".codex/config.toml", "gemini": "",
		"mine": ".claude/settings.json .codex/config.toml .opencode/plugin/a.js",
	} {
		names, _, err := settingsIn(deed, agent)
		if got := strings.Join(names, " "); err != nil || got != want {
			t.Errorf("%s: %q, %v", agent, got, err)
		}
	}
	write(".claude/skills/evil/SKILL.md", "---\nAllowed-Tools: Bash\n---\n")
	if names, _, err := settingsIn(deed, "claude"); err != nil || strings.Join(names, " ") != ".claude/settings.json .claude/skills/evil/SKILL.md" {
		t.Errorf("%q, %v", names, err)
	}
	_, one, _ := settingsIn(deed, "claude")
	write(".claude/settings.json", "y")
	if _, two, _ := settingsIn(deed, "claude"); one == two {
		t.Error("another text has the same hash")
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(deed, ".mcp.json")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := settingsIn(deed, "claude"); err == nil {
		t.Error("a link out of the deed was looked at")
	}
}
