package grant

import (
	"maps"
	"slices"

	"vibey/dialog"
)

// Grants is what the Authorizations of a dialog say together.
type Grants struct {
	Rules     map[string]Verb     // tool, or tool and folder ("edit_file deed/a/") -> Allow, Deny, Ask or Try; the last line wins
	Network   bool                // the last line about it is an allow
	Decisions map[string]Decision // call id -> its first decision, or the first denial behind it
}

// Decision is a line that decides one call, and the Authorization in which it
// stands.
type Decision struct {
	Line
	By string // its id
	At int    // its index in Dialog.Sections
	// Unlinked: an allow released the call while rules named folders, so that it
	// holds for a file that no link leads elsewhere.
	Unlinked bool
}

// Of returns what the Authorizations of d that are genuine for a grant. Within
// one control deny beats allow; across controls the last line for a tool wins; an
// id that is decided stays decided, unless the request it was bound to has
// changed; but a denial takes back an approval, which counts where the call has not
// started. An Authorization that is not genuine ends every allow before it, and
// denies what it denies.
func Of(d *dialog.Dialog, a Authority) Grants {
	x := Builder{Authority: a}
	return x.Extend(d)
}

// Builder folds the Authorizations of a dialog one after the other, so that a
// dialog with a thousand decisions costs no more per round than one with ten.
// It fails closed: an Authorization that is torn, altered, copied, replayed or no
// longer recognizable as one allows nothing, ends every allow above it, and
// denies what it denies. Such a section becomes Void.
type Builder struct {
	Authority Authority
	// Unjudged takes every Mac for genuine. It is for a reader without the key, who
	// shows what would be granted and runs nothing.
	Unjudged bool

	version int    // of the dialog's index when it was folded
	seen    int    // how much of the index's auths
	prev    string // the Mac of the last Authorization
	g       Grants
}

// Extend folds the sections that d got since the last call, and returns all that
// is granted. d must be the dialog of that call; it may only have been appended to.
func (x *Builder) Extend(d *dialog.Dialog) Grants { return x.Before(d, len(d.Sections)) }

// Before is Extend for the sections before section i. i must not become smaller
// from one call to the next.
func (x *Builder) Before(d *dialog.Dialog, i int) Grants {
	if x.g.Rules == nil || x.version != d.Version() { // a section that was folded may have become torn
		x.version, x.seen, x.prev = d.Version(), 0, ""
		x.g = Grants{Rules: map[string]Verb{}, Decisions: map[string]Decision{}}
	}
	auths := d.Authorizations()
	for ; x.seen < len(auths) && auths[x.seen] < i; x.seen++ {
		at := auths[x.seen]
		// A turn's watchers may read the section meanwhile: it is written to only
		// where something changes, which is before they get it.
		if s, void := &d.Sections[at], x.fold(d, at); s.Void != void {
			s.Void = void
		}
	}
	return x.g
}

// fold takes in section i, and reports whether it ended the allows before it.
func (x *Builder) fold(d *dialog.Dialog, i int) (void bool) {
	s := &d.Sections[i]
	if s.Voids() {
		x.g.doubt(nil, "")
		maps.DeleteFunc(x.g.Decisions, func(_ string, l Decision) bool { return l.Verb == Approve })
		return true
	}
	if s.Role == dialog.Authorization {
		genuine := x.genuine(s, d.Find(dialog.Authorization, s.ID) == i)
		x.prev = s.Meta.Get("Mac")
		if !genuine && !x.byHand(d, s) {
			x.g.doubt(controlLines(s), s.ID)
			return true
		}
		lines, _ := ParseControl(s.Text())
		if !genuine {
			complete(d, lines, i)
		}
		x.g.add(lines, d, i)
		if !d.LeftOver(i) {
			return false
		}
	}
	left, _ := ParseControl(d.LeftText(i))
	x.g.doubt(left, s.ID)
	return true
}

// genuine reports whether a human of this installation gave s here, whole and
// once. A section that is not the first with its id is a replay, whatever stands before it.
func (x *Builder) genuine(s *dialog.Section, first bool) bool {
	if !soundControl(s) {
		return false
	}
	if x.Unjudged {
		return first || s.ID == ""
	}
	return first && x.Authority.Genuine(s, x.prev)
}

// byHand reports whether s counts as written into this very file with an editor,
// where that is honoured (Authority.InFiles). An Authorization with a Mac that is
// not genuine was made elsewhere, or altered, and does not.
func (x *Builder) byHand(d *dialog.Dialog, s *dialog.Section) bool {
	return x.Authority.InFiles && soundControl(s) && !s.Meta.Has("Mac") && d.Header.DialogID == x.Authority.DialogID
}

// soundControl reports whether s is whole and has one control text.
func soundControl(s *dialog.Section) bool {
	return !s.Torn && len(s.Payloads) == 1 && s.Payloads[0].Type == dialog.ControlV1
}

// complete binds approvals that were written by hand without a hash to the
// requests that stand before them.
func complete(d *dialog.Dialog, lines []Line, before int) {
	for i := range lines {
		l := &lines[i]
		if l.ID == "" || l.Verb != Approve || l.SHA256 != "" {
			continue
		}
		if d.Requested(l.ID, before) {
			k := d.Find(dialog.ToolRequest, l.ID)
			l.SHA256, l.Tool = InputHash(d.Sections[k].Text()), d.Sections[k].Tool()
		}
	}
}

// add folds the lines of the genuine Authorization in section i.
func (g *Grants) add(lines []Line, d *dialog.Dialog, i int) {
	g.addRules(lines)
	denied, allowed := map[string]bool{}, map[string]bool{}
	for _, l := range lines {
		denied[l.ID] = denied[l.ID] || l.Verb == Deny
	}
	for _, l := range lines {
		if l.ID == "" {
			allowed[l.Tool] = allowed[l.Tool] || l.Verb == Allow
			continue
		}
		if l.Verb == Approve && (denied[l.ID] || !d.Requested(l.ID, i)) {
			continue
		}
		if old, ok := g.Decisions[l.ID]; !ok || old.Verb == Approve && (l.Verb == Deny && old.Effect == "" || !bound(d, old.Line, i)) {
			// What an allow released stands behind it (Effective).
			g.Decisions[l.ID] = Decision{l, d.Sections[i].ID, i, allowed[l.Tool] && g.namesFolders(l.Tool)}
		}
	}
}

// doubt folds the lines of a section that may have been any Authorization: all
// that one could have taken back is taken back, and what it denies is denied. A
// call that was approved before stays so, for no later Authorization takes that
// back: the approval holds once and for this one input, also where an allow
// released the call. Only a denial of that very call stops it.
func (g *Grants) doubt(lines []Line, by string) {
	maps.DeleteFunc(g.Rules, func(_ string, v Verb) bool { return v == Allow || v == Try })
	g.Network = false
	denials := slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return l.Verb != Deny })
	g.addRules(denials)
	for _, l := range denials {
		if l.ID != "" {
			g.Decisions[l.ID] = Decision{Line: l, By: by}
		}
	}
}

// bound reports whether an approval names the tool and the input that its request
// has now, and the effect that it had before section before.
func bound(d *dialog.Dialog, l Line, before int) bool {
	i := d.Find(dialog.ToolRequest, l.ID)
	if i < 0 {
		return false
	}
	c := callOf(d, i)
	if c.Since >= before {
		c.Effect = nil
	}
	return l.Tool == c.Tool && l.SHA256 == c.SHA256 && l.Effect == c.EffectSHA256()
}

// controlLines returns the control lines anywhere in s, an Authorization that may
// be damaged.
func controlLines(s *dialog.Section) []Line {
	lines, _ := ParseControl(s.Loose)
	for _, p := range s.Payloads {
		more, _ := ParseControl(p.Text)
		lines = append(lines, more...)
	}
	return lines
}
