package dialog

import "slices"

// NeedsOf returns what a dialog with that status waits for. calls are Decide's.
func NeedsOf(d *Dialog, st Status, calls []Call) Needs {
	if st != Waiting {
		return NeedsNone
	}
	runnable := false
	for _, c := range calls {
		if c.Verdict == Wait {
			return NeedsApproval
		}
		runnable = true
	}
	if runnable || d.brokenOff() {
		return NeedsContinue
	}
	return NeedsReply
}

// brokenOff reports whether the last turn ended without a whole answer of the
// model: behind a message or results there is none, or it was cut or is empty.
// Without a whole message there was no turn, and nothing to go on with.
func (d *Dialog) brokenOff() bool {
	if !d.HasPrompt() {
		return false
	}
	if d.stopped() {
		return true
	}
	for i := range slices.Backward(d.Sections) {
		s := &d.Sections[i]
		if s.Torn {
			return true
		}
		switch s.Role {
		case User, ToolRequest, ToolResult:
			return true
		case Assistant:
			if s.Meta.Has(AnswersKey) {
				continue // of the prompt before: the last one has no answer yet
			}
			return s.CutOff() || IsBlank(s.Text())
		case Note:
			if s.AsksModel() {
				return true
			}
		}
	}
	return false
}

// stopped reports whether the governor stopped the last turn, and no Continue came
// since.
func (d *Dialog) stopped() bool {
	for i := range slices.Backward(d.Sections) {
		s := &d.Sections[i]
		switch {
		case s.Torn:
		case s.Role == User, s.Continues():
			return false
		case s.Role == Note && s.Meta.Has("Stop"):
			return true
		}
	}
	return false
}
