package dialog

// Told returns the system text that d's model gets. The System section that counts
// is the first whole one. Where damage left none, the text of the first that has
// one counts, and whole is false: then the caller appends another System section.
func (d *Dialog) Told() (system string, whole bool) {
	i, whole := d.toldBy()
	if i < 0 {
		return "", false
	}
	return d.Sections[i].Payload(SystemMarkdown), whole
}

// TellsTags reports whether the text that Told returns tells the model how to call its
// tools by tags.
func (d *Dialog) TellsTags() bool {
	i, _ := d.toldBy()
	return i >= 0 && d.Sections[i].tellsTags()
}

// toldBy returns the index of the System section whose text counts, or -1; see Told.
func (d *Dialog) toldBy() (i int, whole bool) {
	first := -1
	for _, i := range d.Systems() {
		s := &d.Sections[i]
		if s.TellsAll() {
			return i, true
		}
		if first < 0 && !IsBlank(s.Payload(SystemMarkdown)) {
			first = i
		}
	}
	return first, false
}

// Tools returns the tools/json of the System section that counts, "" where none is
// whole.
func (d *Dialog) Tools() string {
	if i, whole := d.toldBy(); whole {
		return d.Sections[i].Payload(ToolsJSON)
	}
	return ""
}

// TellsAll reports whether s, a System section, is whole: with a text, and with
// tools that a provider takes.
func (s *Section) TellsAll() bool {
	_, ok := readTools(s.Payload(ToolsJSON))
	return ok && !IsBlank(s.Payload(SystemMarkdown))
}
