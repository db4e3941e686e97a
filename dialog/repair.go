package dialog

import (
	"strings"
	"time"
)

// marksTorn tells whether s is the note that a repair puts behind a torn tail.
func (s *Section) marksTorn() bool {
	return s.Role == Note && s.Meta.Get("Torn") == "yes"
}

// torn tells whether d's text ends in the middle of a section that a server
// was writing: a payload without its end, or metadata without a payload.
func (d *Dialog) torn() bool {
	if len(d.Sections) == 0 {
		return false
	}
	s := &d.Sections[len(d.Sections)-1]
	switch {
	case s.unclosed:
		return true
	case s.ID == "" && len(s.Meta) == 0 && len(s.Payloads) > 0:
		return false // written by hand
	case len(s.Payloads) == 0:
		return true
	case len(s.Payloads) == 1 && strings.HasPrefix(fence, strings.TrimSpace(s.Payloads[0].Text)) && !strings.HasSuffix(d.src, fence+"\n") && !strings.HasSuffix(d.src, fence):
		return true // cut within the opening fence
	}
	return s.Role == System && s.Payload(ToolsJSON) == ""
}

// RepairTail returns what must be appended to a file so that what comes next is
// read as sections: nothing for a whole file, a line feed for one without a
// last one, and for a torn tail what closes it and a Note that marks it. The
// torn text itself stays as it is.
func RepairTail(src string, now time.Time) string {
	if src == "" {
		return ""
	}
	d := Parse(src)
	out := []byte{}
	if src[len(src)-1] != '\n' {
		out = append(out, '\n')
	}
	if !d.torn() {
		return d.lineEnds(out)
	}
	if d.Sections[len(d.Sections)-1].unclosed {
		out = append(append(out, fence...), '\n')
	}
	note := Section{
		Role: Note, ID: d.NextID(Note, now, 0), Time: Span(now, now),
		Meta:     Fields{{"Kind", "conflict"}, {"To", "human"}, {"Torn", "yes"}},
		Payloads: []Payload{{NoteMarkdown, "The section above was cut off when the server stopped in the middle of writing it. It is kept as it was and counts for nothing."}},
	}
	return d.lineEnds(AppendSection(out, &note))
}

// Encode is the text that appends sections to d's file, in its line ends.
func (d *Dialog) Encode(secs ...Section) string {
	n := 0
	for i := range secs {
		n += 512
		for _, p := range secs[i].Payloads {
			n += len(p.Text) + 32
		}
	}
	dst := make([]byte, 0, n)
	for i := range secs {
		dst = AppendSection(dst, &secs[i])
	}
	return d.lineEnds(dst)
}

func (d *Dialog) lineEnds(b []byte) string {
	if !d.index.crlf {
		return string(b)
	}
	return strings.ReplaceAll(string(b), "\n", "\r\n")
}

// CloseOpen makes sections of what a killed server left of a response: its
// text and reasoning as far as they came, the calls that were whole, and
// "> Stop: interrupted". It returns nil where the response is in d already, or
// holds nothing. now is the time of the last piece.
func CloseOpen(open string, d *Dialog, now time.Time) []Section {
	o := Parse(open)
	if len(o.Sections) == 0 {
		return nil
	}
	if first := &o.Sections[0]; first.ID == "" || d.Find(first.Role, first.ID) >= 0 {
		return nil
	}
	out := make([]Section, 0, len(o.Sections)+1)
	last := -1
	for i := range o.Sections {
		s := o.Sections[i]
		if s.Role == ToolRequest && (s.unclosed || len(s.Payloads) == 0) {
			continue
		}
		if s.Role == Reasoning && s.unclosed && len(s.Payloads) > 1 {
			s.Payloads = s.Payloads[:1] // half a native block is no block
		}
		if len(s.Payloads) == 0 {
			s.Payloads = []Payload{{s.Role.payloadType(), ""}}
		}
		s.Time = s.Start() + " - " + Stamp(now)
		s.Loose, s.unclosed = "", false
		if CheckSection(&s) != nil || s.Start() == "" {
			continue // cut within its metadata
		}
		if s.Role == Assistant {
			last = len(out)
		}
		out = append(out, s)
	}
	if last < 0 {
		last = len(out)
		out = append(out, Section{Role: Assistant, ID: d.NextID(Assistant, now, 0), Time: Span(now, now), Payloads: []Payload{{OutputMarkdown, ""}}})
	}
	out[last].Meta = out[last].Meta.With("Stop", "interrupted")
	return out
}
