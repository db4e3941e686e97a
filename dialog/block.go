package dialog

import "strings"

// Fence opens and closes a payload. Only U+0259 counts, whatever looks like it.
const Fence = "əəə"

// nextFence finds the next line that begins with a fence, at or behind from,
// which is the start of a line. It returns the line's offset, or -1.
func nextFence(s string, from int) int {
	for at := from; ; {
		i := strings.Index(s[at:], Fence)
		if i < 0 {
			return -1
		}
		if at += i; at == from || s[at-1] == '\n' {
			return at
		}
		at = nextLine(s, at)
	}
}

// lineEnd returns the offset of the line feed at or behind from, or len(s).
func lineEnd(s string, from int) int {
	if i := strings.IndexByte(s[from:], '\n'); i >= 0 {
		return from + i
	}
	return len(s)
}

// isClose reports whether a line, with or without its line feed, is a fence
// without a type, which closes a payload.
func isClose(line string) bool {
	rest, ok := strings.CutPrefix(line, Fence)
	return ok && (rest == "\n" || strings.TrimRight(rest, " \t\r\n") == "")
}

// OpenFence returns the type that a line names, if it opens a payload. A line
// with a fourth ə, or the first byte of one, opens nothing: it is escaped, and
// only payloads have such lines.
func OpenFence(line string) (typ string, ok bool) {
	rest, ok := strings.CutPrefix(line, Fence)
	if !ok {
		return "", false
	}
	typ = strings.Trim(rest, " \t\r\n")
	return typ, typ != "" && typ[0] != Fence[0]
}

// isFence reports whether a line opens or closes a payload.
func isFence(line string) bool {
	_, opens := OpenFence(line)
	return opens || isClose(line)
}

// body is what stands between an opening fence and the next line to be read.
type body struct {
	text   string // unescaped, without the one final newline
	next   int    // the start of the line behind it
	read   int    // how far the source was read to know that
	closed bool   // by a fence
	inner  bool   // a line in it begins with a fence
	opens  bool   // a line in it opens a payload, as if its own fence closed nothing
}

// readBody reads a payload from the line behind its opening fence.
func readBody(src string, from int) body {
	escaped, opens := false, false
	clear := from // src[from:clear] has no section's heading
	for at := from; at < len(src); {
		i := nextFence(src, at)
		if i < 0 {
			break
		}
		next := nextLine(src, i)
		line := src[i:next]
		if isClose(line) {
			text := src[from:i]
			if i > from {
				text = text[:len(text)-1]
			}
			return body{unescape(text, escaped), next, next, true, escaped, opens}
		}
		if c := line[len(Fence)]; c != Fence[0] && c != 0 { // not even half of a fourth ə, or room made for one
			// No writer of ours leaves such a line in a payload: the closing fence
			// was lost. What follows the last heading before it is not hidden.
			if h := lastHeading(src, clear, i); h >= 0 {
				return body{unescape(strings.TrimRight(src[from:h], "\n"), escaped), h, next, false, escaped, false}
			}
			clear, opens = next, true
		}
		escaped = true
		at = next
	}
	return body{unescape(strings.TrimSuffix(src[from:], "\n"), escaped), len(src), len(src), false, escaped, opens}
}

// lastHeading returns the offset of the last line in src[from:to] that opens a
// section, or -1. Both are starts of lines.
func lastHeading(src string, from, to int) int {
	for end := to; ; {
		i := strings.LastIndex(src[from:end], "\n## ")
		if i < 0 {
			break
		}
		if role, _ := heading(src, from+i+1); role != "" {
			return from + i + 1
		}
		end = from + i + 1
	}
	if role, _ := heading(src, from); role != "" && from < to {
		return from
	}
	return -1
}

// roleBetween returns the offset of the first line in src[from:to] that opens a
// section, or -1. Both are starts of lines.
func roleBetween(src string, from, to int) int {
	for at := from; at < to; {
		if role, _ := heading(src, at); role != "" {
			return at
		}
		i := strings.Index(src[at:to], "\n## ")
		if i < 0 {
			break
		}
		at += i + 1
	}
	return -1
}

// Escape writes a payload's text so that no line of it is a fence: a line that
// begins with a fence gets one more ə in front. It returns text itself where
// nothing had to be done.
func Escape(text string) string { return lineStarts(text, Fence, Fence+"ə") }

// unescape undoes Escape for the text between two fences; escaped is false where
// no line of it begins with a fence.
func unescape(text string, escaped bool) string {
	if !escaped {
		return text
	}
	return lineStarts(text, Fence+"ə", Fence)
}

// lineStarts returns text with to in place of from where a line begins with that.
func lineStarts(text, from, to string) string {
	text = strings.ReplaceAll(text, "\n"+from, "\n"+to)
	if rest, ok := strings.CutPrefix(text, from); ok {
		return to + rest
	}
	return text
}

// Escaper escapes a payload that comes in pieces, a piece at a time, so that
// what it has written is at every moment the beginning of the escaped whole.
// The zero value stands at the start of a line.
type Escaper struct {
	mid  bool // this line has had a byte that is not part of a leading ə
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
		case c == Fence[e.lead]:
			if e.lead++; e.lead == len(Fence) {
				dst = append(dst, "ə"...) // one more ə behind three is one more in front
				e.mid = true
			}
		default:
			e.mid = true
		}
	}
	return dst
}
