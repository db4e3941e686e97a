package dialog

import "maps"

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

// Granter folds what a dialog says about authority as it comes, so that a
// dialog with a thousand decisions costs no more per round than one with ten.
// It fails closed: what is torn, altered, copied, replayed or no longer to be
// recognized as an Authorization allows nothing, ends every allow above it, and
// denies what it denies. Such a section becomes Void.
type Granter struct {
	Authority Authority
	// Unjudged takes every Mac for genuine. It is for a reader without the key
	// that decides nothing.
	Unjudged bool

	version int    // of the dialog's index when it was folded
	seen    int    // how much of the index's auths
	prev    string // the Mac of the last Authorization
	g       Grants
}

// Extend folds what came since the last time, and returns all that is granted.
// d must be the dialog of the time before, appended to.
func (x *Granter) Extend(d *Dialog) Grants { return x.Before(d, len(d.Sections)) }

// Before is Extend for what stands before section i. i must not become smaller
// from one call to the next.
func (x *Granter) Before(d *Dialog, i int) Grants {
	if x.g.Rules == nil || x.version != d.index.version { // a section that was folded may have become torn
		x.version, x.seen, x.prev = d.index.version, 0, ""
		x.g = Grants{Rules: map[string]Verb{}, Decisions: map[string]Decision{}}
	}
	for ; x.seen < len(d.index.auths) && d.index.auths[x.seen] < i; x.seen++ {
		place := d.index.auths[x.seen]
		// A turn's watchers may read the section meanwhile: it is written to only
		// where something changes, which is before they get it.
		if s, void := &d.Sections[place], x.fold(d, place); s.Void != void {
			s.Void = void
		}
	}
	return x.g
}

// fold takes in one section, and tells whether it ended the allows before it.
func (x *Granter) fold(d *Dialog, place int) (void bool) {
	s := &d.Sections[place]
	if s.marksVoid() {
		x.g.doubt(nil, "")
		maps.DeleteFunc(x.g.Decisions, func(_ string, l Decision) bool { return l.Verb == Approve })
		return true
	}
	if s.Role == Authorization {
		genuine := x.genuine(s)
		x.prev = s.Meta.Get("Mac")
		if !genuine && !x.byHand(d, s) {
			x.g.doubt(s.controlLines(), s.ID)
			return true
		}
		lines, _ := ParseControl(s.Text())
		if !genuine {
			d.complete(lines, place)
		}
		x.g.add(lines, d, place)
		if !d.leftOver(place) {
			return false
		}
	}
	x.g.doubt(d.leftLines(place), s.ID)
	return true
}

// genuine reports whether a human of this installation gave s here, whole and
// once. A second section with the same id is a replay, whatever stands before it.
func (x *Granter) genuine(s *Section) bool {
	if !s.soundControl() {
		return false
	}
	if x.Unjudged {
		return s.first || s.ID == ""
	}
	return s.first && x.Authority.Genuine(s, x.prev)
}

// byHand reports whether s is what an editor's hand put into this very file.
// One with a Mac that is not genuine was made elsewhere, or altered.
func (x *Granter) byHand(d *Dialog, s *Section) bool {
	return x.Authority.InFiles && s.soundControl() && !s.Meta.Has("Mac") && d.Header.DialogID == x.Authority.DialogID
}

// soundControl reports whether s is whole and has one control text.
func (s *Section) soundControl() bool {
	return !s.Torn && len(s.Payloads) == 1 && s.Payloads[0].Type == ControlV1
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
