package texttag

import "bytes"

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

// opensFence reports whether l, up to here, opens a fence.
func (l *line) opensFence() bool {
	return l.part == lineInfo || l.part == lineMarks && l.marks >= 3
}

// fenced reports whether the line around pos, which seems to, opens a fence; more is true
// where the text ends too early to tell.
func (f *finder) fenced() (fence, more bool) {
	if f.line.char != '`' {
		return true, false
	}
	from := max(f.pos, f.info-f.gone)
	i := bytes.IndexAny(f.buf[from:], "`\n")
	if i < 0 {
		f.info = f.gone + len(f.buf)
		return true, true
	}
	return f.buf[from+i] == '\n', false
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
