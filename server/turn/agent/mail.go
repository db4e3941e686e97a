package agent

import (
	"vibey/dialog"
	"vibey/provider/acp"
	"vibey/server/turn/record"
)

// unsent returns the mail that came during the agent's last prompt: it stands in the file
// before the agent's last words, and no prompt has sent it. The same holds for a message,
// and the Notes before it, if answers to the message before stand behind it. What stands
// behind that is part of the next prompt anyway.
func unsent(d *dialog.Dialog) (mail []*dialog.Section) {
	var later []*dialog.Section // mail that stands before an answer of the prompt, whose others come before it
	answers, late := 0, ""      // late is the prompt that the last answers are still about
	for _, s := range d.Backward() {
		switch {
		case s.Role == dialog.Assistant && answers == 0 && s.Meta.Has(dialog.AnswersKey):
			late = s.Meta.Get(dialog.AnswersKey)
		case late != "" && s.Role == dialog.User && s.ID == late:
			return mail
		case late != "" && (s.Role == dialog.User || s.Role == dialog.Note && s.Meta.Get("To") == "model"):
			mail = append([]*dialog.Section{s}, mail...)
		case s.Role == dialog.Assistant:
			if s.Meta.Get("Api") != acp.API || answers > 0 && s.Meta.Get("Stop") != "calls" {
				return mail // the prompt before
			}
			answers++
			mail, later = append(later, mail...), nil
		case s.IsMail() && answers > 0:
			later = append([]*dialog.Section{s}, later...)
		case brokeOff(s) && answers > 0, s.Role == dialog.User && answers > 0, s.Continues() && answers > 0, s.Role == dialog.Note && s.Kind() == sessionNote:
			return mail
		}
	}
	return mail
}

// brokeOff reports whether a result shows that its prompt ended there, without an answer of
// the agent: what follows is another prompt's.
func brokeOff(s *dialog.Section) bool {
	if s.Role != dialog.ToolResult || s.Meta.Get("Status") != dialog.CallError {
		return false
	}
	text := s.Text()
	return text == record.Failure(record.AgentEnded) || text == record.Failure(agentBroke) || text == record.Failure(record.OutcomeUnknown)
}
