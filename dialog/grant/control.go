package grant

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"vibey/dialog"
)

// Verb is what one line of control text does.
type Verb string

// The verbs: two decide one call by its id, three set the rule for a tool, and Try that
// for run_command alone: its calls run unasked where nothing of them counts, and what is
// asked is their effect.
const (
	Approve Verb = "approve"
	Deny    Verb = "deny"
	Allow   Verb = "allow"
	Ask     Verb = "ask"
	Try     Verb = "try"
)

// runCommand is the tool that can be tried.
const runCommand = "run_command"

// Network is the word that stands for a tool in "allow network", "ask network"
// and "deny network". The last two are the same to a command: it has none.
const Network = "network"

// NoFile is the Target of an approval that was given where no file stood.
const NoFile = "none"

// Line is one understood line of control text. Either ID is set (Approve
// or Deny of one call) or Tool alone (Allow, Deny, Ask or Try of a tool), perhaps with
// the folder that the line is about. An approval may carry the hash of the input
// it was given for, and the tool; and where the call writes a file, the hash of
// that file as the human was shown it, and where links led to it. One of what a tried
// call did carries the hash of that.
type Line struct {
	Verb   Verb
	ID     string
	Tool   string
	Folder string // "deed/game/": only files below it; "" for all
	SHA256 string // lowercase hex
	Target string // lowercase hex, or NoFile; "" in an approval without it
	// Path is where that file lies in the project, if links lead the path of the input
	// there; "" where it lies at that path itself. A human's line may name that one, too.
	Path string
	// Effect is the SHA256 of the effect that an approval is for (dialog/effect); "" for one of
	// a call that has not run.
	Effect string
}

// ParseControl reads control text, with or without its fence. ignored are the
// lines that are no control lines; blank lines and comments are not among them.
func ParseControl(text string) (lines []Line, ignored []string) {
	for raw := range strings.SplitSeq(text, "\n") {
		line := strings.TrimSpace(raw)
		if line == "" || line[0] == '#' || line == dialog.Fence || line == dialog.Fence+dialog.ControlV1 {
			continue
		}
		if l, ok := parseLine(line); ok {
			lines = append(lines, l)
		} else {
			ignored = append(ignored, line)
		}
	}
	return lines, ignored
}

func parseLine(line string) (Line, bool) {
	line, place, placed := strings.Cut(line, pathWord) // a path may have blanks
	w := strings.Fields(line)
	if len(w) < 2 || placed && (w[1] != string(Approve) || !isPlace(place)) {
		return Line{}, false
	}
	switch Verb(w[0]) {
	case Allow, Deny, Ask:
		l := Line{Verb: Verb(w[0]), Tool: w[1], Folder: behind(line, w[:2])}
		return l, dialog.ValidToolName(l.Tool) && (l.Folder == "" || (dialog.WritesFile(l.Tool) || l.Tool == runCommand) && validFolder(l.Folder))
	case Try:
		return Line{Verb: Try, Tool: w[1]}, w[1] == runCommand && len(w) == 2
	}
	l := Line{Verb: Verb(w[1]), ID: w[0], Path: place}
	if !dialog.ValidCallID(l.ID) {
		return l, false
	}
	switch {
	case l.Verb == Deny:
		return l, len(w) == 2
	case l.Verb != Approve:
		return l, false
	}
	for _, x := range w[2:] {
		hash, isHash := strings.CutPrefix(x, "sha256:")
		target, isTarget := strings.CutPrefix(x, "target:")
		effect, isEffect := strings.CutPrefix(x, "effect:")
		switch {
		case isHash && l.SHA256 == "" && l.Target == "" && l.Effect == "" && isHex64(hash):
			l.SHA256 = strings.ToLower(hash)
		case isTarget && l.Target == "" && l.Effect == "" && (target == NoFile || isHex64(target)):
			l.Target = strings.ToLower(target)
		case isEffect && l.Effect == "" && isHex64(effect):
			l.Effect = strings.ToLower(effect)
		case !isHash && l.SHA256 != "" && l.Tool == "" && dialog.ValidToolName(x):
			l.Tool = x
		default:
			return l, false
		}
	}
	return l, true
}

// pathWord stands before Line.Path, the rest of its line.
const pathWord = " path:"

// isPlace reports whether a line can hold a path as it is.
func isPlace(path string) bool {
	return path != "" && dialog.OneLine(path) && strings.TrimSpace(path) == path
}

// behind returns the rest of a line behind its first words, blanks within it included.
func behind(line string, words []string) string {
	for _, w := range words {
		line = strings.TrimLeftFunc(line[len(w):], unicode.IsSpace)
	}
	return line
}

// String writes the line as it is stored.
func (l Line) String() string {
	if l.ID == "" {
		return string(l.Verb) + " " + l.subject()
	}
	s := l.ID + " " + string(l.Verb)
	if l.SHA256 != "" {
		s += " sha256:" + l.SHA256
		if l.Tool != "" {
			s += " " + l.Tool
		}
	}
	if l.Target != "" {
		s += " target:" + l.Target // behind all that older versions wrote
	}
	if l.Effect != "" {
		s += " effect:" + l.Effect
	}
	if l.Path != "" {
		s += pathWord + l.Path
	}
	return s
}

func isHex64(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// Effective returns the control text to be stored for the text that a human sent:
// the lines that were understood, each approval completed by the hash and the
// tool of its request, by the hash of the file that the call would write and by the
// path to which links lead it, one
// such line for each waiting call that an allow releases, and a denial of each call
// that was approved, has not started, and that a deny takes back. ignored are the
// lines that do nothing: not understood, about a call that this dialog does not
// have, about a tool or a folder that there is not, or about the folder of a command
// while none is tried. stale are the ids of undecided requests whose hash, or whose effect, is another than
// the line's; an approval of an effect names it. moved are those whose file is, or lies elsewhere; if there are any of either, the caller
// must store nothing. g and calls are the grants of d and Decide's calls without
// this text.
func Effective(d *dialog.Dialog, g Grants, text string, calls []Call, p Policy) (control string, ignored, stale, moved []string) {
	lines, ignored := ParseControl(text)
	undecided, approved := map[string]*Call{}, map[string]bool{}
	for i := range calls {
		switch c := &calls[i]; {
		case c.Verdict == Wait || !c.Decided && !c.Started:
			undecided[c.ID] = c
		case c.Verdict == Run && !c.Started:
			approved[c.ID] = true
		}
	}
	with := g.with(lines)
	var out []string
	done := map[string]bool{}
	for _, l := range lines {
		c := undecided[l.ID]
		switch {
		case l.ID == "" && (p.Known.Misses(l) != "" || with.idle(l)):
			ignored = append(ignored, l.String())
			continue
		case l.ID == "":
			out = append(out, l.String())
			continue
		case c == nil && l.Verb == Deny && approved[l.ID]:
			done[l.ID] = true
		case c == nil:
			if d.Find(dialog.ToolRequest, l.ID) < 0 {
				ignored = append(ignored, l.String())
			}
			continue // decided already: replaying changes nothing
		case l.SHA256 != "" && l.SHA256 != c.SHA256, l.Tool != "" && l.Tool != c.Tool, l.Verb == Approve && l.Effect != c.EffectSHA256():
			stale = append(stale, l.ID) // whether or not it waits: it is not what was shown
			continue
		case c.Verdict != Wait && (l.Verb != Deny || c.Verdict != Run):
			continue // it does not ask
		}
		if l.Verb == Approve {
			now, place := of(p.Target, c), p.place(c)
			if l.Target != "" && l.Target != now || l.Path != "" && l.Path != cmp.Or(place, of(p.Path, c)) {
				moved = append(moved, l.ID)
				continue
			}
			l.SHA256, l.Tool, l.Target, l.Path = c.SHA256, c.Tool, now, place
		}
		done[l.ID] = true
		out = append(out, l.String())
	}
	out = append(out, released(with, lines, calls, done, p)...)
	out = append(out, takenBack(with, lines, calls, done, p)...)
	return strings.Join(out, "\n"), ignored, stale, moved
}

// released returns approvals of the waiting calls that an allow in lines releases,
// except of those in done. g is what is granted with these lines.
func released(g Grants, lines []Line, calls []Call, done map[string]bool, p Policy) (out []string) {
	for i := range calls {
		c := &calls[i]
		if c.Verdict == Wait && !done[c.ID] && Allowing(lines, c, p) && g.allows(c, p) {
			out = append(out, Line{Verb: Approve, ID: c.ID, SHA256: c.SHA256, Tool: c.Tool, Target: of(p.Target, c), Path: p.place(c), Effect: c.EffectSHA256()}.String())
		}
	}
	return out
}

// takenBack returns denials of the calls that were approved, have not started, and which
// a rule in lines denies, except of those in done. g is what is granted with these lines.
func takenBack(g Grants, lines []Line, calls []Call, done map[string]bool, p Policy) (out []string) {
	for i := range calls {
		c := &calls[i]
		denied := slices.ContainsFunc(lines, func(l Line) bool { return l.Verb == Deny && l.Tool == c.Tool })
		if denied && c.Decided && c.Verdict == Run && !c.Started && !done[c.ID] && g.rule(c, p) == Deny {
			out = append(out, Line{Verb: Deny, ID: c.ID}.String())
		}
	}
	return out
}

// Allowing reports whether a line allows what a call does, or any of what it did where that
// waits. Another line may count before it.
func Allowing(lines []Line, c *Call, p Policy) bool {
	for _, l := range lines {
		if l.Verb != Allow || l.Tool != c.Tool {
			continue
		}
		if l.Folder == "" {
			return true
		}
		if strings.HasPrefix(of(p.Path, c), l.Folder) || strings.HasPrefix(of(p.Real, c), l.Folder) || c.changes(l.Folder) {
			return true
		}
	}
	return false
}
