package texttag

import (
	"bytes"

	"vibey/provider"
)

// finder looks for the first complete tag in a text that comes in pieces. What it
// gives out does not depend on where the pieces were cut.
//
// A tag that begins within a code fence or an inline code span is text, as
// CommonMark reads them (spec.commonmark.org/0.31.2, 4.5 and 6.1), with one
// exception: a fence may be indented by more than three blanks, since models put
// fences into list items, and a tag that is taken for text by mistake does less
// harm than one that is run by mistake.
//
// Whether a run of backticks opens a span is known only where a run of the same
// length closes it, or the paragraph ends. A tag between the two is held until then.
type finder struct {
	buf  []byte // buf[:out] was given out, buf[:pos] was scanned
	out  int
	pos  int
	line line // that pos stands in

	fence  byte // the character of the fence around pos, 0 for none
	width  int  // the fence's length
	indent int  // and its indentation

	run    int  // backticks right before pos, of a run that may go on
	escape bool // a backslash stands before pos
	span   int  // length of the run that may have opened a code span, 0 for none
	behind int  // the place behind that run
	held   int  // the place of the first tag behind it, -1 for none
	sought int  // up to where the closing tag was looked for
}

// line is what is known of a line up to a place in it.
type line struct {
	part   linePart
	indent int
	char   byte // of its marks
	marks  int
	ticks  bool // a backtick stands in its info string
}

type linePart uint8

const (
	lineIndent linePart = iota // only blanks so far
	lineMarks                  // a run of fence characters behind them
	lineInfo                   // what follows such a run of three or more
	lineRest
)

func newFinder() *finder { return &finder{held: -1} }

// add takes one more piece. It returns what is settled as text by now, and the
// call of the first complete tag, or nil. Nothing may be added behind a call.
func (f *finder) add(piece string) (text string, call *provider.Call) {
	f.buf = append(f.buf, piece...)
	call = f.scan(false)
	settled := f.pos
	if f.held >= 0 {
		settled = f.held
	}
	return f.give(settled), call
}

// end returns what was held back, when nothing more comes. A tag that was not
// closed is text.
func (f *finder) end() (text string, call *provider.Call) {
	call = f.scan(true)
	for call == nil && f.endParagraph() {
		call = f.scan(true)
	}
	if call != nil {
		return f.give(f.pos), call
	}
	return f.give(len(f.buf)), nil
}

// rest returns all that was held back, as text, where it broke off.
func (f *finder) rest() string { return f.give(len(f.buf)) }

// give returns the text up to a place, and forgets what is not needed any more.
func (f *finder) give(upTo int) string {
	text := string(f.buf[f.out:upTo])
	f.out = upTo
	if f.span == 0 { // else the text behind the run may be read once more
		n := min(f.out, f.pos)
		f.buf = f.buf[:copy(f.buf, f.buf[n:])]
		f.out, f.pos, f.sought = f.out-n, f.pos-n, max(0, f.sought-n)
	}
	return text
}

// scan reads on as far as can be decided. With a call, pos is where its tag begins.
func (f *finder) scan(final bool) *provider.Call {
	for f.pos < len(f.buf) {
		c := f.buf[f.pos]
		if f.run > 0 && c != '`' {
			f.endRun()
		}
		switch {
		case c == '\n':
			f.endLine()
		case f.line.part != lineRest && f.fence != 0:
			f.leadInFence(c)
		case f.line.part != lineRest:
			f.lead(c)
		case f.fence != 0:
			f.pos++
		case c == '<':
			call, wait := f.tag(final)
			if call != nil || wait {
				return call
			}
			f.escape = false
			f.pos++
		default:
			if c == '`' && !f.escape {
				f.run++
			}
			f.escape = c == '\\' && !f.escape && f.span == 0
			f.pos++
		}
	}
	if final && f.run > 0 {
		f.endRun()
	}
	return nil
}

// tag reads what begins at pos with "<". wait is true where more must come before
// it can be told what that is.
func (f *finder) tag(final bool) (call *provider.Call, wait bool) {
	name, n, more := openingTag(f.buf[f.pos:])
	switch {
	case more && !final:
		return nil, true
	case n == 0:
		return nil, false
	case f.span > 0:
		if f.held < 0 {
			f.held = f.pos
		}
		return nil, false
	}
	closing := []byte("</mcp:" + name + ">")
	from := max(f.pos+n, f.sought)
	i := bytes.Index(f.buf[from:], closing)
	if i >= 0 {
		return newCall(name, string(f.buf[f.pos+n:from+i])), false
	}
	f.sought = max(f.pos+n, len(f.buf)-len(closing)+1)
	return nil, true
}

// openingTag reads the opening tag that b begins with. n is its length, 0 for
// none; more is true where b ends too early to tell.
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
		case c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-':
		case c == '>' && i > len(begin):
			return string(b[len(begin):i]), i + 1, false
		default:
			return "", 0, false
		}
	}
	return "", 0, len(b) <= len(begin)+maxName
}

// maxName is how long the names of tools are at most, for all providers.
const maxName = 64

// lead reads a character of a line's beginning, outside of a fence.
func (f *finder) lead(c byte) {
	l := &f.line
	switch {
	case l.part == lineIndent && isBlank(c):
		l.indent += columns(c)
	case l.part == lineIndent && (c == '`' || c == '~'):
		l.part, l.char, l.marks = lineMarks, c, 1
	case l.part == lineMarks && c == l.char:
		l.marks++
	case l.part == lineMarks && l.marks >= 3:
		if f.endParagraph() {
			return
		}
		l.part, l.ticks = lineInfo, c == '`'
	case l.part == lineInfo:
		l.ticks = l.ticks || c == '`'
	default: // it is text
		f.endMarks()
		l.part = lineRest
		return
	}
	f.pos++
}

// endMarks takes one or two backticks at a line's beginning for what they are: no
// fence, but a run like any other.
func (f *finder) endMarks() {
	if f.line.part == lineMarks && f.line.char == '`' {
		f.run = f.line.marks
		f.endRun()
	}
}

// leadInFence reads a character of a line's beginning within a fence: is it the
// line that closes it?
func (f *finder) leadInFence(c byte) {
	l := &f.line
	switch {
	case l.part == lineIndent && isBlank(c):
		l.indent += columns(c)
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
	case f.fence != 0:
		if l.part != lineRest && l.marks >= f.width && l.indent <= max(3, f.indent) {
			f.fence = 0
		}
	case l.part == lineMarks && l.marks < 3:
		f.endMarks()
	case l.part != lineRest: // a blank line, or one that opens a fence
		if l.part != lineInfo && f.endParagraph() {
			return
		}
		if l.marks >= 3 && !(l.char == '`' && l.ticks) {
			f.fence, f.width, f.indent = l.char, l.marks, l.indent
		}
	}
	f.line, f.escape = line{}, false
	f.pos++
}

// endRun ends a run of backticks before pos: it closes the span that a run of the
// same length opened, or else may open one.
func (f *finder) endRun() {
	switch f.span {
	case 0:
		f.span, f.behind = f.run, f.pos
	case f.run:
		f.span, f.held = 0, -1
	}
	f.run = 0
}

// endParagraph ends a paragraph. A run that was not closed in it opened no span:
// where a tag stands behind such a run, endParagraph goes back there and returns
// true. Each run is gone back to once, and those of a paragraph differ in length.
func (f *finder) endParagraph() (back bool) {
	if back = f.span > 0 && f.held >= 0; back {
		f.pos, f.line.part = f.behind, lineRest
		f.run, f.escape = 0, false
	}
	f.span, f.held = 0, -1
	return back
}
