package dialog

import (
	"strings"
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
