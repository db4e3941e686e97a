package dialog

import (
	"strconv"
	"strings"
)

const bom = "\ufeff"

// Parse reads a dialog's text. It never fails: what is not canonical is read
// leniently, and what could not be understood stands in Problems with its line.
// The strings of the result are parts of src wherever nothing had to be unescaped.
func Parse(src string) *Dialog {
	d := &Dialog{}
	if strings.HasPrefix(src, bom) {
		d.index.bom = true
		src = src[len(bom):]
	}
	if end := strings.IndexByte(src, '\n'); end > 0 && src[end-1] == '\r' {
		d.index.crlf = true
		src = strings.ReplaceAll(src, "\r\n", "\n")
	}
	d.src = src
	p := parser{d: d, src: src}
	p.header()
	d.Sections = make([]Section, 0, 8+len(src)/700)
	for p.at < len(src) {
		p.section()
	}
	d.reindex()
	return d
}

// parser walks the text once; at is always the start of a line.
type parser struct {
	d   *Dialog
	src string
	at  int
	// slabs that sections are cut from, so that they cost few allocations
	fields   []Field
	payloads []Payload
}

func (p *parser) problem(at int, rule, text string) {
	line := 1 + strings.Count(p.src[:min(at, len(p.src))], "\n")
	p.d.Problems = append(p.d.Problems, SyntaxError{line, rule, text})
}

// line returns the line at p.at without its line feed, and the start of the next.
func (p *parser) line() (string, int) {
	end := lineEnd(p.src, p.at)
	if end == len(p.src) {
		return p.src[p.at:], end
	}
	return p.src[p.at:end], end + 1
}

// sectionRole returns the role of a line "## <Role>", or "".
func sectionRole(line string) Role {
	word, ok := strings.CutPrefix(line, "## ")
	if !ok {
		return ""
	}
	word = strings.TrimRight(word, " \t\r")
	for _, r := range roles {
		if word == string(r) {
			return r
		}
	}
	return ""
}

// field splits a line "> Key: value".
func field(line string) (Field, bool) {
	rest, ok := strings.CutPrefix(line, "> ")
	if !ok {
		return Field{}, false
	}
	i := strings.IndexByte(rest, ':')
	if i <= 0 || !isKey(rest[:i]) {
		return Field{}, false
	}
	return Field{rest[:i], strings.TrimSpace(rest[i+1:])}, true
}

// isKey tells a metadata key from the beginning of a quotation: a capital, then
// letters, digits, blanks and hyphens, 32 bytes at most.
func isKey(k string) bool {
	if len(k) > 32 || k[0] < 'A' || k[0] > 'Z' {
		return false
	}
	for i := 1; i < len(k); i++ {
		c := k[i]
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == ' ' || c == '-' {
			continue
		}
		return false
	}
	return true
}

// header reads what stands above the first section.
func (p *parser) header() {
	h := &p.d.Header
	loose := 0
	if line, next := p.line(); strings.TrimRight(line, " \t\r") == "# Dialog" {
		p.at = next
		for p.at < len(p.src) {
			line, next := p.line()
			f, ok := field(line)
			if !ok {
				break
			}
			p.at = next
			h.set(f)
		}
		loose = p.at
	} else if p.src != "" && sectionRole(line) == "" {
		p.problem(0, "header", `the file does not begin with "# Dialog"`)
	}
	p.at = p.looseEnd(loose)
	h.Loose = strings.Trim(p.src[loose:p.at], "\n")
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

// looseEnd is the start of the next line, at or behind from, that opens a
// section, or the text's end. Fenced text in between is passed over whole.
func (p *parser) looseEnd(from int) int {
	for at := from; at < len(p.src); {
		end := lineEnd(p.src, at)
		line := p.src[at:end]
		if sectionRole(line) != "" {
			return at
		}
		if strings.HasPrefix(line, fence) && !isClose(line) {
			if _, _, next, ok := p.body(min(end+1, len(p.src))); ok {
				at = next
				continue
			}
		}
		at = min(end+1, len(p.src))
	}
	return len(p.src)
}

// body reads a payload's text from the line behind its opening fence. next is
// the start of the line behind the closing one. ok is false where none closes.
func (p *parser) body(from int) (text string, escaped bool, next int, ok bool) {
	for at := from; at <= len(p.src); {
		i := nextFence(p.src, at)
		if i < 0 {
			break
		}
		end := lineEnd(p.src, i)
		line := p.src[i:end]
		if isClose(line) {
			text = p.src[from:i]
			if n := len(text); n > 0 {
				text = text[:n-1] // the one final newline
			}
			return unescape(text, escaped), escaped, min(end+1, len(p.src)), true
		}
		if !strings.HasPrefix(line[len(fence):], "ə") {
			// No writer of ours leaves such a line in a payload: the closing fence
			// was lost. What follows the last heading before it is not hidden.
			if h := lastHeading(p.src[from:i]); h >= 0 {
				text = strings.TrimRight(p.src[from:from+h], "\n")
				return unescape(text, escaped), escaped, from + h, false
			}
		}
		escaped = true
		if end == len(p.src) {
			break
		}
		at = end + 1
	}
	text = p.src[from:]
	return unescape(strings.TrimSuffix(text, "\n"), escaped), escaped, len(p.src), false
}

// lastHeading is the place of the last line in text that names a role, or -1.
func lastHeading(text string) int {
	for end := len(text); ; {
		i := strings.LastIndex(text[:end], "\n## ")
		if i < 0 {
			return -1
		}
		if sectionRole(text[i+1:lineEnd(text, i+1)]) != "" {
			return i + 1
		}
		end = i
	}
}

// section reads one section, of which p.at is the heading.
func (p *parser) section() {
	start := p.at
	line, next := p.line()
	s := Section{Role: sectionRole(line), off: start, noResources: true}
	p.at = next
	p.meta(&s)
	first := len(p.payloads)
	loose := p.at
	for p.at < len(p.src) {
		line, next := p.line()
		if sectionRole(line) != "" {
			break
		}
		if !strings.HasPrefix(line, fence) {
			p.at = next
			continue
		}
		typ := strings.TrimSpace(line[len(fence):])
		s.addLoose(p.src[loose:p.at])
		text, _, after, ok := p.body(next)
		if !ok {
			s.unclosed = true
			p.problem(p.at, "fence", "nothing closes the payload that begins here")
		}
		p.payloads = append(p.payloads, Payload{typ, text})
		p.at, loose = after, after
	}
	s.addLoose(p.src[loose:p.at])
	s.Payloads = p.payloads[first:len(p.payloads):len(p.payloads)]
	if len(s.Payloads) == 0 && s.Loose != "" {
		s.Payloads = []Payload{{s.Role.payloadType(), s.Loose}}
		s.Loose = ""
	}
	s.end = p.at
	p.d.Sections = append(p.d.Sections, s)
}

func (s *Section) addLoose(text string) {
	if text == "\n" || text == "" {
		return
	}
	if text = strings.Trim(text, "\n"); text == "" {
		return
	}
	if s.Loose != "" {
		s.Loose += "\n\n"
	}
	s.Loose += text
}

// payloadType is what hand-written text of a section without a fence is read as.
func (r Role) payloadType() string {
	switch r {
	case User:
		return InputMarkdown
	case Assistant:
		return OutputMarkdown
	case ToolRequest:
		return ToolInput
	case ToolResult:
		return ToolResultJSON
	case Authorization:
		return ControlV1
	case System:
		return SystemMarkdown
	case Reasoning:
		return ReasoningMarkdown
	case Summary:
		return SummaryMarkdown
	}
	return NoteMarkdown
}

// meta reads the metadata lines below a heading.
func (p *parser) meta(s *Section) {
	first := len(p.fields)
	for p.at < len(p.src) {
		line, next := p.line()
		f, ok := field(line)
		if !ok {
			break
		}
		p.at = next
		switch {
		case f.Key == "Id" && s.ID == "":
			s.ID = f.Value
		case f.Key == "Time" && s.Time == "":
			s.Time = f.Value
		case f.Key == "Resources" && s.noResources:
			r, ok := parseResources(f.Value)
			if !ok {
				p.problem(p.at-1, "field", "this Resources line has another form than in=<n> out=<n> total=<n> tools=<n> ms=<n>")
			}
			s.Resources, s.noResources = r, false
		default:
			p.fields = append(p.fields, f)
		}
	}
	s.Meta = Fields(p.fields[first:len(p.fields):len(p.fields)])
}

// parseResources reads "in=1 out=2 …"; what is missing is 0.
func parseResources(v string) (r Resources, ok bool) {
	ok = true
	for v != "" {
		var part string
		part, v, _ = strings.Cut(v, " ")
		key, num, has := strings.Cut(part, "=")
		n, err := strconv.ParseInt(num, 10, 64)
		if !has || err != nil || n < 0 {
			ok = false
			continue
		}
		switch key {
		case "in":
			r.In = n
		case "out":
			r.Out = n
		case "total":
			r.Total = n
		case "tools":
			r.Tools = n
		case "ms":
			r.MS = n
		case "cached":
			r.Cached = n
		case "written":
			r.Written = n
		case "reasoning":
			r.Reasoning = n
		default:
			ok = false
		}
	}
	return r, ok
}
