package dialog

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Damage may remove an Authorization's heading. What is left of it then stands in
// the section above, and must not be ignored: it may have been a denial.

// controlFence is how a line begins that opens control text. Only an Authorization
// has such a line as a writer leaves it: in any payload it is escaped.
const controlFence = Fence + ControlV1

// LeftOver reports whether section i holds what is left of an Authorization
// that stood behind it: the fence of its control text, its Mac, the beginning
// of its heading, or a place where anything is lost.
func (d *Dialog) LeftOver(i int) bool {
	s := &d.Sections[i]
	fences := 0
	if s.Role == Authorization {
		fences = -1 // its own
	} else if s.Meta.Has("Mac") || s.bare && leftLine(s.Text()) {
		return true
	}
	if s.lost || leftLine(s.Loose) || broken(s.Loose) {
		return true
	}
	if s.unclosed && !s.Torn && s.end < len(d.src) && leftLine(s.Payloads[len(s.Payloads)-1].Text) {
		return true // it may have swallowed one that a hand wrote without a fence
	}
	if s.inner {
		return fences+strings.Count(d.src[s.off:s.end], "\n"+controlFence) > 0
	}
	for _, p := range s.Payloads {
		if strings.HasPrefix(p.Type, ControlV1) {
			fences++
		}
	}
	return fences > 0
}

// leftLine reports whether text outside of fences has a line of an Authorization,
// whatever stands before it in that line.
func leftLine(text string) bool {
	return strings.Contains(text, "> Mac:") || strings.Contains(text, "## Au") || strings.Contains(text, controlFence)
}

// broken reports whether text outside of fences can't have been typed: a fence,
// control characters or bytes that are not UTF-8 stand in it.
func broken(text string) bool {
	return strings.Contains(text, Fence) || !utf8.ValidString(text) ||
		strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' })
}

// LeftText returns the control text that is left in section i, without its fences.
func (d *Dialog) LeftText(i int) string {
	s := &d.Sections[i]
	raw := ""
	if s.end > 0 {
		raw = d.src[s.off:s.end]
	} else {
		raw = string(AppendSection(nil, s))
	}
	var text strings.Builder
	in, own := false, s.Role == Authorization
	for line := range strings.SplitSeq(raw, "\n") {
		switch {
		case strings.HasPrefix(line, controlFence):
			in, own = !own, false
		case strings.HasPrefix(line, Fence) && !strings.HasPrefix(line, Fence+"ə"):
			in = false
		case in:
			text.WriteString(line + "\n")
		}
	}
	return text.String()
}

// Voids reports whether s is a Note that voids every Authorization above it.
func (s *Section) Voids() bool { return s.Role == Note && s.Meta.Get("Void") == "yes" }

// SyntaxError is a place where the text of a dialog, or of doc-main.md, is not what
// its writer can have meant. Line counts from 1.
type SyntaxError struct {
	Line int
	Rule string // one word: fence, section, header, field, torn, merge; project and control in doc-main.md
	Text string
}

func (e SyntaxError) Error() string { return fmt.Sprintf("line %d: %s: %s", e.Line, e.Rule, e.Text) }

// LineProblem is what is wrong with one line of a doc, as humans and models read it.
type LineProblem struct {
	Line int    `json:"line"` // from 1 on
	Text string `json:"text"`
}

// FirstProblems returns the first most of a doc's problems, and if there are more,
// how many, at the line of the first of those.
func FirstProblems(all []SyntaxError, most int) (first []LineProblem) {
	for _, p := range all[:min(most, len(all))] {
		first = append(first, LineProblem{p.Line, p.Text})
	}
	switch left := len(all) - most; {
	case left == 1:
		first = append(first, LineProblem{all[most].Line, "and 1 more line that does not hold"})
	case left > 1:
		first = append(first, LineProblem{all[most].Line, fmt.Sprintf("and %d more lines that do not hold", left)})
	}
	return first
}

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
