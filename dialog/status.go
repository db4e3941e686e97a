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
