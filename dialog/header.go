package dialog

import (
	"slices"
	"strings"
)

// Header is what stands above the first section.
type Header struct {
	DialogID string
	Provider string
	Model    string
	Status   Status
	Started  string
	Meta     Fields // all other lines, in order
	Loose    string // hand-written text above the first section
	// Damaged marks a head that may have had more fields than were read: lines that
	// are no fields stand among them, or behind them one that belongs there.
	Damaged bool
}

// AppendHeader appends the head of a dialog file to dst.
func AppendHeader(dst []byte, h *Header) []byte {
	dst = append(dst, title+"\n"...)
	dst = appendField(dst, "DialogId", h.DialogID)
	dst = appendField(dst, "Provider", h.Provider)
	dst = appendField(dst, "Model", h.Model)
	dst = append(dst, "> Status: "...)
	dst = append(dst, StatusWord(h.Status)...)
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

// CheckHeader returns why h must not be written, as CheckSection does for a section.
func CheckHeader(h *Header) error {
	for _, f := range [...]Field{{"DialogId", h.DialogID}, {"Provider", h.Provider}, {"Model", h.Model}, {"Status", string(h.Status)}, {"Started", h.Started}} {
		if err := checkValue(f.Key, f.Value); err != nil {
			return err
		}
	}
	return checkFields(h.Meta, "DialogId", "Provider", "Model", "Status", "Started")
}

// title is the first line of a dialog's file.
const title = "# Dialog"

// header reads what stands above the first section. It returns the first
// section's role, or "", and the start of the line behind its heading.
func (p *parser) header() (Role, int) {
	h := &p.d.Header
	loose, odd := 0, ""
	end := lineEnd(p.src, 0)
	if strings.TrimRight(p.src[:end], " \t\r") == title {
		p.at = min(end+1, len(p.src))
		for p.at < len(p.src) {
			f, next, ok := readField(p.src, p.at)
			if !ok { // a damaged line must not hide those behind it
				next = oddLine(p.src, p.at)
			}
			if next == p.at || p.zero(p.at, next) {
				break
			}
			if ok && !h.set(f) {
				p.problem(p.at, "field", "this field of the head stands above with another value; only this one counts")
			} else if !ok {
				p.problem(p.at, "header", "this line of the head is no field")
				odd += p.src[p.at:next]
			}
			p.at = next
		}
		loose = p.at
	} else if role, _ := heading(p.src, 0); role == "" && p.src != "" {
		p.problem(0, "header", `the file does not begin with "# Dialog"`)
	}
	p.at = firstHeading(p.src, loose)
	if zero := p.nul(loose, len(p.src)); zero < p.at {
		p.problem(zero, "torn", "zeros stand in the head, as a power cut leaves them; what they belong to counts for nothing")
		p.at, p.d.headTorn = p.resume(nextLine(p.src, zero), anywhere), true
	}
	h.Loose = strings.Trim(p.src[loose:p.at], "\n")
	named := h.DialogID != "" || h.Provider != "" || h.Model != "" || h.Status != "" || h.Started != "" || len(h.Meta) > 0
	h.Damaged = p.d.headTorn || odd != "" && named || hasLaunchKey(h.Loose)
	if odd != "" {
		h.Loose = strings.Trim(odd+"\n"+h.Loose, "\n")
	}
	return heading(p.src, p.at)
}

// oddLine returns the start of the line behind the one at src[at:], which is no
// field, or at itself where the head's fields end: at a blank line, a fence or a
// heading.
func oddLine(src string, at int) (next int) {
	next = nextLine(src, at)
	role, _ := heading(src, at)
	if role != "" || strings.HasPrefix(src[at:], Fence) || strings.TrimSpace(src[at:next]) == "" {
		return at
	}
	return next
}

// launchKeys are the keys that only the head of a launched dialog has; a fork has the
// first with another value.
var launchKeys = [...]string{"From", "Family", "Depth"}

// hasLaunchKey reports whether a line of text begins with one of launchKeys, behind
// two bytes at most, which are a damaged "> ".
func hasLaunchKey(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		for _, key := range launchKeys {
			if i := strings.Index(line, key+":"); i >= 0 && i <= len("> ") {
				return true
			}
		}
	}
	return false
}

// Launched reports whether an agent launched the dialog, as far as its head still
// tells: one that may have lost a line counts as launched. A human makes a fork.
func (h *Header) Launched() bool {
	return h.Damaged || slices.ContainsFunc(h.Meta, func(f Field) bool {
		_, forked := originIn(f)
		return !forked && slices.Contains(launchKeys[:], f.Key)
	})
}

// set takes a field; alone is false where it took the place of another value.
func (h *Header) set(f Field) (alone bool) {
	var at *string
	switch f.Key {
	case "DialogId":
		at = &h.DialogID
	case "Provider":
		at = &h.Provider
	case "Model":
		at = &h.Model
	case "Status":
		at = (*string)(&h.Status)
	case "Started":
		at = &h.Started
	default:
		h.Meta = append(h.Meta, f)
		return true
	}
	old := *at
	*at = f.Value
	return old == "" || old == f.Value
}

// firstHeading is the start of the first line, at or behind from, that opens a
// section, or the text's end. Fenced text above it is passed over whole.
func firstHeading(src string, from int) int {
	for at := from; at < len(src); {
		if role, _ := heading(src, at); role != "" {
			return at
		}
		next := nextLine(src, at)
		if _, ok := OpenFence(src[at:next]); ok {
			b := readBody(src, next)
			if b.closed {
				next = b.next
			} else if h := roleBetween(src, next, len(src)); h >= 0 {
				return h
			} else {
				return len(src)
			}
		}
		at = next
	}
	return len(src)
}
