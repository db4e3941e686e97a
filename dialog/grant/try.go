package grant

import (
	"bytes"
	"encoding/json"

	"vibey/dialog/effect"
)

// Under Try a command runs unasked, in a layer above the deed, and what it did there waits
// for a human or for a rule. Lines about folders, which stand beside Try, release or refuse
// an effect as a whole; without Try they start nothing.

// tries reports whether a call can be tried: it is run_command without the network, and
// there are layers.
func (p Policy) tries(c *Call) bool {
	return c.Tool == runCommand && !c.Agent && p.Layers != nil && p.Layers() && !of(p.NeverBlanket, c) && offline(c.Input)
}

// offline reports whether an input names a command and does not ask for the network: it has
// no "network" in any spelling, or that is false.
func offline(input string) bool {
	var in struct {
		Command string
		Network json.RawMessage
	}
	return json.Unmarshal([]byte(input), &in) == nil && in.Command != "" && (len(in.Network) == 0 || bytes.Equal(in.Network, []byte("false")))
}

// effectRule returns what the rules say of what a command did: Deny if one denies any of it,
// Allow if each change is allowed, else Ask.
func (g Grants) effectRule(changes []effect.Change) Verb {
	if g.Rules[runCommand] == Deny {
		return Deny
	}
	all := Allow
	for i := range changes {
		switch g.changeRule(changes[i].Path) {
		case Deny:
			return Deny
		case Allow:
		default:
			all = Ask
		}
	}
	return all
}

// changeRule is the rule of the longest folder that holds a path. An allow is about what lies
// below its folder, the other verbs about the folder itself, too.
func (g Grants) changeRule(path string) Verb {
	if v, _ := g.longest(runCommand, path+"/"); v != Allow {
		return v
	}
	v, folder := g.longest(runCommand, path)
	if v == Allow && g.foldsInto(runCommand, path+"/", folder) {
		return Ask
	}
	return v
}

// idle reports whether a line is about folders of a command while none is tried, so that it
// does nothing. g has the line in it.
func (g Grants) idle(l Line) bool {
	return l.Tool == runCommand && l.Folder != "" && (g.Rules[runCommand] != Try || g.Rules[l.subject()] == "")
}

// Idle reports whether a line of a new dialog's control does nothing there, by all its lines:
// it is about folders of a command, and no line before it has commands tried.
func Idle(all []Line, l Line) bool { return Grants{}.with(all).idle(l) }
