package texttag

import (
	"strings"

	"vibey/dialog"
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
// paragraph ends, and in prose they often stand alone. A tag in a line that seems to open
// a fence waits for the line's end: with a backtick before that the line opens none.
//
// The first opening tag counts whose name a tool may have: what follows is its payload,
// until it is closed. One with any other name is perhaps prose about tags ("they look
// like <mcp:...>"). It counts if its closing tag comes before another tag is whole.
type finder struct {
	buf  []byte // what was not given out
	gone int    // how much was
	pos  int    // buf[:pos] was scanned
	line line   // that pos stands in

	fence  byte // the character of the fence around pos, 0 for none
	width  int  // the fence's length
	indent int  // its indentation
	quotes int  // and the quotes it stands in

	run int // backticks right before pos

	info int // up to where in the whole text such a line's end was looked for

	off    bool                // too much was held back: nothing is looked for any more
	inside *opening            // the tag whose payload pos stands in
	odd    map[string]*opening // those with other names before it, by each name that closes them
	held   int                 // where the first of these begins, in the whole text
}

// opening is an opening tag that is not closed yet. Its places are in the whole text.
type opening struct {
	name    string
	at      int
	payload int
	run     int // backticks right before it
}

func newFinder() *finder { return new(finder) }

// add takes one more piece. It returns what is settled as text by now, and the
// call of the first complete tag, or nil. Nothing may be added behind a call.
func (f *finder) add(piece string) (text string, call *provider.Call) {
	f.buf = append(f.buf, piece...)
	if !f.off {
		call = f.scan(false)
	}
	if f.off = f.off || call == nil && len(f.buf)-f.settled() > heldMost; f.off {
		return f.rest(), nil
	}
	return f.give(f.settled()), call
}

// heldMost is how many bytes are held back for a tag that is not closed. What has more is
// text, and so is all that follows in its block.
const heldMost = dialog.SectionMost

// end returns what was held back, when nothing more comes. A tag that was not
// closed is text.
func (f *finder) end() (text string, call *provider.Call) {
	if f.off {
		return f.rest(), nil
	}
	if call = f.scan(true); call != nil {
		return f.give(f.settled()), call
	}
	return f.rest(), nil
}

// rest returns all that was held back, as text, where it broke off.
func (f *finder) rest() string { return f.give(len(f.buf)) }

// settled is how much of buf is text, whatever follows.
func (f *finder) settled() int {
	if f.opened() {
		return f.held - f.gone
	}
	return f.pos
}

// give takes the first n bytes out, as text.
func (f *finder) give(n int) string {
	if n == 0 {
		return ""
	}
	text := string(f.buf[:n])
	f.buf = f.buf[:copy(f.buf, f.buf[n:])]
	f.pos = max(0, f.pos-n)
	f.gone += n
	return text
}

// scan reads on as far as can be decided. With a call, its tag begins where the settled
// text ends.
func (f *finder) scan(final bool) (call *provider.Call) {
	for wait := false; f.pos < len(f.buf); {
		c, from := f.buf[f.pos], f.pos
		if c == '<' && f.opened() {
			if call, wait = f.closing(final); call != nil || wait {
				return call
			}
			if f.pos > from {
				continue
			}
		}
		switch {
		case f.inside != nil:
			f.pos++
		case c == '\n':
			f.endLine()
		case f.fence != 0 && f.line.part != lineRest:
			f.leadInFence(c)
		case f.fence != 0:
			f.pos++
		case c == '<':
			if call, wait = f.tag(final); call != nil || wait {
				return call
			}
		case f.line.part != lineRest:
			f.lead(c)
		case c == '`':
			f.run++
			f.pos++
		default:
			f.skip(f.pos + 1)
		}
	}
	return nil
}

// skip goes on at that place of buf, which is in the middle of a line.
func (f *finder) skip(pos int) { f.pos, f.run, f.line.part = pos, 0, lineRest }

// tag reads what begins at pos with "<", outside of a fence. wait is true where more
// must come before it can be told what that is.
func (f *finder) tag(final bool) (call *provider.Call, wait bool) {
	name, n, more := readTag(f.buf[f.pos:], "<mcp:")
	if n == 0 {
		if wait = more && !final; !wait {
			f.other()
		}
		return nil, wait
	}
	if f.line.opensFence() {
		if fence, more := f.fenced(); more && !final {
			return nil, true
		} else if fence {
			f.lead('<')
			return nil, false
		}
	}
	if f.line.part == lineMarks && f.line.char == '`' {
		f.run = f.line.marks
	}
	f.line.part = lineRest
	open := f.pos + n
	if quoted, more := f.quoted(open, f.run, final); quoted || more {
		if quoted {
			f.skip(open + f.run)
		}
		return nil, more
	}
	o := &opening{name, f.gone + f.pos, f.gone + open, f.run}
	if f.open(o); strings.HasSuffix(name, "/") { // it closes itself
		return f.call(o, open), false
	}
	f.skip(open)
	return nil, false
}

// other reads a "<" that begins no tag.
func (f *finder) other() {
	if f.line.opensFence() {
		f.lead('<')
		return
	}
	f.skip(f.pos + 1)
}

// open takes in an opening tag.
func (f *finder) open(o *opening) {
	if !f.opened() {
		f.held = o.at
	}
	if isName(o.name) {
		f.inside = o
		return
	}
	if f.odd == nil {
		f.odd = make(map[string]*opening)
	}
	for _, name := range o.closedBy() {
		if f.odd[name] == nil {
			f.odd[name] = o
		}
	}
}

// opened reports whether a tag is open.
func (f *finder) opened() bool { return f.inside != nil || len(f.odd) > 0 }

// closing reads what begins at pos with "<", where a tag is open. It stays there if that
// closes none.
func (f *finder) closing(final bool) (call *provider.Call, wait bool) {
	name, n, more := readTag(f.buf[f.pos:], "</mcp:")
	if n == 0 {
		return nil, more && !final
	}
	o := f.odd[name]
	if f.inside != nil && f.inside.name == name {
		o = f.inside
	}
	if o == nil {
		return nil, false
	}
	quoted, more := f.quoted(f.pos+n, o.run, final)
	switch {
	case more:
		return nil, true
	case !quoted:
		return f.call(o, f.pos), false
	}
	f.drop(o)
	f.skip(f.pos + n + o.run)
	return nil, false
}

// drop forgets an opening tag that is text.
func (f *finder) drop(o *opening) {
	if o == f.inside {
		f.inside = nil
		return
	}
	for _, name := range o.closedBy() {
		if f.odd[name] == o {
			delete(f.odd, name)
		}
	}
}

// call returns what a tag asks for whose payload ends there in buf. All before it is text.
func (f *finder) call(o *opening, end int) *provider.Call {
	f.held = o.at
	return newCall(o.name, string(f.buf[o.payload-f.gone:end]))
}

// quoted reports whether run backticks, those before a tag or its opening, stand behind
// end too; more is true where the text ends too early to tell.
func (f *finder) quoted(end, run int, final bool) (quoted, more bool) {
	if run == 0 || run > maxRun {
		return false, false
	}
	behind := 0
	for behind <= run && end+behind < len(f.buf) && f.buf[end+behind] == '`' {
		behind++
	}
	if end+behind == len(f.buf) && behind <= run && !final {
		return false, true
	}
	return behind == run, false
}

// maxRun is how long a run of backticks is looked at: that behind a tag is read anew
// with each piece.
const maxRun = 100
