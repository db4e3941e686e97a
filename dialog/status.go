package dialog

import "strings"

// Status is where a dialog stands. The file name is its truth; the header repeats it.
type Status string

// The statuses of a dialog.
const (
	Active  Status = "active"
	Waiting Status = "waiting"
	Done    Status = "done"
)

// Valid reports whether s is one of the three statuses.
func (s Status) Valid() bool { return s == Active || s == Waiting || s == Done }

// statusWidth is the width to which the header's status word is padded, so that
// another word can be written over it without moving a byte.
const statusWidth = len("waiting")

// StatusWord is the status as it is written over the header's, always the same width.
func StatusWord(s Status) string {
	return string(s) + strings.Repeat(" ", max(0, statusWidth-len(s)))
}

// StatusOffset finds the status word in a file's head: the place of its first
// byte. ok is false where no word stands that can be written over.
func StatusOffset(head string) (off int, ok bool) {
	at := len(head) - len(strings.TrimPrefix(head, BOM))
	for line := range strings.Lines(head[at:]) {
		if value, found := strings.CutPrefix(line, "> Status: "); found {
			word, whole := strings.CutSuffix(value, "\n")
			ok = whole && len(strings.TrimRight(word, "\r")) == statusWidth && Status(strings.TrimSpace(word)).Valid()
			return at + len("> Status: "), ok
		}
		if strings.HasPrefix(line, "## ") {
			break
		}
		at += len(line)
	}
	return 0, false
}

// Needs is what a dialog waits for.
type Needs string

// What a dialog can need.
const (
	NeedsApproval Needs = "approval" // calls that a human has to decide
	NeedsReply    Needs = "reply"    // the model has answered
	NeedsContinue Needs = "continue" // the turn broke off and can go on
	NeedsNone     Needs = "none"     // it runs, or it is done
)

// Continues reports whether s is the Note that a human's Continue left: what counts
// within a turn, such as its rounds, counts anew behind it.
func (s *Section) Continues() bool {
	return s.Role == Note && !s.Torn && s.Meta.Get("By") == "human" && (s.Kind() == "nudge" || s.Kind() == "budget")
}

// Stopped reports whether the governor stopped the last turn, and no Continue came
// since.
func (d *Dialog) Stopped() bool {
	for _, s := range d.Backward() {
		switch {
		case s.Role == User, s.Continues():
			return false
		case s.Role == Note && s.Meta.Has("Stop"):
			return true
		}
	}
	return false
}

// AsksModel reports whether s is a Note that the model is to answer. A Note about a commit
// or an undo waits for the next message, and so does mail without "> Wakes:".
func (s *Section) AsksModel() bool {
	if s.Role != Note || s.Meta.Get("To") != "model" {
		return false
	}
	switch s.Kind() {
	case CommitNote, UndoNote:
		return false
	case MailNote:
		return s.Wakes()
	}
	return true
}

// AnswersKey is the metadata of an agent's Assistant that names the User section which it
// answers, where that is not the last one: what was approved with a prompt comes to its
// end behind that prompt.
const AnswersKey = "Answers"

// coversAnything reports whether s may change what Covers returns.
func (s *Section) coversAnything() bool {
	return !s.Torn && (s.Role == Summary && s.Meta.Has("Covers") || s.Role == Note && s.Kind() == "summary-undone")
}

// Version is how often a section that was there became torn: what was derived from
// the sections before is to be derived anew when it changes.
func (d *Dialog) Version() int { return d.index.version }
