package dialog

import "strings"

// title is the first line of a dialog's file.
const title = "# Dialog"

// header reads what stands above the first section. It returns the first
// section's role, or "", and the start of the line behind its heading.
func (p *parser) header() (Role, int) {
	h := &p.d.Header
	loose := 0
	end := lineEnd(p.src, 0)
	if strings.TrimRight(p.src[:end], " \t\r") == title {
		p.at = min(end+1, len(p.src))
		for p.at < len(p.src) {
			f, next, ok := readField(p.src, p.at)
			if !ok || p.zero(p.at, next) {
				break
			}
			p.at = next
			h.set(f)
		}
		loose = p.at
	} else if role, _ := heading(p.src, 0); role == "" && p.src != "" {
		p.problem(0, "header", `the file does not begin with "# Dialog"`)
	}
	p.at = firstHeading(p.src, loose)
	if zero := p.nul(loose); zero < p.at {
		p.problem(zero, "torn", "zeros stand in the head, as a power cut leaves them; what they belong to counts for nothing")
		p.at, p.d.headTorn = p.resume(nextLine(p.src, zero), anywhere), true
	}
	h.Loose = strings.Trim(p.src[loose:p.at], "\n")
	return heading(p.src, p.at)
}

func (h *Header) set(f Field) {
	switch f.Key {
	case "DialogId":
		h.DialogID = f.Value
	case "Provider":
		h.Provider = f.Value
	case "Model":
		h.Model = f.Value
	case "Status":
		h.Status = Status(f.Value)
	case "Started":
		h.Started = f.Value
	default:
		h.Meta = append(h.Meta, f)
	}
}

// firstHeading is the start of the first line, at or behind from, that opens a
// section, or the text's end. Fenced text above it is passed over whole.
func firstHeading(src string, from int) int {
	for at := from; at < len(src); {
		if role, _ := heading(src, at); role != "" {
			return at
		}
		next := nextLine(src, at)
		if _, ok := openFence(src[at:next]); ok {
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
