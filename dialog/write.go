package dialog

import (
	"slices"
	"strconv"
	"strings"
)

// statusWidth is the width to which the header's status word is padded, so that
// another word can be written over it without moving a byte.
const statusWidth = len("waiting")

// Format writes d canonically. For a canonical file x, Format(Parse(x)) == x.
func Format(d *Dialog) string {
	n := 256
	for i := range d.Sections {
		n += 256
		for _, p := range d.Sections[i].Payloads {
			n += len(p.Text) + 32
		}
	}
	dst := AppendHeader(make([]byte, 0, n), &d.Header)
	kept := d.keptRaw()
	for i := range d.Sections {
		if kept[i] {
			if d.Sections[i].Role != Hole {
				dst = append(dst, '\n')
			}
			dst = append(dst, d.raw(i)...)
			continue
		}
		dst = AppendSection(dst, &d.Sections[i])
	}
	return string(dst)
}

// keptRaw tells of each section whether it is written as it was read: a torn one,
// one in front of a Hole, whose text goes on where that ends, and in front of
// either all that a hand left in another form than the writer's. What is torn is
// found by that form.
func (d *Dialog) keptRaw() []bool {
	kept := make([]bool, len(d.Sections))
	raw := false
	for i := range slices.Backward(d.Sections) {
		s := &d.Sections[i]
		clean := s.written() && len(s.Payloads) > 0 && !s.bare && !s.unclosed && s.Loose == ""
		if i+1 < len(d.Sections) {
			next := &d.Sections[i+1]
			raw = raw && !clean || next.marksTorn() || next.Role == Hole
		}
		raw = (raw || s.lost) && !d.Appended(i)
		kept[i] = raw
	}
	return kept
}

// raw is the text of section i as it was read, without the blank line that
// belongs to the next one; a Hole has none.
func (d *Dialog) raw(i int) string {
	s := &d.Sections[i]
	text := d.src[s.off:s.end]
	if strings.HasSuffix(text, "\n\n") && (i+1 == len(d.Sections) || d.Sections[i+1].Role != Hole) {
		return text[:len(text)-1]
	}
	return text
}

// AppendHeader appends the head of a dialog file to dst.
func AppendHeader(dst []byte, h *Header) []byte {
	dst = append(dst, title+"\n"...)
	dst = appendField(dst, "DialogId", h.DialogID)
	dst = appendField(dst, "Provider", h.Provider)
	dst = appendField(dst, "Model", h.Model)
	dst = append(dst, "> Status: "...)
	dst = append(dst, padStatus(h.Status)...)
	dst = append(dst, '\n')
	dst = appendField(dst, "Started", h.Started)
	for _, f := range h.Meta {
		dst = appendField(dst, f.Key, f.Value)
	}
	if h.Loose != "" {
		dst = append(append(append(dst, '\n'), h.Loose...), '\n')
	}
	return dst
}

func padStatus(s Status) string {
	if len(s) >= statusWidth {
		return string(s)
	}
	return string(s) + strings.Repeat(" ", statusWidth-len(s))
}

// StatusWord is the status as it is written over the header's, always the same width.
func StatusWord(s Status) string { return padStatus(s) }

func appendField(dst []byte, key, value string) []byte {
	dst = append(dst, "> "...)
	dst = append(dst, key...)
	dst = append(dst, ':')
	if value != "" {
		dst = append(append(dst, ' '), value...)
	}
	return append(dst, '\n')
}

// AppendSection appends what one section adds to a file: a blank line, the
// heading, the metadata, the payloads, escaped.
func AppendSection(dst []byte, s *Section) []byte {
	dst = append(dst, "\n## "...)
	dst = append(dst, s.Role...)
	dst = append(dst, '\n')
	dst = appendField(dst, "Id", s.ID)
	lead := min(int(s.lead), len(s.Meta))
	for _, f := range s.Meta[:lead] {
		dst = appendField(dst, f.Key, f.Value)
	}
	dst = appendField(dst, "Time", s.Time)
	dst = append(dst, "> Resources: "...)
	dst = append(s.Resources.append(dst), '\n')
	for _, f := range s.Meta[lead:] {
		dst = appendField(dst, f.Key, f.Value)
	}
	for _, p := range s.Payloads {
		dst = AppendPayload(dst, p)
	}
	if s.Loose != "" {
		dst = append(append(append(dst, '\n'), s.Loose...), '\n')
	}
	return dst
}

// AppendPayload appends a blank line and the fenced payload to dst.
func AppendPayload(dst []byte, p Payload) []byte {
	dst = append(dst, '\n')
	dst = append(dst, fence...)
	dst = append(dst, p.Type...)
	dst = append(dst, '\n')
	dst = appendEscaped(dst, p.Text)
	dst = append(dst, '\n')
	dst = append(dst, fence...)
	return append(dst, '\n')
}

// String is the resources as they stand in a file.
func (r Resources) String() string { return string(r.append(nil)) }

func (r Resources) append(dst []byte) []byte {
	put := func(key string, n int64) {
		dst = append(dst, key...)
		dst = strconv.AppendInt(dst, n, 10)
	}
	put("in=", r.In)
	put(" out=", r.Out)
	put(" total=", r.Total)
	put(" tools=", r.Tools)
	put(" ms=", r.MS)
	if r.Cached != 0 {
		put(" cached=", r.Cached)
	}
	if r.Written != 0 {
		put(" written=", r.Written)
	}
	if r.Reasoning != 0 {
		put(" reasoning=", r.Reasoning)
	}
	return dst
}
