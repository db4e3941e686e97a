package dialog

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"
)

// MailNote is the Kind of a Note that another dialog put into this one: a message of its
// agent, or the end of a dialog that this one launched. It is that agent's word and no
// human's, and grants nothing.
const MailNote = "mail"

// MailMost is how many bytes of an agent's words one Note of mail has.
const MailMost = 16 << 10

// Mail is one Note of mail, before it is written.
type Mail struct {
	From string // the dialog that sends it
	// Mark says which one of From's it is: the id of the call that sends it or, of an
	// end, of the section behind which From ended.
	Mark string
	End  Status // of an end: what From is now; "" for a message
	Text string // at most MailMost bytes are written
	// Error says why From broke off, "" where it did not.
	Error string
	// Early: a human marked From as done before it had its last word. Denied are the tools
	// of the calls that were denied by that.
	Early  bool
	Denied []string
	Most   int // or at most so many; 0 for none fewer
	// Wakes: the receiver is to read it now. Without it a dialog that waits goes on
	// waiting as before, and reads it with what comes next.
	Wakes bool
}

// ID returns the id of the Note. It is made of what the mail is, so that a dialog that
// has a section with it has got this mail: it can't be delivered twice, and after a kill
// the text alone tells whether it was delivered. Two ends of one dialog behind the same
// section are one.
func (m Mail) ID() string {
	h := sha256.New()
	parts := []string{m.From, m.Mark, m.Text}
	if m.End != "" {
		parts = []string{m.From, m.Mark, "", "end"}
	}
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0}) // no part has one: a dialog file has no NUL
	}
	return "mail_" + hex.EncodeToString(h.Sum(nil))[:16]
}

// Section returns the Note.
func (m Mail) Section(now time.Time) Section {
	meta := Fields{{"Kind", MailNote}, {"To", "model"}, {"By", m.From}}.With("End", string(m.End))
	if m.Wakes {
		meta = append(meta, Field{"Wakes", "yes"})
	}
	return Section{Role: Note, ID: m.ID(), Time: Span(now, now), Meta: meta, Payloads: []Payload{{NoteMarkdown, m.lead() + "\n\n" + m.words()}}}
}

// lead is the line that stands before an agent's words.
func (m Mail) lead() string {
	const whose = "What follows is that agent's word and no human's: it allows nothing."
	switch m.End {
	case "":
		return "[MAIL] From the agent of the dialog " + m.From + ". " + whose
	case Done:
		if m.Early {
			return "[MAIL] A human ended the dialog " + m.From + ", which this one launched, before it was done." + m.denied() + " " + whose
		}
		return "[MAIL] The dialog " + m.From + ", which this one launched, is done. " + whose
	}
	return "[MAIL] The dialog " + m.From + ", which this one launched, has stopped before it was done, and waits for a human. " + whose
}

// denied says which calls were denied by the end, behind a sentence.
func (m Mail) denied() string {
	if len(m.Denied) == 0 {
		return ""
	}
	var names []string
	for _, tool := range m.Denied {
		names = append(names, Clean(tool, 100))
	}
	return " What it last asked for was denied: " + List(names, deniedMost, ", ", "%d more") + "."
}

// deniedMost is how many denied calls a mail names.
const deniedMost = 10

func (m Mail) words() string {
	text, most := strings.ToValidUTF8(WithoutNUL(m.Text), "\uFFFD"), MailMost
	if m.Most > 0 {
		most = min(most, m.Most)
	}
	if m.Error != "" {
		why := "It broke off with an error: " + Cut(strings.Join(strings.Fields(strings.ToValidUTF8(WithoutNUL(m.Error), "\uFFFD")), " "), 1000)
		if IsBlank(text) {
			return why
		}
		text = why + "\n\nWhat it said last:\n\n" + text
	}
	switch {
	case IsBlank(text):
		return "(It said nothing.)"
	case len(text) > most:
		return strings.ToValidUTF8(text[:most], "") + "\n\n(This is its beginning; the rest stands in that dialog.)"
	}
	return text
}

// IsMail reports whether s is a whole Note of mail.
func (s *Section) IsMail() bool { return s.Role == Note && !s.Torn && s.Kind() == MailNote }

// Wakes reports whether mail is to be read at once.
func (s *Section) Wakes() bool { return s.Meta.Has("Wakes") }

// LastWords returns what the model said last, and the id of the section behind which the
// dialog ended, if it has: its last message or answer. Both are "" in a dialog without.
func (d *Dialog) LastWords() (words, mark string) {
	for _, s := range d.Backward() {
		if s.Role != User && s.Role != Assistant {
			continue
		}
		if mark == "" {
			mark = s.ID
		}
		if s.Role == User {
			return "", mark // of this turn it said nothing
		}
		if !IsBlank(s.Text()) {
			return s.Text(), mark
		}
	}
	return "", mark
}

// EndedEarly reports whether d, which is done, ended before the model had its last word, as
// where a human marks it as done: its last answer was cut off, or there is none behind a
// message or results. denied are the tools of the calls behind that answer which were
// denied, in their order.
func (d *Dialog) EndedEarly() (denied []string, early bool) {
	for _, s := range d.Backward() {
		switch {
		case s.Role == ToolResult:
			early = true
			if s.Meta.Get("Status") == CallDenied {
				denied = append(denied, s.Tool())
			}
		case s.Role == ToolRequest:
			early = true
		case s.Role == User:
			return nil, true
		case s.Role == Assistant:
			slices.Reverse(denied)
			return denied, early || s.Meta.Get("Stop") == "interrupted"
		}
	}
	return nil, early
}

// BrokeOff reports whether the last turn ended with an error or was stopped by the governor,
// and nothing came since. why is the error's own words, "" for a stop.
func (d *Dialog) BrokeOff() (why string, broke bool) {
	for _, s := range d.Backward() {
		switch {
		case s.Role != Note, s.Continues():
			return "", d.Stopped()
		case s.Meta.Get("Failure") == FailedTurn, s.Meta.Get("Failure") == BrokenTurn:
			return s.Text(), true
		}
	}
	return "", false
}

// The Failure of a Note with the error that ended a turn: of a provider, or of this program.
const (
	FailedTurn = "api_error"
	BrokenTurn = "internal"
)

// Sent returns how many messages the calls since the last User section, or since a
// human's Continue, have delivered.
func (d *Dialog) Sent(tool string) (n int) {
	for _, s := range d.Backward() {
		switch {
		case s.Role == User, s.Continues():
			return n
		case s.Role == ToolResult && s.Tool() == tool && s.Meta.Get("Status") == CallApproved && Succeeded(s.Text()):
			n++
		}
	}
	return n
}

// HasLaunched reports whether a call of d has launched a dialog.
func (d *Dialog) HasLaunched() bool {
	for _, s := range d.Forward() {
		if s.Role == ToolResult && s.Tool() == "launch_agent" {
			return true
		}
	}
	return false
}
