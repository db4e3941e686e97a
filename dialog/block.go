package dialog

import "strings"

// fence opens and closes a payload. Only U+0259 counts, whatever looks like it.
const fence = "əəə"

// nextFence finds the next line that begins with a fence, at or behind from,
// which is the start of a line. It returns the place of the line, or -1.
func nextFence(s string, from int) int {
	if strings.HasPrefix(s[from:], fence) {
		return from
	}
	i := strings.Index(s[from:], "\n"+fence)
	if i < 0 {
		return -1
	}
	return from + i + 1
}

// lineEnd is the place of the line feed at or behind from, or the text's end.
func lineEnd(s string, from int) int {
	if i := strings.IndexByte(s[from:], '\n'); i >= 0 {
		return from + i
	}
	return len(s)
}

// isClose tells whether a line, without its line feed, closes a payload.
func isClose(line string) bool { return line == fence || strings.TrimRight(line, " \t\r") == fence }

// Escape writes a payload's text so that no line of it is a fence: a line that
// begins with a fence gets one more ə in front. It returns text itself where
// nothing had to be done.
func Escape(text string) string {
	i := 0
	if !strings.HasPrefix(text, fence) {
		if i = strings.Index(text, "\n"+fence); i < 0 {
			return text
		}
	}
	return string(appendEscaped(make([]byte, 0, len(text)+16), text))
}

// appendEscaped appends Escape(text) to dst.
func appendEscaped(dst []byte, text string) []byte {
	for at := 0; ; {
		i := nextFence(text, at)
		if i < 0 {
			return append(dst, text[at:]...)
		}
		dst = append(dst, text[at:i]...)
		dst = append(dst, "ə"...)
		end := lineEnd(text, i)
		if end == len(text) {
			return append(dst, text[i:]...)
		}
		dst = append(dst, text[i:end+1]...)
		at = end + 1
	}
}

// unescape undoes Escape for the text between two fences; escaped tells
// whether there is anything to undo.
func unescape(text string, escaped bool) string {
	if !escaped {
		return text
	}
	out := make([]byte, 0, len(text))
	for at := 0; ; {
		i := nextFence(text, at)
		if i < 0 {
			return string(append(out, text[at:]...))
		}
		out = append(out, text[at:i]...)
		end := lineEnd(text, i)
		line := text[i:end]
		if strings.HasPrefix(line, fence+"ə") {
			line = line[len("ə"):]
		}
		out = append(out, line...)
		if end == len(text) {
			return string(out)
		}
		out = append(out, '\n')
		at = end + 1
	}
}

// Escaper escapes a payload that comes in pieces, a piece at a time, so that
// what it has written is at every moment the beginning of the escaped whole.
// The zero value stands at the start of a line.
type Escaper struct {
	mid  bool // some other byte than of leading ə came on this line
	lead int  // bytes of leading ə seen on this line, while it may still be a fence
}

// Append appends piece, escaped, to dst. A piece may end within a letter.
func (e *Escaper) Append(dst []byte, piece string) []byte {
	for len(piece) > 0 {
		if e.mid {
			i := strings.IndexByte(piece, '\n')
			if i < 0 {
				return append(dst, piece...)
			}
			dst = append(dst, piece[:i+1]...)
			piece = piece[i+1:]
			e.mid, e.lead = false, 0
			continue
		}
		c := piece[0]
		dst = append(dst, c)
		piece = piece[1:]
		switch {
		case c == '\n':
			e.lead = 0
		case c == fence[e.lead]:
			if e.lead++; e.lead == len(fence) {
				dst = append(dst, "ə"...) // one more ə behind three is one more in front
				e.mid = true
			}
		default:
			e.mid = true
		}
	}
	return dst
}
