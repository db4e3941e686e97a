package dialog

import "maps"

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
