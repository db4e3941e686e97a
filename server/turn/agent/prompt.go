package agent

import (
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/dialog/picture"
	"vibey/provider/acp"
	"vibey/server/turn/record"
)

// handoverMost is how much of a dialog's text a new session is handed: the end of it.
const handoverMost = 100 << 10

// promptBlocks is the next prompt: for a new session the system text and the dialog so far,
// then what was not answered yet.
func (p *Partner) promptBlocks(s *session) ([]acp.ContentBlock, error) {
	pictures, err := p.turn.Pictures(s.images)
	if err != nil {
		return nil, err
	}
	h := p.turn.History()
	var texts []string
	var said []acp.ContentBlock // the texts, and pictures between them
	for _, it := range h.Items[h.Stable:] {
		switch it.Kind {
		case history.UserText:
			texts = append(texts, it.Text)
			said = append(said, acp.Text(it.Text))
		case history.PictureItem:
			if b := pictures[it.SHA256]; b != nil {
				said = append(said, acp.Image(picture.Kind(b), b))
			}
		}
	}
	var before []acp.ContentBlock
	for _, s := range unsent(p.turn.Dialog()) {
		text := s.Text()
		if s.Role == dialog.User {
			text = dialog.UserMessage(s)
		}
		if !slices.Contains(texts, text) { // an answer without words ends no message
			before = append(before, acp.Text(text))
		}
	}
	said = append(before, said...)
	if len(said) == 0 {
		if err := p.note("nudge", "model", record.Continue); err != nil {
			return nil, err
		}
		said = []acp.ContentBlock{acp.Text(record.Continue)}
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
	return append(blocks, said...), nil
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
