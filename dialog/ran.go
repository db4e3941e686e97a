package dialog

// Ran returns those of secs, sections of ours, that keep a call of d from
// running once more: the Notes that it started, and its result. d is the text that
// another program wrote over ours, perhaps from before the call began. Left out
// are sections of a call whose request d lacks or has changed, or whose result it
// has.
func (d *Dialog) Ran(ours *Dialog, secs []Section) []Section {
	var out []Section
	for _, s := range secs {
		id := s.ID
		if s.Role == Note && s.Kind() == "started" {
			id = s.Meta.Get("Parent")
		} else if s.Role != ToolResult {
			continue
		}
		was, is := ours.Find(ToolRequest, id), d.Find(ToolRequest, id)
		if was < 0 || is < 0 || d.has(ToolResult, id) || s.Role == Note && d.index.started[id] {
			continue
		}
		if a, b := &ours.Sections[was], &d.Sections[is]; a.Text() == b.Text() && a.Tool() == b.Tool() {
			out = append(out, s)
		}
	}
	return out
}
