package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"vibey/dialog"
	"vibey/dialog/jsontext"
	"vibey/dialog/plan"
	"vibey/tools/disk"
)

// NeverBlanket reports whether a human must approve a call although an allow line
// covers its tool: it writes doc-main.md, the instructions of all agents, it starts an
// agent over ACP, which runs outside of every sandbox, it wants the network for a command, or
// its arguments cannot be read.
func NeverBlanket(tool, args string) bool {
	if !dialog.WritesFile(tool) && tool != "launch_agent" && tool != "run_command" {
		return false
	}
	members, err := jsontext.Members([]byte(args))
	if err != nil {
		return true
	}
	name, asks := "path", isMainDoc // any spelling: file systems that fold case, and paths that Call would refuse
	switch tool {
	case "launch_agent":
		name, asks = "provider", isACP
	case "run_command":
		name, asks = "network", func(v string) bool { return v != "false" }
	}
	return slices.ContainsFunc(members, func(m jsontext.Member) bool { return strings.EqualFold(m.Name, name) && asks(string(m.Value)) })
}

// WantsNetwork reports whether a call asks its human for the network: only one that a human
// has approved may run then.
func WantsNetwork(tool, args string) bool { return tool == "run_command" && NeverBlanket(tool, args) }

// isACP reads a provider's name in JSON and reports whether it is that of agents over ACP.
func isACP(quoted string) bool {
	var name string
	return json.Unmarshal([]byte(quoted), &name) != nil || name == dialog.APIAgent
}

// mainDoc is the leading page, by its path in the project.
const mainDoc = "doc-main.md"

// isMainDoc reads a path in JSON and reports whether it may mean doc-main.md.
func isMainDoc(quoted string) bool {
	p, wrong := decode[struct {
		Path string `json:"path"`
	}](`{"path":` + quoted + `}`)
	if wrong != "" {
		return true
	}
	clean := path.Clean(strings.ReplaceAll(p.Path, `\`, "/"))
	if strings.HasPrefix(clean, "deed/") {
		return false
	}
	return strings.EqualFold(path.Base(strings.TrimSpace(clean)), mainDoc)
}

// refusal is a path that a call may not write, in words for the model.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

func refuse(format string, a ...any) error { return &refusal{fmt.Sprintf(format, a...)} }

// outside is the refusal of every path that leads out of the project. It names the
// project's folder only, not its path on the machine.
func outside(env Env, given, suggestion string) error {
	return refuse("PATH_OUTSIDE_PROJECT: refusing to write to '%s' because it is outside the active project at '%s'. Did you mean '%s'?",
		clip(given, 300), filepath.Base(env.ProjectDir), clip(suggestion, 300))
}

// dialogName is a dialog's file, in any spelling that a file system may fold.
var dialogName = regexp.MustCompile(`(?i)^dialog-.*-(active|waiting|done)\.md$`)

// cleanPath checks a path without looking at the disk and returns it cleaned: the
// name of a doc that an agent may write, or a path that begins with "deed/".
func cleanPath(env Env, given string) (string, error) {
	clean, err := tidy(env, given)
	switch {
	case err != nil:
		return "", err
	case clean == "." || clean == "deed" || namesFolder(given):
		return "", refuse("'%s' names a folder. Name a file in it.", clip(given, 300))
	case strings.HasPrefix(clean, "deed/"):
		return clean, nil
	}
	return clean, checkDoc(env, given, clean)
}

// tidy is cleanPath for a file or a folder, of which it checks no more than that the
// path stays within the project and out of git's own folders.
func tidy(env Env, given string) (string, error) {
	if strings.TrimSpace(given) == "" {
		return "", refuse("the path is empty. Name a doc such as 'doc-notes.md' or a file such as 'deed/index.html'.")
	}
	if hidden := strings.IndexFunc(given, unseen); hidden >= 0 {
		return "", refuse("the path %q holds a control character at byte %d. Use letters that can be seen.", clip(given, 300), hidden)
	}
	if leaves(given) {
		return "", outside(env, given, suggest(env, given))
	}
	if strings.Contains(given, `\`) {
		return "", refuse(`'%s' holds a backslash. Put "/" between folders: did you mean '%s'?`, clip(given, 300), clip(suggest(env, given), 300))
	}
	clean := path.Clean(given)
	if below, ok := strings.CutPrefix(clean, "deed/"); ok {
		for part := range strings.SplitSeq(below, "/") {
			if disk.IsGit(part) {
				return "", refuseGit(given, part)
			}
		}
	}
	return clean, nil
}

// namesFolder reports whether a path, by its end, can only be a folder's.
func namesFolder(given string) bool {
	return strings.HasSuffix(given, "/") || strings.HasSuffix(given, "/.")
}

// checkDoc refuses what is no doc that an agent may write.
func checkDoc(env Env, given, clean string) error {
	switch plain := !strings.Contains(clean, "/"); {
	case plain && dialogName.MatchString(clean):
		return refuse("'%s' is a dialog: only the server writes dialogs. Write what you have to say as text, or into a doc.", clip(given, 300))
	case plain && strings.EqualFold(clean, plan.File):
		return refuse("doc-plan.md has its own tools: plan_get reads it, and plan_decision_log writes one item. All else there is a human's; tell them what should stand in it.")
	}
	return checkName(env, given, clean)
}

// checkName refuses what is no doc's and no dialog's name.
func checkName(env Env, given, clean string) error {
	switch {
	case dialog.ValidFile(clean):
		return nil
	case strings.Contains(clean, "/"):
		return refuse("'%s' is neither a doc nor below deed/. Docs (*.md) stand directly in the project, all else belongs below deed/. Did you mean '%s'?", clip(given, 300), clip(suggest(env, given), 300))
	case strings.HasPrefix(clean, "."):
		return refuse("'%s' begins with a dot: such files of the project are the server's. Did you mean 'deed/%s'?", clip(given, 300), clip(clean, 300))
	case strings.EqualFold(clean, "deed"):
		return refuse("'%s' names a folder. Name a file in deed/, spelled so.", clip(given, 300))
	}
	return refuse("'%s' is neither a doc nor below deed/. A doc's name has letters, digits, '_', '-' and '.', at most 200 of them, and ends in '.md'; all else belongs below deed/. Did you mean '%s'?", clip(given, 300), clip(suggest(env, given), 300))
}

// writableDoc reports whether an agent may write the doc of that name.
func writableDoc(name string) bool {
	return dialog.ValidFile(name) && !dialogName.MatchString(name) && !strings.EqualFold(name, plan.File)
}

// unseen reports whether a character would hide what a path is: control characters,
// line and paragraph separators, and bidi overrides.
func unseen(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}

// leaves reports whether a path is absolute, in any system's notation, or has "..".
func leaves(given string) bool {
	p := strings.ReplaceAll(given, `\`, "/")
	drive := len(p) > 1 && p[1] == ':' && unicode.IsLetter(rune(p[0]))
	return strings.HasPrefix(p, "/") || p == "~" || strings.HasPrefix(p, "~/") || drive || slices.Contains(strings.Split(p, "/"), "..")
}

// suggest makes the path that the model most likely meant, one that cleanPath takes.
func suggest(env Env, given string) string {
	p := path.Clean(strings.ReplaceAll(given, `\`, "/"))
	absolute := strings.HasPrefix(p, "/")
	if rest, ok := strings.CutPrefix(p, filepath.ToSlash(env.ProjectDir)+"/"); ok {
		p, absolute = rest, false
	} else if i := strings.LastIndex("/"+p, "/deed/"); i >= 0 {
		p, absolute = p[i:], false
	}
	parts := strings.FieldsFunc(p, func(r rune) bool { return r == '/' })
	for absolute && len(parts) > 1 && strings.Contains(filepath.ToSlash(env.ProjectDir)+"/", "/"+parts[0]+"/") {
		parts = parts[1:] // /work/app/x where the project is /work/vibey/mine: app/x
	}
	var kept []string
	for _, part := range parts {
		if part != "." && part != ".." && part != "~" && !strings.HasSuffix(part, ":") && !disk.IsGit(part) {
			kept = append(kept, part)
		}
	}
	if len(kept) > 0 && strings.EqualFold(kept[0], "deed") {
		kept = kept[1:]
	}
	if len(kept) == 0 {
		return "deed/index.html"
	}
	if last := kept[len(kept)-1]; writableDoc(last) && (len(kept) == 1 || absolute) {
		return last
	}
	if absolute {
		kept = knownTail(env, kept)
	}
	return "deed/" + strings.Join(kept, "/")
}

// knownTail returns the longest end of a path that names a file of the deed, or a new
// one in a folder of it; where there is none, all of it. A model that knows a file by
// where it stood on another machine means this one.
func knownTail(env Env, parts []string) []string {
	deed, err := os.OpenRoot(deedDir(env))
	if err != nil {
		return parts
	}
	defer deed.Close()
	for i := range len(parts) - 1 {
		folder := path.Join(parts[i : len(parts)-1]...)
		if info, err := deed.Stat(folder); err == nil && info.IsDir() {
			return parts[i:]
		}
	}
	if _, err := deed.Lstat(parts[len(parts)-1]); err == nil {
		return parts[len(parts)-1:]
	}
	return parts
}

func refuseGit(given, part string) error {
	return refuse("'%s' lies in '%s', which belongs to git: its hooks and config could run anything. Use git commands with run_command instead.", clip(given, 300), part)
}
