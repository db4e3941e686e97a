package markdown

import "strings"

// Blocks follows a markdown text that grows, and tells how much of its beginning
// can no longer change its look: whole blocks, which are rendered once. It errs
// towards less. The zero value is for an empty text.
type Blocks struct {
	scanned int    // bytes of whole lines that were read
	closed  int    // of them, those of closed blocks
	fence   string // that a code block was opened with; "" outside of one
	blank   bool   // the last line read was blank
}

// Closed returns the length of text's closed blocks. Text must begin with the text of
// the call before.
func (b *Blocks) Closed(text string) int {
	for {
		n := strings.IndexByte(text[b.scanned:], '\n')
		if n < 0 {
			return b.closed
		}
		b.line(text[b.scanned : b.scanned+n])
		b.scanned += n + 1
	}
}

// line reads the line that begins at b.scanned.
func (b *Blocks) line(line string) {
	trimmed := strings.TrimSpace(line)
	if b.fence != "" {
		if strings.HasPrefix(trimmed, b.fence) && strings.Trim(trimmed, b.fence[:1]) == "" {
			b.fence = ""
		}
		return
	}
	if trimmed == "" {
		b.blank = true
		return
	}
	// What is indented, or is another item, may belong to the list above it.
	if b.blank && line[0] != ' ' && line[0] != '\t' && !item(line) {
		b.closed = b.scanned
	}
	b.blank = false
	b.fence = fence(trimmed)
}

// fence returns the characters that open a code block in line, or "".
func fence(line string) string {
	c := line[0]
	if c != '`' && c != '~' {
		return ""
	}
	n := len(line) - len(strings.TrimLeft(line, line[:1]))
	if n < 3 || c == '`' && strings.Contains(line[n:], "`") {
		return ""
	}
	return line[:n]
}

// item reports whether line, which is not blank, begins an item of a list.
func item(line string) bool {
	rest := strings.TrimLeft(line, "0123456789")
	switch {
	case len(rest) == len(line) && strings.IndexByte("-*+", line[0]) >= 0:
		rest = line[1:]
	case len(rest) < len(line) && rest != "" && (rest[0] == '.' || rest[0] == ')'):
		rest = rest[1:]
	default:
		return false
	}
	return rest == "" || rest[0] == ' ' || rest[0] == '\t'
}
