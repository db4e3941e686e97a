package dialog

// Told is what d's model is told before all else, as far as the file still
// says so. The System section that counts is the first whole one. Where damage
// left none, the text of the first that has one counts, and whole is false: then
// the model has to be told anew, in another System section.
func (d *Dialog) Told() (system string, whole bool) {
	if i := d.wholeSystem(); i >= 0 {
		return d.Sections[i].Payload(SystemMarkdown), true
	}
	for _, i := range d.index.systems {
		if text := d.Sections[i].Payload(SystemMarkdown); !isBlank(text) {
			return text, false
		}
	}
	return "", false
}

// Tools is the tools/json of the System section that counts, "" where no whole
// one is there.
func (d *Dialog) Tools() string {
	if i := d.wholeSystem(); i >= 0 {
		return d.Sections[i].Payload(ToolsJSON)
	}
	return ""
}

// wholeSystem is the place of the first whole System section, or -1. Each is
// looked at once.
func (d *Dialog) wholeSystem() int {
	ix := &d.index
	for ; ix.whole == 0 && ix.judged < len(ix.systems); ix.judged++ {
		if i := ix.systems[ix.judged]; d.Sections[i].TellsAll() {
			ix.whole = i + 1
		}
	}
	return ix.whole - 1
}

// TellsAll reports whether s, a System section, is whole: with a text, and with
// tools that a provider takes.
func (s *Section) TellsAll() bool {
	_, ok := readTools(s.Payload(ToolsJSON))
	return ok && !isBlank(s.Payload(SystemMarkdown))
}
