package dialog

import "maps"

// Granter folds a dialog's Authorizations as they come, so that a dialog with a
// thousand decisions costs no more per round than one with ten.
type Granter struct {
	Authority Authority

	seen int    // Authorizations folded
	prev string // the Mac of the last one
	g    Grants
}

// Extend folds what came since the last time, and returns all that is granted.
// d must be the dialog of the time before, appended to.
func (x *Granter) Extend(d *Dialog) Grants {
	if x.g.Rules == nil {
		x.g = Grants{Rules: map[string]Verb{}, Decisions: map[string]Decision{}}
	}
	for ; x.seen < len(d.index.auths); x.seen++ {
		place := d.index.auths[x.seen]
		s := &d.Sections[place]
		if s.lost {
			x.g.drop()
		}
		if s.Role != Authorization {
			continue
		}
		// A second one with the same id is a replay, whatever stands before it.
		genuine := s.first && x.Authority.Genuine(s, x.prev)
		if !s.Torn && (genuine || x.Authority.InFiles) {
			lines, _ := ParseControl(s.Text())
			if !genuine {
				d.complete(lines, place)
			}
			x.g.add(lines, d, place)
		}
		x.prev = s.Meta.Get("Mac")
	}
	return x.g
}

// drop takes back every allow. What was lost may have taken it back.
func (g *Grants) drop() {
	maps.DeleteFunc(g.Rules, func(_ string, v Verb) bool { return v == Allow })
	g.Network = false
}

// complete binds the approvals that an editor's hand wrote without a hash to
// the requests that stand before them.
func (d *Dialog) complete(lines []ControlLine, before int) {
	for i := range lines {
		l := &lines[i]
		if l.ID == "" || l.Verb != Approve || l.SHA256 != "" {
			continue
		}
		if k := d.Find(ToolRequest, l.ID); k >= 0 && k < before {
			l.SHA256, l.Tool = InputHash(d.Sections[k].Text()), d.Sections[k].Tool()
		}
	}
}
