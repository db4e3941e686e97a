package dialog

import (
	"maps"
	"strings"
)

// Verdict is what may happen to a call that has no result yet.
type Verdict uint8

// The verdicts.
const (
	Wait    Verdict = iota // a human must decide
	Run                    // it may run now
	Refused                // a human, or a standing deny, said no
)

// Call is one request without a result, and what stands about it in the file.
type Call struct {
	Section int // of the request, in the dialog that was decided and no other
	ID      string
	Parent  string // the Assistant that the request names
	Tool    string
	Input   string // the payload's bytes, "{}" for none
	SHA256  string // of Input
	Verdict Verdict
	Blanket bool   // released by "allow <tool>", not by its id
	Started bool   // it began to run, or may have: the file says so, or lost what could say it
	Decided bool   // an Authorization decides it by its id
	By      string // that Authorization's id; one written by hand may have none
	Target  string // of the file that it writes, as that approval has it (ControlLine.Target)
}

// Policy is what the tools say about asking, as values.
type Policy struct {
	// Free tells of a tool whose calls do not ask.
	Free func(tool string) bool
	// Broken tells of a call that can't run as it is: nobody is asked about it.
	Broken func(tool, input string) bool
	// NeverBlanket tells of a call that "allow <tool>" does not release.
	NeverBlanket func(tool, input string) bool
	// Target tells of a call that writes a file which file stands there now: its
	// hash, or NoFile; "" for any other call.
	Target func(tool, input string) string
}

// target is Target of a call, "" without that func.
func (p Policy) target(c *Call) string {
	if p.Target == nil {
		return ""
	}
	return p.Target(c.Tool, c.Input)
}

// Grants is what the Authorizations of a dialog say, folded.
type Grants struct {
	Rules     map[string]Verb     // tool -> Allow, Deny or Ask; the last line wins
	Network   bool                // the last line about it is an allow
	Decisions map[string]Decision // call id -> its first decision
}

// Decision is a line that decides one call, and the Authorization in which it
// stands.
type Decision struct {
	ControlLine
	By string // its id
	At int    // its place in the dialog
}

// Grants folds the Authorizations of d as a bears them out. Within one control
// deny beats allow; across controls the last line for a tool wins; an id that is
// decided stays decided, unless the request it was bound to has changed. What
// is no longer genuine ends every allow before it, and denies what it denies.
func (d *Dialog) Grants(a Authority) Grants {
	x := Granter{Authority: a}
	return x.Extend(d)
}

// add folds the lines of the genuine Authorization at that place.
func (g *Grants) add(lines []ControlLine, d *Dialog, place int) {
	denied := map[string]bool{}
	for _, l := range lines {
		if l.Verb == Deny {
			denied[l.ID+" "+l.Tool] = true
		}
	}
	for _, l := range lines {
		switch {
		case l.ID != "":
			if l.Verb == Approve && (denied[l.ID+" "] || !d.asked(l.ID, place)) {
				continue
			}
			if old, ok := g.Decisions[l.ID]; !ok || old.Verb == Approve && !d.bound(old.ControlLine) {
				g.Decisions[l.ID] = Decision{l, d.Sections[place].ID, place}
			}
		case l.Verb != Deny && denied[" "+l.Tool]:
		case l.Tool == Network:
			g.Network = l.Verb == Allow
		default:
			g.Rules[l.Tool] = l.Verb
		}
	}
}

// doubt folds the lines of what may have been any Authorization: all that one
// could have taken back is taken back, and what it denies is denied. A call that
// was approved before stays so, for no later Authorization takes that back: the
// approval holds once and for this one input, also where an allow released the
// call. Only a plain denial of that call stops it.
func (g *Grants) doubt(lines []ControlLine, by string) {
	maps.DeleteFunc(g.Rules, func(_ string, v Verb) bool { return v == Allow })
	g.Network = false
	for _, l := range lines {
		switch {
		case l.Verb != Deny || l.Tool == Network:
		case l.ID != "":
			g.Decisions[l.ID] = Decision{ControlLine: l, By: by}
		default:
			g.Rules[l.Tool] = Deny
		}
	}
}

// asked tells whether a call with that id stood before that place: nobody can
// have approved what was not there yet.
func (d *Dialog) asked(id string, place int) bool {
	i := d.Find(ToolRequest, id)
	return i >= 0 && i < place
}

// bound tells whether an approval still fits the request that it names.
func (d *Dialog) bound(l ControlLine) bool {
	i := d.Find(ToolRequest, l.ID)
	if i < 0 {
		return false
	}
	s := &d.Sections[i]
	return l.Tool == s.Tool() && l.SHA256 == InputHash(s.Text())
}

// Decide tells of every request without a result, in order, what may happen to
// it. A request that was cut off, or whose id an earlier one has, is none. It is
// a function of the file and the authority alone.
func Decide(d *Dialog, g Grants, p Policy) []Call {
	calls := make([]Call, 0, d.index.waiting)
	for _, i := range d.index.open {
		s := &d.Sections[i]
		if s.answered {
			continue
		}
		c := g.Judge(d, int(i), p)
		c.Started = d.index.started[s.ID]
		if l := g.Decisions[c.ID]; c.Verdict == Run && l.Verb == Approve && d.index.lost > l.At+1 {
			c.Started = true // what is lost may have been the Note that says so
		}
		calls = append(calls, c)
	}
	return calls
}

// Judge returns the call of the Tool Request at place i with its verdict, as if
// it had no result and had not started: Decide does for the calls that wait, and
// a reader of the file for one that ran.
func (g Grants) Judge(d *Dialog, i int, p Policy) Call {
	s := &d.Sections[i]
	c := Call{Section: i, ID: s.ID, Parent: s.Meta.Get("Parent"), Tool: s.Tool(), Input: s.Text()}
	if c.Input == "" {
		c.Input = "{}"
	}
	c.SHA256 = InputHash(c.Input)
	c.Verdict, c.Blanket = g.verdict(&c, p)
	return c
}

func (g Grants) verdict(c *Call, p Policy) (v Verdict, blanket bool) {
	if l, ok := g.Decisions[c.ID]; ok {
		c.Decided, c.By, c.Target = true, l.By, l.Target
		switch {
		case l.Verb == Deny:
			return Refused, false
		case l.SHA256 == c.SHA256 && l.Tool == c.Tool:
			return Run, false
		}
		return Wait, false // altered since it was approved
	}
	rule := g.Rules[c.Tool]
	switch {
	case rule == Deny: // also where nobody would be asked
		return Refused, false
	case p.Free != nil && p.Free(c.Tool), p.Broken != nil && p.Broken(c.Tool, c.Input):
		return Run, false
	case rule == Allow && (p.NeverBlanket == nil || !p.NeverBlanket(c.Tool, c.Input)):
		return Run, true
	}
	return Wait, false
}

// Effective is the control text to be stored for what a human sent: the lines
// that were understood, each approval completed by the hash and the tool of the
// request it names and by the file that stands in its target's place, and one
// such line for each waiting call that an allow releases. ignored are the lines
// that do nothing: not understood, or about a call that this dialog does not
// have. stale are the ids whose hash is not that of the undecided request, moved
// those whose target is not what stands there now; where there is one of either,
// nothing must be stored. calls are Decide's before the control.
func Effective(d *Dialog, text string, calls []Call, p Policy) (control string, ignored, stale, moved []string) {
	lines, ignored := ParseControl(text)
	undecided := map[string]*Call{}
	for i := range calls {
		if c := &calls[i]; c.Verdict == Wait || !c.Decided && !c.Started {
			undecided[c.ID] = c
		}
	}
	var out []string
	done := map[string]bool{}
	for _, l := range lines {
		c := undecided[l.ID]
		switch {
		case l.ID == "":
			out = append(out, l.String())
			continue
		case c == nil:
			if d.Find(ToolRequest, l.ID) < 0 {
				ignored = append(ignored, l.String())
			}
			continue // decided already: replaying changes nothing
		case l.SHA256 != "" && l.SHA256 != c.SHA256, l.Tool != "" && l.Tool != c.Tool:
			stale = append(stale, l.ID) // whether or not it waits: it is not what was shown
			continue
		case c.Verdict != Wait:
			continue // nobody is asked about it
		}
		if l.Verb == Approve {
			now := p.target(c)
			if l.Target != "" && l.Target != now {
				moved = append(moved, l.ID)
				continue
			}
			l.SHA256, l.Tool, l.Target = c.SHA256, c.Tool, now
		}
		done[l.ID] = true
		out = append(out, l.String())
	}
	out = append(out, released(lines, calls, done, p)...)
	return strings.Join(out, "\n"), ignored, stale, moved
}

// released are the approvals of the waiting calls that the allows in lines
// release, but for those that a line of their own decides.
func released(lines []ControlLine, calls []Call, done map[string]bool, p Policy) (out []string) {
	denied := map[string]bool{}
	for _, l := range lines {
		if l.Verb == Deny && l.ID == "" {
			denied[l.Tool] = true
		}
	}
	for _, l := range lines {
		if l.Verb != Allow || l.Tool == Network || denied[l.Tool] {
			continue
		}
		for i := range calls {
			c := &calls[i]
			if c.Verdict != Wait || c.Tool != l.Tool || done[c.ID] || p.NeverBlanket != nil && p.NeverBlanket(c.Tool, c.Input) {
				continue
			}
			done[c.ID] = true
			out = append(out, ControlLine{Verb: Approve, ID: c.ID, SHA256: c.SHA256, Tool: c.Tool, Target: p.target(c)}.String())
		}
	}
	return out
}
