package dialog

import "strings"

// Verb is what one line of control text does.
type Verb string

// The verbs: two decide one call by its id, three set the rule for a tool.
const (
	Approve Verb = "approve"
	Deny    Verb = "deny"
	Allow   Verb = "allow"
	Ask     Verb = "ask"
)

// Network is the word that stands for a tool in "allow network", "ask network"
// and "deny network". The last two are the same to a command: it has none.
const Network = "network"

// NoFile is the Target of an approval that was given where no file stood.
const NoFile = "none"

// ControlLine is one understood line of control text. Either ID is set (Approve
// or Deny of one call) or Tool alone (Allow, Deny or Ask of a tool). An
// approval may carry the hash of the input it was given for, and the tool; and
// where the call writes a file, the hash of that file as the human was shown it.
type ControlLine struct {
	Verb   Verb
	ID     string
	Tool   string
	SHA256 string // lowercase hex
	Target string // lowercase hex, or NoFile; "" where the approval does not say
}

// ParseControl reads control text, with or without its fence. ignored are the
// lines that say nothing it knows; blank lines and comments are not among them.
func ParseControl(text string) (lines []ControlLine, ignored []string) {
	for raw := range strings.SplitSeq(text, "\n") {
		line := strings.TrimSpace(raw)
		if line == "" || line[0] == '#' || line == fence || line == fence+ControlV1 {
			continue
		}
		if l, ok := parseControlLine(line); ok {
			lines = append(lines, l)
		} else {
			ignored = append(ignored, line)
		}
	}
	return lines, ignored
}

func parseControlLine(line string) (ControlLine, bool) {
	w := strings.Fields(line)
	if len(w) < 2 {
		return ControlLine{}, false
	}
	switch Verb(w[0]) {
	case Allow, Deny, Ask:
		ok := len(w) == 2 && isToolName(w[1])
		return ControlLine{Verb: Verb(w[0]), Tool: w[1]}, ok
	}
	l := ControlLine{Verb: Verb(w[1]), ID: w[0]}
	if !ValidCallID(l.ID) {
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
		switch {
		case isHash && l.SHA256 == "" && l.Target == "" && isHex64(hash):
			l.SHA256 = strings.ToLower(hash)
		case isTarget && l.Target == "" && (target == NoFile || isHex64(target)):
			l.Target = strings.ToLower(target)
		case !isHash && l.SHA256 != "" && l.Tool == "" && isToolName(x):
			l.Tool = x
		default:
			return l, false
		}
	}
	return l, true
}

// String writes the line as it is stored.
func (l ControlLine) String() string {
	if l.ID == "" {
		return string(l.Verb) + " " + l.Tool
	}
	s := l.ID + " " + string(l.Verb)
	if l.SHA256 != "" {
		s += " sha256:" + l.SHA256
		if l.Tool != "" {
			s += " " + l.Tool
		}
	}
	if l.Target != "" {
		s += " target:" + l.Target // last: what older versions wrote is the beginning of it
	}
	return s
}

// ValidCallID tells whether id may name a call: [A-Za-z0-9_-]{1,64}, and none
// of the words that begin a rule.
func ValidCallID(id string) bool {
	if id == "" || len(id) > 64 || id == string(Allow) || id == string(Deny) || id == string(Ask) || id == Network {
		return false
	}
	for i := range len(id) {
		c := id[i]
		if !(c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			return false
		}
	}
	return true
}

func isToolName(s string) bool {
	for i := range len(s) {
		if c := s[i]; !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_') {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

func isHex64(s string) bool {
	for i := range len(s) {
		if c := s[i]; !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f') {
			return false
		}
	}
	return len(s) == 64
}
