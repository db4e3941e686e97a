package dialog

import (
	"slices"
	"strings"
)

// Format writes d canonically. For a canonical file x, Format(Parse(x)) == x.
func Format(d *Dialog) string {
	dst := AppendHeader(make([]byte, 0, 256+room(d.Sections)), &d.Header)
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

// keptRaw returns for each section whether it is written as it was read: a torn
// one, one in front of a Hole, which begins where its text ends, and in front of
// either those that are not in the writer's form. In that form the parser would
// not find them torn again.
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

// raw returns the text of section i as it was read, without the blank line that
// belongs to the next section; in front of a Hole none does.
func (d *Dialog) raw(i int) string {
	s := &d.Sections[i]
	text := d.src[s.off:s.end]
	if strings.HasSuffix(text, "\n\n") && (i+1 == len(d.Sections) || d.Sections[i+1].Role != Hole) {
		return text[:len(text)-1]
	}
	return text
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

// room is about how many bytes sections have in a file.
func room(secs []Section) (n int) {
	for i := range secs {
		n += 512 + secs[i].Bytes()
	}
	return n
}

// Encode is the text that appends sections to d's file, in its line ends.
func (d *Dialog) Encode(secs ...Section) string {
	dst := make([]byte, 0, room(secs))
	for i := range secs {
		dst = AppendSection(dst, &secs[i])
	}
	return d.lineEnds(dst)
}
