package dialog

import (
	"strconv"
	"strings"
)

// A fork is a dialog that begins with another one's text, up to the end of a section.
// What ran in that text ran in the other dialog. None of its approvals count here, since
// a Mac is bound to the dialog that it was made for.

// Origin is where a dialog was forked from: the end of a section of another one.
type Origin struct{ Dialog, At string }

// originMark stands between the two in the header's "> From: <dialog> at <section>".
// That of a launched dialog is an id alone.
const originMark = " at "

// originIn reads such a line.
func originIn(f Field) (o Origin, ok bool) {
	id, at, ok := strings.Cut(f.Value, originMark)
	if !ok || f.Key != "From" || !ValidID(id) || at == "" {
		return Origin{}, false
	}
	return Origin{id, at}, true
}

// Origin returns where a dialog was forked from; ok is false if it is no fork.
func (h *Header) Origin() (o Origin, ok bool) { return originIn(Field{"From", h.Meta.Get("From")}) }

// cacheLine names in the head of a fork's fork the dialog under whose name a provider keeps
// the text that they share.
const cacheLine = "Cache"

// CacheKey returns the name under which a provider keeps the text of the dialog id, with
// this head: that of the dialog that it began as.
func (h *Header) CacheKey(id string) string {
	o, forked := h.Origin()
	if first := h.Meta.Get(cacheLine); forked && ValidID(first) {
		return first
	} else if forked {
		return o.Dialog
	}
	return id
}

// Forked returns the lines in the head of a fork of the dialog id, with the head h, at the
// end of a section.
func (h *Header) Forked(id, at string) Fields {
	meta := Fields{{"From", id + originMark + at}}
	if first := h.CacheKey(id); first != id {
		meta = append(meta, Field{cacheLine, first})
	}
	return meta
}

// Last returns the index of the section at which text up to an id ends. A call and its
// result have one id: it names the result, so that nothing that ran is said not to have.
func (d *Dialog) Last(id string) (i int, ok bool) {
	if i := d.Find(ToolResult, id); i >= 0 {
		return i, true
	}
	return d.First(id)
}

// Inherited returns how many sections at d's beginning are of the dialog that it was
// forked from.
func (d *Dialog) Inherited() int {
	o, forked := d.Header.Origin()
	if !forked {
		return 0
	}
	i, ok := d.Last(o.At)
	if !ok {
		return 0
	}
	return i + 1
}

// Fork returns the text of a dialog with the head h that goes on as d does up to the end
// of section i, which was read from a file. Hand-written text of a head that may have
// lost lines is left out: it would make the fork a launched dialog.
func (d *Dialog) Fork(h Header, i int) string {
	if !d.Header.Damaged {
		h.Loose = d.Header.Loose
	}
	text := AppendHeader(nil, &h)
	if d.Sections[0].Role != Hole {
		text = append(text, '\n')
	}
	upTo := d.Sections[i].end
	if d.blankBefore(upTo) {
		upTo--
	}
	return string(append(text, d.src[d.Sections[0].off:upTo]...))
}

// ForkTitle is the title of a fork at section i of d, which has that title: "Poem (from
// message 2)", or "(from answer 2)" for what stands behind the human's second message.
func ForkTitle(d *Dialog, title string, i int) string {
	what, n := "answer", 0
	for k := range d.Sections[:i+1] {
		if s := &d.Sections[k]; s.Role == User && !s.Torn {
			n++
		}
	}
	if d.Sections[i].Role == User {
		what = "message"
	}
	from := " (from " + what + " " + strconv.Itoa(n) + ")"
	return Cut(title, TitleMax-len(from)) + from
}
