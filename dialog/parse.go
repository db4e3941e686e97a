package dialog

import (
	"maps"
	"slices"
	"strings"
)

// BOM is the byte order mark that some editors put in front of a text. It is no part of it.
const BOM = "\ufeff"

// Parse reads a dialog's text. It never fails: what is not canonical is read
// leniently, and what could not be understood stands in Problems with its line.
// The strings of the result are parts of src wherever nothing had to be unescaped.
func Parse(src string) *Dialog {
	d := &Dialog{}
	if strings.HasPrefix(src, BOM) {
		d.index.bom = true
		src = src[len(BOM):]
	}
	file := src
	src, d.index.crlf = plainLines(src)
	d.src = src
	p := parser{d: d, src: src, line: 1}
	role, next := p.header()
	for role != "" {
		role, next = p.section(role, next)
	}
	if n := len(d.Sections); d.torn() && !d.Sections[n-1].Torn {
		s := &d.Sections[n-1]
		s.Torn, p.torn = true, true
		p.problem(s.off, "torn", "the last section was cut off; it counts for nothing")
	}
	if p.torn {
		d.reindex()
	}
	if d.index.crlf {
		d.findEnds(file)
	}
	return d
}

// parser reads the text in one walk. at is always the start of a line.
type parser struct {
	d   *Dialog
	src string
	at  int

	// Slabs that sections' slices are cut from. A section costs no allocation of
	// its own, and a full slab is left behind rather than copied.
	fields   []Field
	payloads []Payload
	loose    []string // of the section that is being read

	doubt doubt // the text that takeBack would make a Hole of

	torn          bool // a section became torn after it was indexed
	endless       int  // the index of the last problem that a payload has no end
	clean, zeroAt int  // src[clean:zeroAt] has no NUL
	merging       bool // what is lost was left by a merge
	endlessMerge  int  // src[endlessMerge:mergeMost] ends no merge
	mergeMost     int  // see mergeMarked
	counted, line int  // src[:counted] ends before that line
}

// slab is how many values the largest slab holds.
const slab = 512

// problem notes what is wrong with the line that p.src[at] stands in.
func (p *parser) problem(at int, rule, text string) {
	at = min(at, len(p.src))
	if at >= p.counted {
		p.line += strings.Count(p.src[p.counted:at], "\n")
	} else {
		p.line -= strings.Count(p.src[at:p.counted], "\n")
	}
	p.counted = at
	p.d.Problems = append(p.d.Problems, SyntaxError{p.line, rule, text})
}

// nextLine returns the start of the line behind the one that src[at] stands in.
func nextLine(src string, at int) int {
	if i := strings.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(src)
}

// heading returns the role of the line at src[at:], if it opens a section, and the
// start of the line behind it.
func heading(src string, at int) (Role, int) {
	if !strings.HasPrefix(src[at:], "## ") {
		return "", at
	}
	end := lineEnd(src, at)
	return roleOf(strings.TrimRight(src[at+len("## "):end], " \t\r")), min(end+1, len(src))
}

// add makes room for one more section, and returns it.
func (p *parser) add() *Section {
	ss := p.d.Sections
	if len(ss) == cap(ss) {
		// The rest is taken to have as many sections a byte as what was read so far.
		n := len(ss)
		guess := 16 + min(16*n, n+n/4+n*(len(p.src)-p.at)/max(p.at, 1))
		ss = append(make([]Section, 0, guess), ss...)
		ids := make(map[string]int32, guess*3/4) // a request and its result share one
		maps.Copy(ids, p.d.index.ids)
		p.d.index.ids = ids
	}
	p.d.Sections = ss[:len(ss)+1]
	return &p.d.Sections[len(ss)]
}

// section reads the section whose heading stands at p.at; next is the line behind
// it. It returns what header returns: the next section's role, "" at the end of
// the text, and the start of the line behind its heading.
func (p *parser) section(role Role, next int) (Role, int) {
	s := p.add()
	s.Role, s.off, s.noResources = role, p.at, true
	p.at = next
	p.meta(s)
	if s.marksTorn() {
		p.markTorn()
	}
	x := extent{payload: len(p.payloads), text: p.at, loose: p.at, fenced: p.at}
	if b := p.before(); b != nil && b.unclosed && b.written() && !s.written() {
		return p.tear(s, x.text, p.at, outside) // that payload may have held this heading
	}
	role = ""
	for p.at < len(p.src) {
		c := p.src[p.at]
		if c == '\n' {
			p.at++
			continue
		}
		if c == '#' {
			if role, next = heading(p.src, p.at); role != "" {
				break
			} else if next > p.at {
				p.problem(p.at, "section", "no role has this name, so the heading is read as text")
			}
		}
		next := nextLine(p.src, p.at)
		if p.zero(p.at, next) {
			return p.lose(s, x, anywhere)
		}
		if c == mergeBegin[0] {
			if end := p.mergeEndBehind(p.at); end >= 0 {
				return p.loseMerge(s, x, end)
			}
		}
		if c == Fence[0] && strings.HasPrefix(p.src[p.at:], Fence) {
			line := p.src[p.at:next]
			if p.doubt.section > 0 && isClose(line) {
				return p.takeBack(x, next)
			}
			if x.prose && isFence(line) && (s.hasMeta() || s.Role.foreign(line)) {
				return p.lose(s, x, outside)
			}
			if after, ok := p.payload(s, &x.payload, next); ok && after < 0 {
				st := anywhere
				if after == swallows {
					st = outside
				}
				return p.lose(s, extent{payload: len(p.payloads), text: x.text}, st)
			} else if ok {
				p.addLoose(p.src[x.loose:p.at])
				p.at, x.loose, x.fenced, x.prose = after, after, after, false
				p.doubt = doubt{}
				continue
			} else if isClose(line) {
				if p.unsure(s, x) {
					p.suspect(s, x)
					return p.takeBack(x, next)
				}
				p.problem(p.at, "fence", "this fence closes nothing")
				s.half = next == len(p.src) && p.src[next-1] != '\n'
				s.lost = s.lost || s.hasMeta() && len(p.payloads) > x.payload && !s.half // it closed another section's
				p.addLoose(p.src[x.loose:p.at])
				x.loose = next
			}
		}
		x.prose = x.prose || strings.TrimSpace(p.src[p.at:next]) != ""
		p.at = next
	}
	p.addLoose(p.src[x.loose:p.at])
	p.suspect(s, x)
	p.finish(s, x.payload)
	return role, next
}

// extent is what is known of a section while it is read.
type extent struct {
	payload int  // its first payload in the slab
	text    int  // where its metadata ends
	loose   int  // where the last fence ends
	fenced  int  // where its last payload ends
	prose   bool // text that is not blank stands between loose and p.at
}

// finish ends a section at p.at.
func (p *parser) finish(s *Section, first int) {
	s.Loose = strings.Join(p.loose, "\n\n")
	p.loose = p.loose[:0]
	if first == len(p.payloads) && s.Loose != "" {
		p.putPayload(&first, Payload{s.Role.PayloadType(), s.Loose})
		s.Loose, s.bare = "", true
	}
	s.Payloads = p.payloads[first:len(p.payloads):len(p.payloads)]
	s.end = p.at
	if !p.torn { // then the index is made anew
		p.d.indexSection(len(p.d.Sections) - 1)
	}
}

// markTorn marks the section before the last one as torn, since the last one says
// so. That its payload has no end is no problem of its own then.
func (p *parser) markTorn() {
	n := len(p.d.Sections)
	if n < 2 {
		return
	}
	s := &p.d.Sections[n-2]
	s.Torn, p.torn = true, true
	if s.unclosed {
		p.d.Problems = slices.Delete(p.d.Problems, p.endless, p.endless+1)
	}
}

// payload reads the payload that the line at p.at opens; next is the line behind
// it. It returns the start of the line behind the payload. ok is false where the
// line opens none; after is negative where zeros stand in the payload, or swallows
// where another opens in it.
func (p *parser) payload(s *Section, first *int, next int) (after int, ok bool) {
	typ, ok := OpenFence(p.src[p.at:next])
	b := readBody(p.src, next)
	if !ok {
		// A fence without a type opens a payload only where another closes it
		// before the next section; elsewhere it is one too many.
		if !isClose(p.src[p.at:next]) || !b.closed || b.opens || roleBetween(p.src, next, b.next) >= 0 || p.zero(next, b.read) {
			return 0, false
		}
		typ = s.Role.PayloadType()
	}
	if p.zero(next, b.read) {
		return -1, true
	}
	if b.closed && b.opens && s.hasMeta() {
		return swallows, true
	}
	if !b.closed {
		s.unclosed, p.endless = true, len(p.d.Problems)
		p.problem(p.at, "fence", "nothing closes the payload that begins here")
	}
	s.inner = s.inner || b.inner
	p.putPayload(first, Payload{typ, b.text})
	return b.next, true
}

// swallows is what payload returns where another payload opens in the middle of
// one that a server wrote: the closing fence of the first is lost, and perhaps the
// heading of the second with it.
const swallows = -2

// putPayload adds to the section whose payloads begin at *first.
func (p *parser) putPayload(first *int, x Payload) {
	if len(p.payloads) == cap(p.payloads) {
		own := p.payloads[*first:]
		p.payloads = append(make([]Payload, 0, min(slab, 16+2*cap(p.payloads))+2*len(own)), own...)
		*first = 0
	}
	p.payloads = append(p.payloads, x)
}

// addLoose keeps text that stands outside of the fences of the section that is
// being read.
func (p *parser) addLoose(text string) {
	if text == "\n" || text == "" {
		return
	}
	if text = strings.Trim(text, "\n"); text != "" {
		p.loose = append(p.loose, text)
	}
}
