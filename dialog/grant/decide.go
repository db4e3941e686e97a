package grant

import "vibey/dialog"

// Policy is what the tools say about asking, as values.
type Policy struct {
	// Free reports whether calls of that tool run without being asked about.
	Free func(tool string) bool
	// Broken reports whether a call can't run with that input: it is not asked
	// about, and fails when it is run.
	Broken func(tool, input string) bool
	// NeverBlanket reports whether a call asks even under "allow <tool>".
	NeverBlanket func(tool, input string) bool
	// Path returns the path in the project of the file that a call would write, as its
	// input names it, and Real the path to which links lead it: "" where there is none,
	// or none that may be written. They are asked at an approval, and where rules name
	// folders; Real, which looks at the disk, only where it can make a difference.
	Path, Real func(tool, input string) string
	// Target returns the hash of the file that a call would write, as it is now, or
	// NoFile; "" for a call that writes none.
	Target func(tool, input string) string
	// Known are the tools that a line about no single call may name.
	Known Known
	// AgentGone reports whether the agent that asked for the dialog's Agent calls has
	// ended. It is asked only where there are such calls.
	AgentGone func() bool
	// Layers reports whether a command of this project can be tried; else Try asks.
	Layers func() bool
}

// gone reports whether c can't run any more since its agent has ended.
func (p Policy) gone(c *Call) bool { return c.Agent && p.AgentGone != nil && p.AgentGone() }

// of returns what f, which a Policy may lack, says of a call: else "" or false.
func of[T any](f func(tool, input string) T, c *Call) (says T) {
	if f != nil {
		says = f(c.Tool, c.Input)
	}
	return says
}

// place returns Line.Path of an approval of c that is given now.
func (p Policy) place(c *Call) string {
	named := of(p.Path, c)
	if named == "" {
		return ""
	}
	if real := of(p.Real, c); real != named && isPlace(real) {
		return real
	}
	return "" // a link to what no line can hold: the call will be refused
}

// Decide returns the calls of d that have no result, in their order, each with its
// verdict.
func Decide(d *dialog.Dialog, g Grants, p Policy) []Call {
	open := d.Open()
	calls := make([]Call, 0, len(open))
	for _, i := range open {
		c := g.Judge(d, i, p)
		c.Started = d.Started(c.ID)
		if l := g.Decisions[c.ID]; c.Verdict == Run && l.Verb == Approve && d.LostBehind(l.At) {
			c.Started = true               // what is lost may have been the Note that says so
			c.Tried, c.Effect = false, nil // or the result
		}
		c.Tried = c.Tried && !(c.Interrupted() && d.LostBehind(i)) // it may have come to its effect, and that to its end
		if c.Started && c.Agent && c.Verdict == Wait {
			c.Verdict = Run // it runs at the agent, unasked: there is nothing to decide
		}
		calls = append(calls, c)
	}
	return calls
}

func (g Grants) verdict(d *dialog.Dialog, c *Call, p Policy) (v Verdict, blanket bool) {
	if l, ok := g.Decisions[c.ID]; ok {
		c.Decided, c.By, c.Target, c.Path, c.Unlinked = true, l.By, l.Target, l.Path, l.Unlinked
		switch {
		case l.Verb == Deny:
			return Refused, false
		case p.gone(c):
			return Lapsed, false
		case l.SHA256 == c.SHA256 && l.Tool == c.Tool && l.Effect == c.EffectSHA256():
			return Run, false
		}
		return Wait, false // altered since it was approved, or run
	}
	rule := g.rule(c, p)
	switch {
	case c.Effect != nil && rule != Deny:
		if rule == Allow && !of(p.NeverBlanket, c) && !d.LostBehind(c.Since) {
			return Run, true
		}
		return Wait, false
	case rule == Deny: // also of a tool that does not ask
		return Refused, false
	case p.gone(c):
		return Lapsed, false
	case p.Free != nil && p.Free(c.Tool), of(p.Broken, c):
		return Run, false
	case rule == Allow && !of(p.NeverBlanket, c):
		c.Unlinked = g.namesFolders(c.Tool)
		return Run, true
	case rule == Try && (c.Tried || !d.Started(c.ID)) && p.tries(c):
		c.Tried = true
		return Run, true
	}
	return Wait, false
}

// allows reports whether a rule lets a call run that no line decides.
func (g Grants) allows(c *Call, p Policy) bool {
	return g.rule(c, p) == Allow && !of(p.NeverBlanket, c)
}
