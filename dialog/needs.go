package dialog

// Needs is what a dialog waits for.
type Needs string

// What a dialog can need.
const (
	NeedsApproval Needs = "approval" // calls that a human has to decide
	NeedsReply    Needs = "reply"    // the model has said its word
	NeedsContinue Needs = "continue" // the turn broke off and can go on
	NeedsNone     Needs = "none"     // it runs, or it is done
)

// NeedsOf tells what a dialog with that status waits for, from its text.
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

// brokenOff tells whether the last turn ended before the model had its word:
// a message or results that nobody answered, or an answer that was cut or empty. Without
// a message there was no turn: one that was torn as it was written asks anew.
func (d *Dialog) brokenOff() bool {
	if !d.Asked() {
		return false
	}
	for i := len(d.Sections) - 1; i >= 0; i-- {
		s := &d.Sections[i]
		if s.Torn {
			return true
		}
		switch s.Role {
		case User, ToolRequest:
			return true
		case ToolResult:
			return true
		case Assistant:
			stop := s.Meta.Get("Stop")
			return stop == "interrupted" || stop == "error" || stop == "length" || isBlank(s.Text())
		case Note:
			if s.Meta.Get("To") == "model" {
				return true
			}
		}
	}
	return false
}

// Asked tells whether d holds a whole message.
func (d *Dialog) Asked() bool {
	for i := range d.Sections {
		if d.Sections[i].Role == User && !d.Sections[i].Torn {
			return true
		}
	}
	return false
}
