package history

import "vibey/dialog"

// System returns the system text that d's model gets. The System section that counts
// is the first whole one. Where damage left none, the text of the first that has
// one counts, and whole is false: then the caller appends another System section.
func System(d *dialog.Dialog) (system string, whole bool) {
	i, whole := counting(d)
	if i < 0 {
		return "", false
	}
	return d.Sections[i].Payload(dialog.SystemMarkdown), whole
}

// CallsByTags reports whether the text that System returns says how to call tools by tags.
func CallsByTags(d *dialog.Dialog) bool {
	i, _ := counting(d)
	return i >= 0 && callsByTags(&d.Sections[i])
}

// counting returns the index of the System section whose text counts, or -1; see System.
func counting(d *dialog.Dialog) (i int, whole bool) {
	first := -1
	for _, i := range d.Systems() {
		s := &d.Sections[i]
		if Whole(s) {
			return i, true
		}
		if first < 0 && !dialog.IsBlank(s.Payload(dialog.SystemMarkdown)) {
			first = i
		}
	}
	return first, false
}

// Tools returns the tools/json of the System section that counts, "" where none is
// whole.
func Tools(d *dialog.Dialog) string {
	if i, whole := counting(d); whole {
		return d.Sections[i].Payload(dialog.ToolsJSON)
	}
	return ""
}

// Whole reports whether s, a System section, is whole: with a text, and with
// tools that a provider takes.
func Whole(s *dialog.Section) bool {
	_, ok := readTools(s.Payload(dialog.ToolsJSON))
	return ok && !dialog.IsBlank(s.Payload(dialog.SystemMarkdown))
}
