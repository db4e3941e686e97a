package turn

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"vibey/dialog"
	"vibey/provider"
)

// Agents read settings in the folder that they work in. Whoever writes there, a command
// behind the walls or another agent, could so let the next agent do things unasked, or
// start commands of its own, outside of every wall. An agent is started beside such files
// only when a human said so, for what stands in them.

// settingsOf are the places below deed/ where agents read settings that grant something,
// by the first word of the agent's name; an agent with another name may read any.
var settingsOf = map[string][]string{
	"claude":   {".claude/settings.json", ".claude/settings.local.json", ".claude/hooks", ".claude/commands", ".claude/agents", ".claude/skills", ".mcp.json"},
	"codex":    {".codex"},
	"gemini":   {".gemini"},
	"opencode": {"opencode.json", "opencode.jsonc", ".opencode"},
}

// Bounds of what is read of settings.
const (
	settingsFiles = 200
	settingsBytes = 8 << 20
)

// settingsKey names, in a Note, the hash of the settings that it speaks of.
const settingsKey = "Settings"

// heedSettings returns an error where the deed holds settings for an agent that no human
// has let count. The Note before it says which; a human's Continue, or next message, is
// the word for these and no others.
func (t *turn) heedSettings(agent string) error {
	names, hash, err := settingsIn(t.deed, agent)
	if err != nil {
		return &provider.Error{Kind: provider.KindRefused, Message: fmt.Sprintf("The agent %s was not started: the settings that it would read below deed/ can't be looked at (%s). Look at them, or move them away, then press Continue.", agent, told(err, t.deed))}
	}
	if len(names) == 0 || t.settingsNote(hash, "human") {
		return nil
	}
	list := "`deed/" + strings.Join(names[:min(len(names), 10)], "`, `deed/") + "`"
	if over := len(names) - 10; over > 0 {
		list += fmt.Sprintf(" and %d more", over)
	}
	field := dialog.Field{Key: settingsKey, Value: hash}
	if t.settingsNote(hash, "") && t.in.By == "" && (t.in.Continue || t.in.Prompt != nil) {
		return t.note("warning", "human", "The agent "+agent+" starts with the settings in "+list+", by a human's word.", field, dialog.Field{Key: "By", Value: "human"})
	}
	if err := t.note("warning", "human", "The deed holds settings for agents: "+list+". They can let an agent do things unasked, or start commands of their own, outside of every sandbox.", field); err != nil {
		return err
	}
	return &provider.Error{Kind: provider.KindRefused, Message: fmt.Sprintf("The agent %s was not started yet: it would read the settings in %s, which can let it do things unasked, or start commands of their own, outside of every sandbox. Look at them. Press Continue to start it with them as they are now; when they change, you are asked again.", agent, strings.ReplaceAll(list, "`", ""))}
}

// settingsNote reports whether a Note speaks of the settings with that hash, by that
// author.
func (t *turn) settingsNote(hash, by string) bool {
	return slices.ContainsFunc(t.dialog().Sections, func(s dialog.Section) bool {
		return s.Role == dialog.Note && !s.Torn && s.Meta.Get(settingsKey) == hash && s.Meta.Get("By") == by
	})
}

// settingsIn returns the files below a deed that an agent of that name reads settings
// from, sorted, and a hash of their names and bytes.
func settingsIn(deed, agent string) (names []string, hash string, err error) {
	root, err := os.OpenRoot(deed)
	if err != nil {
		return nil, "", err
	}
	defer root.Close()
	for _, place := range settingsPlaces(agent) {
		err := fs.WalkDir(root.FS(), place, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil && name == place && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)):
				return nil // it is not there
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "node_modules":
				return fs.SkipDir
			case d.IsDir(), slices.Contains(notSettings, path.Base(name)),
				strings.HasPrefix(name, skillsFolder) && !strings.EqualFold(path.Base(name), "SKILL.md"):
				return nil
			}
			if names = append(names, dialog.Clean(name, 200)); len(names) > settingsFiles {
				return fmt.Errorf("there are more than %d of them", settingsFiles)
			}
			return nil
		})
		if err != nil {
			return nil, "", err
		}
	}
	slices.Sort(names)
	return hashSettings(root, names)
}

// hashSettings returns those of the files that grant something, and a hash of their names
// and bytes.
func hashSettings(root *os.Root, names []string) (granting []string, hash string, err error) {
	sum, left := sha256.New(), int64(settingsBytes)
	for _, name := range names {
		b, err := settingsFile(root, name, left)
		if err != nil {
			return nil, "", err
		}
		if strings.HasPrefix(name, skillsFolder) && !grants(b) {
			continue
		}
		left -= int64(len(b))
		granting = append(granting, name)
		fmt.Fprintf(sum, "%s\x00%s\x00", name, b)
	}
	return granting, hex.EncodeToString(sum.Sum(nil)), nil
}

// skillsFolder is where skills are instructions, unless one says that it grants.
const skillsFolder = ".claude/skills/"

// grants reports whether a skill allows its agent tools, or has commands started.
func grants(skill []byte) bool {
	skill = bytes.ToLower(skill)
	return bytes.Contains(skill, []byte("allowed-tools")) || bytes.Contains(skill, []byte("hooks"))
}

// notSettings are files beside settings that grant nothing, and that agents write themselves.
var notSettings = []string{".gitignore", "bun.lock", "package-lock.json"}

func settingsPlaces(agent string) (places []string) {
	first, _, _ := strings.Cut(agent, "-")
	if places, known := settingsOf[first]; known {
		return places
	}
	for _, p := range settingsOf {
		places = append(places, p...)
	}
	return places
}

// settingsFile reads a file of at most most bytes. A link counts by what it leads to
// within the deed; one that leads out can't be looked at.
func settingsFile(root *os.Root, name string, most int64) ([]byte, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case st.IsDir():
		return nil, fmt.Errorf("deed/%s is a link to a folder", name)
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("deed/%s is no file", name)
	case st.Size() > most:
		return nil, fmt.Errorf("they have more than %d MiB", settingsBytes>>20)
	}
	return io.ReadAll(io.LimitReader(f, most))
}
