package turn

import (
	"vibey/dialog"
	"vibey/provider/acp"
)

// untold returns the mail that came while the agent was at its last prompt, or waited in
// it for a human: the file has it before what the agent said last, and no prompt has
// told it. What stands behind that is told by the next prompt anyway.
func untold(d *dialog.Dialog) (texts []string) {
	var later []string // mail that stands before an answer of the prompt, whose others come before it
	answers := 0
	for i := len(d.Sections) - 1; i >= 0; i-- {
		switch s := &d.Sections[i]; {
		case s.Torn:
		case s.Role == dialog.Assistant:
			if s.Meta.Get("Api") != acp.API || answers > 0 && s.Meta.Get("Stop") != "calls" {
				return texts // the prompt before
			}
			answers++
			texts, later = append(later, texts...), nil
		case s.IsMail() && answers > 0:
			later = append([]string{s.Text()}, later...)
		case s.Role == dialog.User && answers > 0, s.Continues() && answers > 0, s.Role == dialog.Note && s.Kind() == sessionNote:
			return texts
		}
	}
	return texts
}

// hasUntold reports whether the dialog's agent ended its prompt without mail that came
// meanwhile.
func (t *turn) hasUntold() bool {
	p, _ := t.asksAgent()
	return p != nil && len(untold(t.dialog())) > 0
}
