package agent

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vibey/provider/acp"
)

// Each place that the maker of an agent documents is asked about for that agent, started by
// whatever path, as a file and behind a link within the deed; every other text, name and
// place is another question, and one that leads out of the deed stops the start.
func TestSettingsOfEachAgent(t *testing.T) {
	for agent, files := range map[string][]string{
		"claude-agent-acp": {".claude/settings.json", ".claude/settings.local.json", ".claude/agents/a.md", ".claude/commands/c/d.md", ".claude/hooks/h.sh", ".mcp.json", ".lsp.json"},
		"claude-code-acp":  {".claude/settings.json", ".mcp.json"},
		"codex-acp":        {".codex/config.toml", ".codex/rules/default.rules", ".agents/plugins/p.json"},
		"gemini":           {".gemini/settings.json", ".gemini/.env", ".gemini/extensions/x/e.json", ".env"},
		"opencode":         {"opencode.json", "opencode.jsonc", ".opencode/plugin/a.js", ".opencode/agent/b.md", ".opencode/opencode.json"},
	} {
		for _, file := range files {
			for how, plant := range map[string]func(deed, at string) error{
				"a file":        func(deed, at string) error { return os.WriteFile(at, []byte("one"), 0o644) },
				"an empty file": func(deed, at string) error { return os.WriteFile(at, nil, 0o600) },
				"a link": func(deed, at string) error {
					to, err := filepath.Rel(filepath.Dir(at), filepath.Join(deed, "src/x"))
					return errors.Join(err, os.Symlink(to, at))
				},
			} {
				deed := t.TempDir()
				at := filepath.Join(deed, file)
				if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.Mkdir(filepath.Join(deed, "src"), 0o755), os.WriteFile(filepath.Join(deed, "src/x"), []byte("one"), 0o644)); err != nil {
					t.Fatal(err)
				}
				if names, _, err := namesIn(deed, agent); len(names) > 0 || err != nil {
					t.Errorf("%s with none: %q, %v", agent, names, err)
				}
				if err := plant(deed, at); err != nil {
					t.Fatal(err)
				}
				var hashes []string
				for _, command := range []string{agent, "/opt/some where/" + agent, agent + " --acp"} {
					found, err := settingsIn(deed, acp.Agent{Name: "any", Args: []string{strings.TrimSuffix(command, " --acp"), "--acp"}})
					if err != nil || !slices.Equal(found.names, []string{file}) {
						t.Errorf("%s, %s is %s: %q, %v", command, file, how, found.names, err)
					}
					hashes = append(hashes, found.hash)
				}
				if err := os.WriteFile(at, []byte("two"), 0o644); err != nil { // through the link, too
					t.Fatal(err)
				}
				if _, hash, err := namesIn(deed, agent); err != nil || slices.Contains(hashes, hash) {
					t.Errorf("%s, %s is %s: another text is not seen, %v", agent, file, how, err)
				}
				os.Remove(at)
				if err := os.Symlink("/etc/hostname", at); err != nil {
					t.Fatal(err)
				}
				if _, _, err := namesIn(deed, agent); err == nil {
					t.Errorf("%s, %s leads out of the deed, and it starts", agent, file)
				}
			}
		}
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
	for _, name := range []string{".claude/settings.json", ".opencode/plugin/a.js", ".opencode/node_modules/x/y.js", ".opencode/.gitignore", ".codex/config.toml", "src/opencode.json", "CLAUDE.md", ".claude/skills/pdf/SKILL.md", ".env"} {
		write(name, "x")
	}
	for agent, want := range map[string]string{
		"claude-agent-acp --x": ".claude/settings.json", "/opt/x/codex-acp claude": ".codex/config.toml", "opencode acp": ".opencode/plugin/a.js", "gemini --acp": ".env",
		"mine": ".claude .codex .env .opencode", "npx codex-acp": ".claude .codex .env .opencode", "mine --as claude-agent-acp": ".claude .codex .env .opencode", "codex-acp.sh": ".claude .codex .env .opencode",
	} {
		names, _, err := namesIn(deed, agent)
		if got := strings.Join(names, " "); err != nil || got != want {
			t.Errorf("%s: %q, %v", agent, got, err)
		}
	}
	write(".claude/skills/evil/SKILL.md", "---\nAllowed-Tools: Bash\n---\n")
	if names, _, err := namesIn(deed, "claude-agent-acp"); err != nil || strings.Join(names, " ") != ".claude/settings.json .claude/skills/evil/SKILL.md" {
		t.Errorf("%q, %v", names, err)
	}
	for name, text := range map[string]string{
		"a": "---\n\"allowed\\x2dtools\": Bash\n---\n", "b": " ---\nallowed-tools: Bash\n---\n", "c": "---\nhooks: [\n", "node_modules": "---\nhooks: {}\n---\n", "d/e": "---\nmodel: x\n---\n",
	} {
		write(".claude/skills/"+name+"/SKILL.md", text)
		if names, _, err := namesIn(deed, "claude-agent-acp"); err != nil || !slices.Contains(names, ".claude/skills/"+name+"/SKILL.md") {
			t.Errorf("%s: %q, %v", name, names, err)
		}
		os.RemoveAll(filepath.Join(deed, ".claude/skills", name))
	}
	write("lib/linked/SKILL.md", "---\nallowed-tools: Bash\n---\n")
	if err := os.Symlink("../../lib/linked", filepath.Join(deed, ".claude/skills/linked")); err != nil {
		t.Fatal(err)
	}
	if names, _, err := namesIn(deed, "claude-agent-acp"); err != nil || !slices.Contains(names, ".claude/skills/linked/SKILL.md") {
		t.Errorf("behind a link: %q, %v", names, err)
	}
	write(".claude/commands/a b.md", "x")
	write(".claude/commands/a\nb.md", "x")
	_, before, _ := namesIn(deed, "claude-agent-acp")
	write(".claude/commands/a\nb.md", "y")
	if _, after, _ := namesIn(deed, "claude-agent-acp"); before == after {
		t.Error("a file with an odd name is not looked at")
	}
	_, one, _ := namesIn(deed, "claude-agent-acp")
	write(".claude/settings.json", "y")
	if _, two, _ := namesIn(deed, "claude-agent-acp"); one == two {
		t.Error("another text has the same hash")
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(deed, ".mcp.json")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := namesIn(deed, "claude-agent-acp"); err == nil {
		t.Error("a link out of the deed was looked at")
	}
}

// Whatever stands at a hidden place of the top, or in a manifest, is asked about for a
// program that is not known: other names, other places, by whatever way it is changed.
func TestHiddenIn(t *testing.T) {
	deed := t.TempDir()
	at := func(name string) string { return filepath.Join(deed, name) }
	write := func(name, text string) {
		t.Helper()
		os.MkdirAll(filepath.Dir(at(name)), 0o755)
		if err := os.WriteFile(at(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, name string) {
		t.Helper()
		if err := os.Symlink(to, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(outside, []byte("x"), 0o755); err != nil {
		t.Fatal(err)
	}
	write("index.html", "x")
	write("src/.qwen/settings.json", "{}")
	write(".git/config", "x")
	if names, _, err := namesIn(deed, "mine"); err != nil || len(names) > 0 {
		t.Errorf("an ordinary deed: %q, %v", names, err)
	}
	for _, name := range []string{".qwen/settings.json", ".cursor/cli.json", ".kiro/agents/a.json", ".augment/rules/a.md", ".pi/extensions/a.ts", ".npmrc", ".GIT/config", "package.json", ".github/copilot/settings.json", ".github/hooks/a.json", ".vscode/mcp.json", ".gitattributes", ".never-heard-of", ".x/deep/er/and/deeper/y", "Package.json", "bunfig.toml", "mcp.json"} {
		_, before, _ := namesIn(deed, "mine")
		write(name, "one")
		names, after, err := namesIn(deed, "mine")
		top, _, _ := strings.Cut(name, "/")
		if err != nil || before == after || !slices.Contains(names, top) {
			t.Errorf("%s: %q, %v", name, names, err)
		}
		if write(name, "two"); !changes(t, deed, &after) {
			t.Errorf("%s: another text of the same size is not seen", name)
		}
	}
	_, now, _ := namesIn(deed, "mine")
	for _, c := range []struct {
		name string
		do   func() error
	}{
		{"a large file", func() error { write(".venv/lib.so", strings.Repeat("x", hiddenBytes+1)); return nil }},
		{"another one with its old time", func() error {
			info, err := os.Stat(at(".venv/lib.so"))
			if err != nil {
				return err
			}
			write(".venv/lib.so", strings.Repeat("y", hiddenBytes+1))
			return os.Chtimes(at(".venv/lib.so"), info.ModTime(), info.ModTime())
		}},
		{"an empty folder", func() error { return os.Mkdir(at(".empty"), 0o755) }},
		{"a program", func() error { return os.Chmod(at(".never-heard-of"), 0o755) }},
		{"another name", func() error { return os.Rename(at(".x/deep/er/and/deeper/y"), at(".x/deep/er/and/deeper/z")) }},
		{"a link within", func() error { link("src/.qwen", ".linked"); return nil }},
		{"what it leads to", func() error { write("src/.qwen/settings.json", "{}x"); return nil }},
		{"a link that leads back", func() error { link(".", ".x/back"); return nil }},
		{"a link to a program outside", func() error { link(outside, ".venv/python"); return nil }},
		{"another program there", func() error { return os.WriteFile(outside, []byte("y!"), 0o755) }},
		{"a link to nowhere", func() error { link("/nowhere/at/all", ".venv/gone"); return nil }},
	} {
		if err := c.do(); err != nil || !changes(t, deed, &now) {
			t.Errorf("%s is not seen, %v", c.name, err)
		}
	}
	write("src/index.html", "other")
	write(".git/config", "y")
	if changes(t, deed, &now) {
		t.Error("an ordinary file counts")
	}
	link(filepath.Dir(outside), ".outside")
	if _, _, err := namesIn(deed, "mine"); err == nil {
		t.Error("a link to a folder out of the deed was looked at")
	}
}

// changes reports whether the hash of what stands there is another one than now.
func changes(t *testing.T, deed string, now *string) bool {
	t.Helper()
	_, hash, err := namesIn(deed, "mine")
	if err != nil {
		t.Fatal(err)
	}
	changed := hash != *now
	*now = hash
	return changed
}

func namesIn(deed, command string) ([]string, string, error) {
	found, err := settingsIn(deed, acp.Agent{Name: "claude", Args: strings.Fields(command)})
	return found.names, found.hash, err
}
