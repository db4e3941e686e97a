package dialog

import (
	"slices"
	"strings"
	"time"
)

// marksTorn reports whether s is the Note that RepairTail puts behind a torn section.
func (s *Section) marksTorn() bool {
	return s.Role == Note && s.Meta.Get("Torn") == "yes"
}

// hasTools reports whether ps, a System section's, have the second one, the tools.
func hasTools(ps []Payload) bool {
	return slices.ContainsFunc(ps, func(p Payload) bool { return p.Type == ToolsJSON })
}

// torn reports whether d's text ends in the middle of a section that a server
// was writing: a payload without its end, or metadata without a payload. What a
// hand wrote without metadata is not torn, only unfinished; nor is an open
// response, which has no head and never had an end.
func (d *Dialog) torn() bool {
	if len(d.Sections) == 0 {
		return false
	}
	s := &d.Sections[len(d.Sections)-1]
	if s.lost || !strings.HasPrefix(d.src, title) {
		return s.lost
	}
	cut := d.cutLine()
	switch {
	case len(s.Payloads) == 0:
		return true
	case s.bare && !s.written():
		return s.Text() == cut && (strings.HasPrefix("> Id:", cut) || d.cutHeading())
	case s.bare:
		return s.Text() == cut && (cut[0] == '>' || strings.HasPrefix(Fence, cut))
	case s.written() && (s.unclosed || s.half || s.Role == System && !hasTools(s.Payloads)):
		return true
	}
	return cut != "" && s.Loose != "" && strings.HasPrefix(Fence, cut) // within the next payload's fence
}

// cutLine returns the last line of d's text, "" if a line feed ends it.
func (d *Dialog) cutLine() string {
	return d.src[strings.LastIndexByte(d.src, '\n')+1:]
}

// cutHeading reports whether d's text ends within the heading of a section.
func (d *Dialog) cutHeading() bool {
	cut := d.cutLine()
	return cut != "" && slices.ContainsFunc(roles, func(r roleSpec) bool { return strings.HasPrefix("## "+string(r.name), cut) })
}

// unmarkedLoss returns the text of the Note about text that was lost in d, "" if none was
// lost or a Note behind it says so already.
func (d *Dialog) unmarkedLoss() string {
	const cut = "A part of this file was lost above, as by a power cut in the middle of writing it: zeros stand in its place, or text without its heading. What is left of it is kept as it was and counts for nothing."
	for i := len(d.Sections) - 1; i >= 0; i-- {
		switch s := &d.Sections[i]; {
		case s.merged:
			return mergeText
		case s.lost:
			return cut
		case s.Role == Note && s.Kind() == "conflict":
			return ""
		}
	}
	if d.headTorn {
		return cut
	}
	return ""
}

// RepairTail returns what must be appended to a file so that what comes next is
// read as sections: nothing to a whole file, a line feed to one that does not end
// in one, a closing fence to a payload that a hand left open, a Note that marks the
// last section as torn, or one that says that text was lost above. The damaged
// text itself stays as it is.
func RepairTail(src string, now time.Time) string {
	if src == "" {
		return ""
	}
	d := Parse(src)
	out := []byte{}
	if src[len(src)-1] != '\n' {
		out = append(out, '\n')
	}
	n := len(d.Sections)
	torn := d.torn()
	if !torn && n > 0 && d.Sections[n-1].unclosed && d.Sections[n-1].end == len(d.src) {
		out = append(append(out, Fence...), '\n')
	}
	lost := d.unmarkedLoss()
	switch {
	case torn && !d.Sections[n-1].merged: // the marks of a merge tell by themselves, until a human takes them out
		// No fence closes the payload: a power cut in the middle of this repair must not
		// leave a section that looks whole. The payload ends at the Note.
		out = d.appendTornNote(out, now, "The section above was cut off when the server stopped in the middle of writing it. It is kept as it was and counts for nothing.", "yes")
	case n > 0 && d.cutHeading():
		out = d.appendTornNote(out, now, "The line above is the beginning of a section that was cut off when the server stopped in the middle of writing it.", "")
	case lost != "":
		out = d.appendTornNote(out, now, lost, "")
	}
	text := d.lineEnds(out)
	if d.index.crlf && strings.HasSuffix(src, "\r") {
		text = strings.TrimPrefix(text, "\r") // cut between the two
	}
	return text
}

func (d *Dialog) appendTornNote(dst []byte, now time.Time, text, torn string) []byte {
	note := Section{
		Role: Note, ID: d.NextID(Note, now, 0), Time: Span(now, now),
		Meta:     Fields{{"Kind", "conflict"}, {"To", "human"}}.With("Torn", torn),
		Payloads: []Payload{{NoteMarkdown, text}},
	}
	return AppendSection(dst, &note)
}
