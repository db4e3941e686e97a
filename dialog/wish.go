package dialog

import (
	"crypto/hmac"
	"strings"
)

// wishDomain keeps the Macs of wishes apart from those of Authorizations.
const wishDomain = "vibey/wish/1"

// confirmedMark begins the last line of a wish that a human has confirmed.
const confirmedMark = "# confirmed "

// Wish is the control text that a doc wants to hold in each new dialog of its
// project. It holds only once a human has confirmed it, to the letter.
type Wish struct {
	Text string // without the line that confirms it
	Mac  string // of that line, "" for none

	start, end int // of the payload in the doc
}

// FindWish reads the first control/v1 block of a doc; ok is false where there is none.
func FindWish(doc string) (w Wish, ok bool) {
	eachBlock(doc, func(typ, text string, at, next int) {
		if typ == ControlV1 && !ok {
			w, ok = Wish{Text: text, start: at, end: strings.LastIndex(doc[:next], fence)}, true
			w.split()
		}
	})
	return w, ok
}

// split takes the confirming line off the text.
func (w *Wish) split() {
	body := strings.TrimRight(w.Text, "\n")
	i := strings.LastIndexByte(body, '\n') + 1
	if mac, ok := strings.CutPrefix(body[i:], confirmedMark); ok {
		w.Mac = strings.TrimSpace(mac)
		w.Text = strings.TrimSuffix(body[:i], "\n")
	}
}

// wishMac is the lowercase hex Mac of a wish in a project.
func (a Authority) wishMac(text string) string {
	return a.mac(wishDomain, a.Project, text)
}

// Confirmed tells whether a human of this installation confirmed the wish as it stands.
func (a Authority) Confirmed(w Wish) bool {
	return len(a.Key) > 0 && hmac.Equal([]byte(w.Mac), []byte(a.wishMac(w.Text)))
}

// Confirm returns the doc with its wish confirmed, or the doc as it is where
// it has none.
func (a Authority) Confirm(doc string) string {
	w, ok := FindWish(doc)
	if !ok {
		return doc
	}
	text := w.Text
	if text != "" {
		text += "\n"
	}
	return doc[:w.start] + Escape(text+confirmedMark+a.wishMac(w.Text)) + "\n" + doc[w.end:]
}
