package agent

import (
	"vibey/dialog"
	"vibey/provider/acp"
	"vibey/server/turn/record"
)

// sessionNote is the kind of the Note that names an agent's session; the last one counts.
// It is a Note and no line of the header, which is written before the agent is started: a
// prompt is on the disk before a foreign program is waited for, and never changes then.
const sessionNote = "session"

// seal puts into the last Assistant of secs, which are about to be appended, the Prefix of
// all up to and with it: what the agent remembers when it stands. An edit before that the
// Prefix before it shows stays to be seen.
func (p *Partner) seal(s *session, secs []dialog.Section) error {
	if err := p.turn.Refresh(); err != nil { // mail may have come
		return err
	}
	if prefix, now := p.lastPrefix(); prefix != now {
		return nil
	}
	for i := len(secs) - 1; i >= 0; i-- {
		if secs[i].Role == dialog.Assistant {
			s.sealed = p.prefixes.With(p.turn.Dialog(), secs[:i+1])
			secs[i].Meta = secs[i].Meta.With("Prefix", s.sealed)
			return nil
		}
	}
	return nil
}

// wasEdited reports whether a text that the agent remembers is no longer the file's: a human
// has changed it since. Its session is of another dialog then. That the file's end was cut
// off is seen while the session runs; later the text alone does not show it.
func (p *Partner) wasEdited() bool {
	prefix, now := p.lastPrefix()
	return prefix != now || p.s != nil && prefix != p.s.sealed
}

// lastPrefix returns the last Prefix that an agent's sections name, and what it would be by
// the text as it is now; both are empty if there is none.
func (p *Partner) lastPrefix() (prefix, now string) {
	d := p.turn.Dialog()
	for i := len(d.Sections) - 1; i >= 0; i-- {
		s := &d.Sections[i]
		said := s.Role == dialog.Assistant && s.Meta.Get("Api") == acp.API || s.Role == dialog.Note && s.Kind() == sessionNote
		if said && s.Meta.Has("Prefix") {
			return s.Meta.Get("Prefix"), p.prefixes.At(d, i+1)
		}
	}
	return "", ""
}

// appendSession appends the Note that names a new session. If the dialog has a past,
// the agent is sent its text, and a second Note records that.
func (p *Partner) appendSession(s *session) error {
	id := s.id
	if !dialog.OneLine(id) || len(id) > record.MetaMost {
		id = "" // it can't be kept, so that it can't be loaded either
	}
	note := p.newNote(0, sessionNote, "", "The agent "+s.name+" works in this session.")
	s.sealed = p.prefixes.With(p.turn.Dialog(), nil)
	note.Meta = note.Meta.With("Model", s.name).With("Session", id).With("Prefix", s.sealed)
	return p.turn.Append(note)
}

// sessionID returns the session of that agent that the file names, "" for none. One that is
// named in a text before it was forked is the other dialog's.
func (p *Partner) sessionID(agent string) string {
	d := p.turn.Dialog()
	inherited := d.Inherited()
	for i, sec := range d.Backward() {
		switch {
		case i < inherited:
			return ""
		case sec.Role == dialog.Note && sec.Kind() == sessionNote:
			if sec.Meta.Get("Model") != agent {
				return ""
			}
			return sec.Meta.Get("Session")
		case sec.Role == dialog.Assistant && sec.Meta.Has("Api") && sec.Meta.Get("Api") != acp.API:
			return "" // another model has spoken since
		}
	}
	return ""
}

// knowsDialog reports whether the session that runs knows the dialog, by what stands behind
// the Note that names it: a prompt was answered, or its answer was cut off. An answer that a
// kill cut off has not got the lines that stand at its end, its Api among them.
func (p *Partner) knowsDialog() bool {
	for _, sec := range p.turn.Dialog().Backward() {
		switch {
		case sec.Role == dialog.Note && sec.Kind() == sessionNote:
			return false
		case sec.Role == dialog.Assistant && (!sec.Meta.Has("Api") || sec.Meta.Get("Api") == acp.API), sec.Role == dialog.ToolRequest && sec.Meta.Get("Api") == dialog.APIAgent, sec.Role == dialog.Note && sec.Kind() == "plan":
			return true
		}
	}
	return false
}
