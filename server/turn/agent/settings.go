package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"vibey/dialog"
	"vibey/provider"
	"vibey/provider/acp"
	"vibey/tools/instructions"
)

// Agents read settings in the folder that they work in. Whoever writes there, a command
// behind the walls or another agent, could so let the next agent do things unasked, or
// start commands of its own, outside of every wall. An agent is started, and prompted,
// beside such files only if a human has allowed it, for what stands in them.

// settingsOf are the places below deed/ where agents read settings that grant something, or
// name programs, by their programs' own names. Another program, also one that starts one of
// these, is not known, and may read any of them (see hiddenIn).
var settingsOf = map[string][]string{
	"claude-agent-acp": claudeSettings,
	"claude-code-acp":  claudeSettings,
	"codex-acp":        {".codex", ".agents"},
	"gemini":           {".gemini", ".env"},
	"opencode":         {"opencode.json", "opencode.jsonc", ".opencode"},
}

var claudeSettings = []string{".claude", ".mcp.json", ".lsp.json"}

// skillsFolders hold skills, which are instructions unless one grants something.
var skillsFolders = []string{".claude/skills/", ".agents/skills/"}

// settings is what stands in the deed for an agent.
type settings struct {
	names []string // sorted, below deed/
	hash  string   // of their names and bytes
}

// shown names the files in words.
func (s settings) shown() string {
	var list []string
	for _, name := range s.names {
		list = append(list, "deed/"+dialog.Clean(name, 200))
	}
	return dialog.List(list, 10, ", ", "and %d more")
}

// settingsKey names, in a Note, the hash of the settings that it is about.
const settingsKey = "Settings"

// checkSettings returns an error if the deed holds settings for an agent that no human has
// allowed. The Note before it names them; a human's Continue, or next message, allows these
// and no others, which a Note with a Mac keeps.
func (p *Partner) checkSettings(a acp.Agent, deed string) (settings, error) {
	found, err := settingsIn(deed, a)
	if err != nil {
		return found, &provider.Error{Kind: provider.KindRefused, Message: fmt.Sprintf("The agent %s was not started: the settings that it would read below deed/ can't be looked at (%s). Look at them, or move them away, then press Continue.", a.Name, withoutPath(err, deed))}
	}
	authority := p.all.Authority(p.turn.Project.Name(), p.turn.ID)
	if len(found.names) == 0 || slices.ContainsFunc(p.turn.Dialog().Sections, func(s dialog.Section) bool { return authority.AllowsSettings(&s, found.hash) }) {
		return found, nil
	}
	field := dialog.Field{Key: settingsKey, Value: found.hash}
	if p.turn.ByHuman && p.settingsAsked(found.hash) {
		n := p.newNote(0, "warning", "human", "The agent "+a.Name+" starts with the settings in "+found.shown()+", by a human's word.", field, dialog.Field{Key: "By", Value: "human"})
		n.Meta = n.Meta.With("Mac", authority.SettingsMac(n.ID, found.hash))
		return found, p.turn.Append(n)
	}
	if err := p.note("warning", "human", "The deed holds settings for agents: "+found.shown()+". They can let an agent do things unasked, or start commands of their own, outside of every sandbox.", field); err != nil {
		return found, err
	}
	return found, &provider.Error{Kind: provider.KindRefused, Message: fmt.Sprintf("The agent %s was not started yet: it would read the settings in %s, which can let it do things unasked, or start commands of their own, outside of every sandbox. Look at them, and at the programs that they name. Press Continue to start it with them as they are now; when they change, you are asked again, but not when such a program changes.", a.Name, found.shown())}
}

// settingsAsked reports whether the last section about an agent is the question about the
// settings with that hash: since then nothing else was answered.
func (p *Partner) settingsAsked(hash string) bool {
	d := p.turn.Dialog()
	before := len(d.Sections)
	if p.turn.Prompt { // the request's message stands there already
		before = max(d.LastPrompt(), 0)
	}
	for i, s := range d.Backward() {
		switch {
		case i >= before:
		case s.Role == dialog.Note && s.Meta.Has(settingsKey):
			return s.Meta.Get(settingsKey) == hash && !s.Meta.Has("By")
		case s.Role == dialog.User, s.Role == dialog.Assistant, s.Role == dialog.Authorization, s.Role == dialog.Note && s.Kind() == sessionNote:
			return false
		}
	}
	return false
}

// settingsChanged ends an agent that is about to be prompted beside other settings than those
// that it was started with, so that it is started anew, or not.
func (p *Partner) settingsChanged(a acp.Agent, s *session) (changed bool) {
	now, err := settingsIn(s.cwd, a)
	if err == nil && now.hash == s.beside {
		return false
	}
	p.End()
	return true
}

// settingsIn returns the settings below a deed that an agent reads.
func settingsIn(deed string, a acp.Agent) (found settings, err error) {
	root, err := os.OpenRoot(deed)
	if err != nil {
		return found, err
	}
	defer root.Close()
	sum := sha256.New()
	places, known := settingsOf[path.Base(a.Args[0])]
	if !known {
		names, err := hiddenIn(deed, root, sum)
		return settings{names, hex.EncodeToString(sum.Sum(nil))}, err
	}
	w := settingsWalk{root: root, sum: sum, left: settingsBytes}
	for _, place := range places {
		if err := w.at(place, 0); err != nil {
			return found, err
		}
	}
	return settings{w.names, hex.EncodeToString(sum.Sum(nil))}, nil
}

// settingsWalk hashes files, also behind links that stay in the deed.
type settingsWalk struct {
	root  *os.Root
	names []string
	sum   hash.Hash
	left  int64
	seen  int
}

func (w *settingsWalk) at(name string, depth int) error {
	info, err := w.root.Stat(name)
	switch {
	case depth == 0 && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)):
		if _, err := w.root.Lstat(name); err == nil {
			return fmt.Errorf("deed/%s is a link to nowhere", dialog.Clean(name, 200))
		}
		return nil
	case err != nil:
		return err
	}
	if w.seen++; w.seen > settingsFiles || depth > settingsDepth {
		return fmt.Errorf("there are more than %d of them, or folders more than %d deep", settingsFiles, settingsDepth)
	}
	if !info.IsDir() {
		return w.file(name)
	}
	entries, err := folderNames(w.root, name, settingsFiles+1)
	if err != nil {
		return err
	}
	for _, e := range entries {
		at := path.Join(name, e)
		if slices.Contains(notSettings, at) {
			continue
		}
		if err := w.at(at, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// notSettings are what the agents themselves write beside their settings: what opencode's
// plugins import, which is not covered, as the question says of all programs, and other
// work trees, which are read where an agent works in them.
var notSettings = []string{".claude/worktrees", ".opencode/node_modules", ".opencode/.gitignore", ".opencode/bun.lock", ".opencode/package-lock.json"}

// file hashes a file: its name as it is, and its bytes.
func (w *settingsWalk) file(name string) error {
	skill := slices.ContainsFunc(skillsFolders, func(f string) bool { return strings.HasPrefix(name, f) })
	if skill && !strings.EqualFold(path.Base(name), "SKILL.md") {
		return nil
	}
	b, err := settingsFile(w.root, name, w.left)
	if err != nil || skill && !instructions.Grants(b) {
		return err
	}
	w.left -= int64(len(b))
	w.names = append(w.names, name)
	_, err = fmt.Fprintf(w.sum, "%d %s %d %s", len(name), name, len(b), b)
	return err
}
