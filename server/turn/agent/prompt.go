package agent

import (
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/provider/acp"
	"vibey/server/turn/record"
)

// handoverMost is how much of a dialog's text a new session is handed: the end of it.
const handoverMost = 100 << 10

// promptBlocks is the next prompt: for a new session the system text and the dialog so far,
// then what was not answered yet.
func (p *Partner) promptBlocks(s *session) ([]acp.ContentBlock, error) {
	h := p.turn.History()
	var texts []string
	for _, it := range h.Items[h.Stable:] {
		if it.Kind == history.UserText {
			texts = append(texts, it.Text)
		}
	}
	var before []string
	for _, s := range unsent(p.turn.Dialog()) {
		text := s.Text()
		if s.Role == dialog.User {
			text = dialog.UserInput(s)
		}
		if !slices.Contains(texts, text) { // an answer without words ends no message
			before = append(before, text)
		}
	}
	texts = append(before, texts...)
	if len(texts) == 0 {
		if err := p.note("nudge", "model", record.Continue); err != nil {
			return nil, err
		}
		texts = []string{record.Continue}
	}
	var blocks []acp.ContentBlock
	if !p.knowsDialog() {
		blocks = append(blocks, acp.Text(h.System))
		past := slices.Clone(h.Items[:h.Stable])
		for _, it := range h.Items[h.Stable:] {
			if it.Kind == history.ResultItem {
				past = append(past, it) // of the last calls, which no answer has followed
			}
		}
		if past := handover(past); past != "" {
			what, why := " began a new session, and was handed the text of this dialog.", beganElsewhere
			switch {
			case s.edited:
				what += " What it remembers was changed in the file."
			case s.loaded:
				what, why = " goes on with its session, and was handed the text of this dialog again: nothing here shows that it got it before.", mayBeKnown
			}
			if err := p.note("handover", "human", "The agent "+s.name+what); err != nil {
				return nil, err
			}
			blocks = append(blocks, acp.Text("[HANDOVER] "+why+past))
		}
	}
	for _, text := range texts {
		blocks = append(blocks, acp.Text(text))
	}
	return blocks, nil
}

// handover is the past of a dialog as a text, "" if there is none.
func handover(items []history.Item) string {
	var b strings.Builder
	for _, it := range items {
		switch it.Kind {
		case history.UserText:
			b.WriteString("\n## User\n\n" + it.Text + "\n")
		case history.AssistantText:
			b.WriteString("\n## Assistant\n\n" + it.Text + "\n")
		case history.CallItem:
			b.WriteString("\n## Tool call " + it.Tool + "\n\n" + dialog.Cut(it.Args, 2000) + "\n")
		case history.ResultItem:
			b.WriteString("\n## Its result\n\n" + dialog.Cut(it.Text, 2000) + "\n")
		}
	}
	text := b.String()
	if text == "" {
		return ""
	}
	if cut := len(text) - handoverMost; cut > 0 {
		text = "\n(The beginning is left out.)\n" + strings.ToValidUTF8(text[cut:], "")
	}
	return text
}

// What a handover begins with.
const (
	beganElsewhere = "This conversation began in another session, of which you know nothing. What was said and done in it follows; go on from there.\n"
	mayBeKnown     = "What was said and done in this conversation until now follows. You may know it already; go on from there.\n"
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
