package dialog

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
