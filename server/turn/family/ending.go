package family

import (
	"errors"

	"vibey/dialog"
	"vibey/provider"
	"vibey/tools/caught"
)

// endOf is the mail about the end of the dialog id.
func endOf(d *dialog.Dialog, id string, st dialog.Status) dialog.Mail {
	words, mark := d.LastWords()
	m := dialog.Mail{From: id, Mark: mark, End: st, Text: words}
	if st == dialog.Done {
		m.Denied, m.Early = d.EndedEarly()
	}
	return m
}

// endInText is the mail about the end of the dialog id, by its text alone: it is done, or
// its last turn broke off. ok is false if it has not ended.
func endInText(d *dialog.Dialog, id string, st dialog.Status) (m dialog.Mail, ok bool) {
	why, broke := d.BrokeOff()
	if st != dialog.Done && (st != dialog.Waiting || !broke) {
		return m, false
	}
	m = endOf(d, id, st)
	if st == dialog.Waiting {
		m.Error = why
	}
	return m, m.Mark != ""
}

// endError is the reason why a turn broke off, in words for another agent: a provider's
// own, or the kind of fault; "" for nil.
func endError(err error) string {
	var p *provider.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &p):
		return p.Message
	case caught.Of(err) != nil:
		return "A fault of the server stopped it. Its human can press Continue there."
	}
	return "Its file could not be written, or somebody else changed it meanwhile."
}

// Ending returns the mail about the end of dialog id, which became that status, and which
// dialog launched it. ok is false if nothing is to be sent.
func Ending(d *dialog.Dialog, id string, became dialog.Status, failure error) (m dialog.Mail, parent string, ok bool) {
	if parent = d.Header.Meta.Get("From"); !dialog.ValidID(parent) || parent == id {
		return m, "", false
	}
	m = endOf(d, id, became)
	m.Error = endError(failure)
	return m, parent, m.Mark != ""
}
