package texttag

import (
	"bytes"
	"strings"

	"vibey/provider"
)

// finder looks for the first complete tag in a text that comes in pieces. What it
// gives out does not depend on where the pieces were cut.
//
// Nothing that stands behind a tag makes it text, so that a call is known as soon as
// its tag is whole. A tag is text where it begins within a code fence, as CommonMark
// reads one (spec.commonmark.org/0.31.2, 4.5), with two exceptions, since models put
// fences into list items: a fence may be indented by more than three blanks, and one in
// an item lasts until it is closed, also where the item ends before. And a tag is text
// between two runs of backticks of one length, maxRun at most, that touch it, as inline
// code that holds nothing else. Where backticks stand right before a tag, that costs a
// look at as many characters behind it, and at one more if they are all backticks. Other
// backticks mean nothing: whether they open inline code is not known before the
// paragraph ends, and in prose they often stand alone.
type finder struct {
	buf  []byte // what was not given out
	pos  int    // buf[:pos] was scanned
	line line   // that pos stands in

	fence  byte // the character of the fence around pos, 0 for none
	width  int  // the fence's length
	indent int  // its indentation
	quotes int  // and the quotes it stands in

	run    int // backticks right before pos
	sought int // up to where the closing tag was looked for
}

// line is what is known of a line up to a place in it.
type line struct {
	part   linePart
	indent int  // with the marks of quotes and lists
	quotes int  // the marks of quotes in it
	char   byte // of its marks
	marks  int
}

type linePart uint8

const (
	lineIndent linePart = iota // only blanks and marks of quotes and lists so far
	lineNumber                 // digits behind them
	lineBullet                 // a list's mark behind them, if a blank follows
	lineMarks                  // a run of fence characters behind them
	lineInfo                   // what follows such a run of three or more
	lineRest
)

func newFinder() *finder { return new(finder) }

// add takes one more piece. It returns what is settled as text by now, and the
// call of the first complete tag, or nil. Nothing may be added behind a call.
func (f *finder) add(piece string) (text string, call *provider.Call) {
	f.buf = append(f.buf, piece...)
	call = f.scan(false)
	return f.give(f.pos), call
}

// end returns what was held back, when nothing more comes. A tag that was not
// closed is text.
func (f *finder) end() (text string, call *provider.Call) {
	if call = f.scan(true); call != nil {
		return f.give(f.pos), call
	}
	return f.rest(), nil
}

// rest returns all that was held back, as text, where it broke off.
func (f *finder) rest() string { return f.give(len(f.buf)) }

// give takes the first n bytes out, as text.
func (f *finder) give(n int) string {
	if n == 0 {
		return ""
	}
	text := string(f.buf[:n])
	f.buf = f.buf[:copy(f.buf, f.buf[n:])]
	f.pos, f.sought = max(0, f.pos-n), max(0, f.sought-n)
	return text
}

// scan reads on as far as can be decided. With a call, pos is where its tag begins.
func (f *finder) scan(final bool) *provider.Call {
	for f.pos < len(f.buf) {
		switch c := f.buf[f.pos]; {
		case c == '\n':
			f.endLine()
		case f.line.part != lineRest && f.fence != 0:
			f.leadInFence(c)
		case f.line.part != lineRest:
			f.lead(c)
		case f.fence != 0:
			f.pos++
		case c == '`':
			f.run++
			f.pos++
		case c == '<':
			call, n, wait := f.tag(final)
			if call != nil || wait {
				return call
			}
			f.run = 0
			f.pos += n
		default:
			f.run = 0
			f.pos++
		}
	}
	return nil
}

// tag reads what begins at pos with "<": a call, or n bytes of text. wait is true
// where more must come before it can be told what that is.
func (f *finder) tag(final bool) (call *provider.Call, n int, wait bool) {
	name, n, more := openingTag(f.buf[f.pos:])
	if n == 0 {
		return nil, 1, more && !final
	}
	open := f.pos + n
	if quoted, more := f.quoted(open, final); quoted || more {
		return nil, n + f.run, !quoted
	}
	end := open // of a tag that closes itself
	if f.sought = max(f.sought, open); !strings.HasSuffix(name, "/") {
		at, n := closingTag(f.buf[f.sought:], name)
		if f.sought += at; n == 0 {
			return nil, 0, true
		}
		end = f.sought + n
	}
	if quoted, more := f.quoted(end, final); quoted || more {
		return nil, end - f.pos + f.run, !quoted
	}
	return newCall(name, string(f.buf[open:f.sought])), 0, false
}

// maxRun is how long a run of backticks is looked at: that behind a tag is read anew
// with each piece.
const maxRun = 100

// quoted reports whether as many backticks stand before pos as behind end, and more
// where the text ends too early to tell.
func (f *finder) quoted(end int, final bool) (quoted, more bool) {
	if f.run == 0 || f.run > maxRun {
		return false, false
	}
	behind := 0
	for behind <= f.run && end+behind < len(f.buf) && f.buf[end+behind] == '`' {
		behind++
	}
	if end+behind == len(f.buf) && behind <= f.run && !final {
		return false, true
	}
	return behind == f.run, false
}

// openingTag reads the opening tag that b begins with. n is its length, 0 for none;
// more is true where b ends too early to tell. Any characters of a line are a name, so
// that a tag which names no tool ends the answer like every other.
func openingTag(b []byte) (name string, n int, more bool) {
	const begin = "<mcp:"
	if len(b) <= len(begin) {
		return "", 0, bytes.HasPrefix([]byte(begin), b)
	}
	if !bytes.HasPrefix(b, []byte(begin)) {
		return "", 0, false
	}
	for i := len(begin); i < len(b) && i <= len(begin)+maxName; i++ {
		switch c := b[i]; {
		case c == '>' && i > len(begin):
			return string(b[len(begin):i]), i + 1, false
		case c == '>' || c == '<' || c == '\n' || c == '\r':
			return "", 0, false
		}
	}
	return "", 0, len(b) <= len(begin)+maxName
}

// maxName is how many bytes of a name are read. No tool has a name as long, but a
// model may write one, with attributes even, and is then told that there is no such
// tool. Up to a name's end nothing can be shown.
const maxName = 200

// closingTag finds in b the end of the tag that a name opened: that name again, or
// its first word where the rest looks like attributes. n is its length; 0 is none, and
// then at is where to look once there is more.
func closingTag(b []byte, name string) (at, n int) {
	word, _, _ := strings.Cut(strings.TrimSpace(name), " ")
	for _, name := range []string{name, word} {
		closing := []byte("</mcp:" + name + ">")
		if i := bytes.Index(b, closing); i >= 0 && (n == 0 || i < at) {
			at, n = i, len(closing)
		}
	}
	if n == 0 {
		at = max(0, len(b)-len("</mcp:>")-len(name)+1)
	}
	return at, n
}

// lead reads a character of a line's beginning, outside of a fence.
func (f *finder) lead(c byte) {
	l := &f.line
	switch {
	case (l.part == lineIndent || l.part == lineBullet) && isBlank(c):
		l.part = lineIndent
		l.indent += columns(c)
	case l.part == lineIndent && c == '>':
		l.indent++
		l.quotes++
	case l.part == lineIndent && (c == '-' || c == '*' || c == '+'), l.part == lineNumber && (c == '.' || c == ')'):
		l.part = lineBullet
		l.indent++
	case (l.part == lineIndent || l.part == lineNumber) && c >= '0' && c <= '9':
		l.part = lineNumber
		l.indent++
	case l.part == lineIndent && (c == '`' || c == '~'):
		l.part, l.char, l.marks = lineMarks, c, 1
	case l.part == lineMarks && c == l.char:
		l.marks++
	case l.part == lineInfo && c == '`' && l.char == '`': // no fence's info string has one
		l.part = lineRest
		return
	case l.part == lineInfo || l.part == lineMarks && l.marks >= 3:
		l.part = lineInfo
	default: // it is text, and one or two backticks before it are a run like any other
		if l.part == lineMarks && l.char == '`' {
			f.run = l.marks
		}
		l.part = lineRest
		return
	}
	f.pos++
}

// leadInFence reads a character of a line's beginning within a fence: is it the
// line that closes it?
func (f *finder) leadInFence(c byte) {
	l := &f.line
	switch {
	case l.part == lineIndent && isBlank(c):
		l.indent += columns(c)
	case l.part == lineIndent && c == '>' && l.quotes < f.quotes:
		l.indent++
		l.quotes++
	case l.part == lineIndent && l.quotes < f.quotes: // the quote is over, and its fence
		f.fence, f.width = 0, 0
		return
	case l.part != lineInfo && c == f.fence:
		l.part = lineMarks
		l.marks++
	case l.marks >= f.width && isBlank(c):
		l.part = lineInfo
	default:
		l.part = lineRest
	}
	f.pos++
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

func columns(c byte) int {
	if c == '\t' {
		return 4
	}
	return 1
}

// endLine reads the line feed at pos.
func (f *finder) endLine() {
	l := f.line
	switch {
	case f.fence != 0 && l.quotes < f.quotes:
		f.fence, f.width = 0, 0
	case l.part == lineRest || l.marks < max(3, f.width):
	case f.fence == 0:
		f.fence, f.width, f.indent, f.quotes = l.char, l.marks, l.indent, l.quotes
	case l.indent <= max(3, f.indent):
		f.fence, f.width = 0, 0
	}
	f.line, f.run = line{}, 0
	f.pos++
}
