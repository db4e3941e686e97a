package grant

import (
	"slices"

	"vibey/dialog"
)

// Needs returns what a dialog with that status waits for. calls are Decide's.
func Needs(d *dialog.Dialog, st dialog.Status, calls []Call) dialog.Needs {
	if st != dialog.Waiting {
		return dialog.NeedsNone
	}
	switch {
	case slices.ContainsFunc(calls, func(c Call) bool { return c.Verdict == Wait }):
		return dialog.NeedsApproval
	case len(calls) > 0, brokenOff(d):
		return dialog.NeedsContinue
	}
	return dialog.NeedsReply
}

// brokenOff reports whether the last turn ended without a whole answer of the
// model: behind a message or results there is none, or it was cut or is empty.
// Without a whole message there was no turn, and nothing to go on with.
func brokenOff(d *dialog.Dialog) bool {
	if !d.HasPrompt() {
		return false
	}
	if d.Stopped() {
		return true
	}
	for i := range slices.Backward(d.Sections) {
		s := &d.Sections[i]
		if s.Torn {
			return true
		}
		switch s.Role {
		case dialog.User, dialog.ToolRequest, dialog.ToolResult:
			return true
		case dialog.Assistant:
			if s.Meta.Has(dialog.AnswersKey) {
				continue // of the prompt before: the last one has no answer yet
			}
			return s.CutOff() || dialog.IsBlank(s.Text())
		case dialog.Note:
			if s.AsksModel() {
				return true
			}
		}
	}
	return false
}
