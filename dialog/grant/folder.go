package grant

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vibey/dialog"
)

// A control line about write_file or edit_file may name a folder: "allow write_file
// deed/my game/". It is about the files below that folder, and of several folders
// the longest counts. A line without a folder is about all files, and ends what
// earlier lines say of folders.
//
// One about run_command is about what a tried call did there (effectRule).

// folderMost is the longest path of a folder, in bytes, as on Linux.
const folderMost = 4096

// validFolder reports whether a control line may name that folder: its path in the
// project, in its only spelling, with one slash at the end.
func validFolder(path string) bool {
	names, ok := strings.CutSuffix(path, "/")
	if !ok || len(path) > folderMost || !utf8.ValidString(path) || strings.Contains(path, `\`) || strings.ContainsFunc(path, unseen) {
		return false
	}
	if len(path) > 1 && path[1] == ':' && unicode.IsLetter(rune(path[0])) {
		return false // absolute, in another system's notation
	}
	for name := range strings.SplitSeq(names, "/") {
		if name == "" || name == "." || name == ".." {
			return false
		}
	}
	return true
}

// unseen reports whether a character would hide which folder a path names.
func unseen(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}

// subject is what a line that is about no single call is about: a tool, and perhaps a
// folder. No tool's name holds a blank.
func (l Line) subject() string {
	if l.Folder == "" {
		return l.Tool
	}
	return l.Tool + " " + l.Folder
}

// AllowsNetwork reports whether a control with these lines alone opens the network.
func AllowsNetwork(lines []Line) bool {
	g := Grants{Rules: map[string]Verb{}}
	g.addRules(lines)
	return g.Network
}

// addRules folds the lines that are about no single call. Within them a denial beats
// whatever else is said of the same, wherever it stands; and one of a whole tool
// also what is said of its folders.
func (g *Grants) addRules(lines []Line) {
	denied := map[string]bool{}
	for _, l := range lines {
		if l.Verb == Deny && l.ID == "" {
			denied[l.subject()] = true
		}
	}
	for _, l := range lines {
		switch {
		case l.ID != "", l.Verb != Deny && (denied[l.subject()] || denied[l.Tool]):
		case l.Tool == Network:
			g.Network = l.Verb == Allow
		case l.Tool == runCommand && l.Folder != "" && l.Verb != Deny && g.Rules[runCommand] != Try:
		default:
			if l.Folder == "" {
				maps.DeleteFunc(g.Rules, func(subject string, _ Verb) bool {
					return strings.HasPrefix(subject, l.Tool+" ") && !denied[subject]
				})
			}
			g.Rules[l.subject()] = l.Verb
		}
	}
}

// with returns g with the rules of one more control; g stays as it is.
func (g Grants) with(lines []Line) Grants {
	rules := make(map[string]Verb, len(g.Rules))
	maps.Copy(rules, g.Rules)
	g.Rules = rules
	g.addRules(lines)
	return g
}

// namesFolders reports whether any rule of a file tool is about a folder.
func (g Grants) namesFolders(tool string) bool {
	return dialog.WritesFile(tool) && g.NamesFolder(tool, Allow, Deny, Ask)
}

// NamesFolder reports whether a rule of a tool that is one of verbs is about a folder.
func (g Grants) NamesFolder(tool string, verbs ...Verb) bool {
	for subject, v := range g.Rules {
		if strings.HasPrefix(subject, tool+" ") && slices.Contains(verbs, v) {
			return true
		}
	}
	return false
}

// rule returns what the rules say of a call, or of what it did: Allow, Deny, Ask, Try, or ""
// for nothing.
// Where folders are named, an allow holds only for a file whose path is known and
// which no link leads elsewhere, and a denial also where a link leads.
func (g Grants) rule(c *Call, p Policy) Verb {
	if c.Effect != nil {
		return g.effectRule(c.Effect.Effect.Changes)
	}
	if !g.namesFolders(c.Tool) {
		return g.Rules[c.Tool]
	}
	path := of(p.Path, c)
	named, folder := g.longest(c.Tool, path)
	if named == Deny || named != Allow && !g.NamesFolder(c.Tool, Deny) {
		return named
	}
	real := of(p.Real, c)
	led, _ := g.longest(c.Tool, real)
	switch {
	case led == Deny:
		return Deny
	case named == Allow && (path == "" || path != real || g.foldsInto(c.Tool, path, folder)):
		return Ask
	}
	return named
}

// longest returns the rule of the longest folder that holds a file, and that folder.
// For a path that is not known it is the rule without a folder.
func (g Grants) longest(tool, path string) (v Verb, folder string) {
	for at := strings.LastIndexByte(path, '/'); at >= 0; at = strings.LastIndexByte(path[:at], '/') {
		if v, ok := g.Rules[tool+" "+path[:at+1]]; ok {
			return v, path[:at+1]
		}
	}
	return g.Rules[tool], ""
}

// foldsInto reports whether a rule that does not allow may be about a file on a disk
// that ignores case, where it would count before the rule of folder.
func (g Grants) foldsInto(tool, path, folder string) bool {
	names, depth := strings.Split(path, "/"), strings.Count(folder, "/")
	for subject, v := range g.Rules {
		other, ok := strings.CutPrefix(subject, tool+" ")
		if n := strings.Count(other, "/"); !ok || v == Allow || n < depth || n >= len(names) {
			continue
		} else if strings.EqualFold(strings.Join(names[:n], "/")+"/", other) {
			return true
		}
	}
	return false
}
