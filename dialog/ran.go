package dialog

// Ran returns those of secs, sections of ours, that keep a call of d from
// running once more: the Notes that it started and of its effect, and its result. d is
// the text that another program wrote over ours, perhaps from before the call began. Left
// out are sections of a call whose request d lacks or has changed, or whose result it
// has, and Notes that d has.
func (d *Dialog) Ran(ours *Dialog, secs []Section) []Section {
	var out []Section
	for _, s := range secs {
		id, has := s.ID, false
		switch {
		case s.Role == Note && s.Kind() == StartedNote:
			id = s.Meta.Get("Parent")
			has = d.index.started[id]
		case s.Role == Note && s.Kind() == EffectNote:
			id = s.Meta.Get("Parent")
			has = d.index.tried[id] != 0
		case s.Role != ToolResult:
			continue
		}
		was, is := ours.Find(ToolRequest, id), d.Find(ToolRequest, id)
		if was < 0 || is < 0 || has || d.has(ToolResult, id) {
			continue
		}
		if a, b := &ours.Sections[was], &d.Sections[is]; a.Text() == b.Text() && a.Tool() == b.Tool() {
			out = append(out, s)
		}
	}
	return out
}
