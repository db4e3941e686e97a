package dialog

import (
	"errors"
	"strings"
)

// A power cut may lose any page of an append that was not synced yet, while
// later pages of it reached the disk: a file system leaves zeros there. It leaves
// nothing else, because a dialog only grows: no page of it ever held another
// text. So a dialog file has no NUL, and where one stands something is missing,
// perhaps a heading or a fence. The text before it is whole; what follows counts
// only from the next heading that is certainly one.
//
// A payload can imitate a heading, but no fence: a line of it that begins with
// one has a fourth ə. So the first fence behind the zeros tells where they
// ended. A bare one closes: they ended within a payload, and all up to it is
// lost. One with a type opens: they ended outside, and the heading right above
// the fence is genuine.

// Hole is the role of text that stands outside of a section that counts, and
// that zeros or a lost heading keep from being a section. It may hold parts of
// several, an Authorization among them, and is always Torn. No heading names
// it, and no writer writes it.
const Hole Role = "Hole"

// PlainText is the type of the one payload in which the text of a Hole, or of a
// section with zeros in it, is shown: with its fences, as it stands in the file.
const PlainText = "text/plain"

// WithoutNUL returns text with U+FFFD for each NUL, as a model's or a tool's text is
// written.
func WithoutNUL(text string) string {
	return strings.ReplaceAll(text, "\x00", "\ufffd")
}

// Lost reports whether text is missing within s or right behind it. The missing
// text, or what is left of it in s, may have been a part of any section.
func (s *Section) Lost() bool { return s.lost }

// Merged reports whether s is lost because a merge left two versions there.
func (s *Section) Merged() bool { return s.merged }

// ahead is how many bytes are searched for a NUL at once: few enough to be in the
// processor's cache still when they are parsed (BenchmarkParseHistory/1MB takes 4.9 scans,
// and 5.05 if all of the text is searched at first).
const ahead = 16 << 10

// zero reports whether a NUL stands in src[from:to].
func (p *parser) zero(from, to int) bool {
	return (from < p.clean || to > p.zeroAt) && p.nul(from, to) < to
}

// nul returns the offset of the first NUL in src[from:to], or to.
func (p *parser) nul(from, to int) int {
	if from < p.clean || from > p.zeroAt {
		p.clean, p.zeroAt = from, from
	}
	for p.zeroAt < to && p.src[p.zeroAt] != 0 {
		end := min(max(to, p.zeroAt+ahead), len(p.src))
		if i := strings.IndexByte(p.src[p.zeroAt:end], 0); i >= 0 {
			end = p.zeroAt + i
		}
		p.zeroAt = end
	}
	return min(p.zeroAt, to)
}

// where is on which side of a payload's fences a line stands.
type where uint8

const (
	anywhere where = iota // unknown, behind zeros
	inside
	outside
)

// resume returns the offset of the first heading at or behind at that certainly
// opens a section, or the text's end. at is the start of a line, and st is where
// that line stands.
func (p *parser) resume(at int, st where) (heading int) {
	src := p.src
	f, next, typed := -1, -1, false // the next fence
	for {
		if f < at {
			f, next, typed = nextWholeFence(src, at)
		}
		zero := p.nul(at, len(p.src))
		if zero < next { // before the fence, or in its line
			if st == outside {
				if h := roleBetween(src, at, zero); h >= 0 {
					return h
				}
			}
			at, st = nextLine(src, zero), anywhere
			continue
		}
		switch {
		case st == outside:
			if h := roleBetween(src, at, f); h >= 0 {
				return h
			}
			if typed {
				st = inside
			}
		case typed: // it opens; what closed the payload before it is lost
			if h := lastHeading(src, at, f); h >= 0 {
				return h
			}
			st = inside
		case f < len(src):
			st = outside
		}
		if f == len(src) {
			return f
		}
		at = next
	}
}

// nextWholeFence returns the offset of the next line, at or behind from, that opens
// or closes a payload, and that of the line behind it; both are the text's end
// where there is none. typed is whether it opens one.
func nextWholeFence(src string, from int) (at, next int, typed bool) {
	for at = from; at < len(src); at = next {
		if at = nextFence(src, at); at < 0 {
			break
		}
		next = nextLine(src, at)
		if _, typed = OpenFence(src[at:next]); typed || isClose(src[at:next]) {
			return at, next, typed
		}
	}
	return len(src), len(src), false
}

// lose ends s at p.at, where text is missing, and reads on at the next heading that
// is certainly one; it returns what section returns. st is anywhere if zeros stand
// there, outside if a fence stands behind loose text. A section that was whole
// before p.at stays whole, and a Hole follows it.
func (p *parser) lose(s *Section, x extent, st where) (Role, int) {
	at := p.at
	if st == outside {
		p.problem(at, "fence", "the payload here stands behind text outside of the fences, as if a heading were lost; neither counts")
	} else {
		zero := p.nul(at, len(p.src))
		p.problem(zero, "torn", "zeros stand here, as a power cut leaves them; what they belong to counts for nothing")
		at = nextLine(p.src, zero)
	}
	return p.leave(s, x, p.resume(at, st), st)
}

// leave is lose where it is known at which heading to read on.
func (p *parser) leave(s *Section, x extent, to int, st where) (Role, int) {
	switch own := p.payloads[x.payload:]; {
	case len(own) > 0 && (s.Role != System || hasTools(own)):
		p.at = x.loose
	case x.prose && !s.hasMeta(): // a hand wrote it before anything was lost
		if st == outside {
			p.at = headless(p.src, x.loose, p.at)
		}
		p.addLoose(p.src[x.loose:p.at])
	default:
		return p.tearTo(s, x.text, to)
	}
	p.finish(s, x.payload)
	h := p.add()
	h.Role, h.off, h.noResources = Hole, p.at, true
	return p.tearTo(h, p.at, to)
}

// headless returns the offset in src[from:to] of a damaged heading, which metadata
// follow, or to. Both are starts of lines.
func headless(src string, from, to int) int {
	i := strings.Index(src[from:to], "\n> Id:")
	if i < 0 {
		return to
	}
	return from + strings.LastIndexByte(src[from:from+i], '\n') + 1
}

// tear makes s a section that counts for nothing. Its text begins at text;
// resume begins at at.
func (p *parser) tear(s *Section, text, at int, st where) (Role, int) {
	return p.tearTo(s, text, p.resume(at, st))
}

// tearTo is tear where it is known at which heading to read on.
func (p *parser) tearTo(s *Section, text, to int) (Role, int) {
	s.Torn, s.lost, s.merged, s.bare = true, true, p.merging, false
	p.doubt = doubt{}
	p.at, s.unclosed = to, false
	p.loose = p.loose[:0]
	first := len(p.payloads)
	if lost := strings.Trim(p.src[text:p.at], "\n"); lost != "" {
		p.putPayload(&first, Payload{PlainText, lost})
	}
	p.finish(s, first)
	return heading(p.src, p.at)
}

// doubt is where text outside of fences begins that may belong to a payload one of
// whose fences is damaged: then headings in it are no headings. Only the fence that
// is left, which closes nothing, shows that it is no text that a hand wrote.
type doubt struct {
	section int  // 1 + the section in which, or behind which, it begins; 0 for none
	at      int  // its offset
	whole   bool // the section counts without that text
}

// before is the section before the one that is being read, or nil.
func (p *parser) before() *Section {
	if n := len(p.d.Sections); n > 1 {
		return &p.d.Sections[n-2]
	}
	return nil
}

// unsure reports whether s, which is being read, may be a part of the payload
// above it: a server wrote that section, and s has no metadata and so far no fence.
// One damaged byte makes a closing fence of a payload's escaped line.
func (p *parser) unsure(s *Section, x extent) bool {
	b := p.before()
	return b != nil && b.written() && !s.written() && len(p.payloads) == x.payload
}

// suspect sets p.doubt for s, which ends at p.at, if it is not set since the last
// payload. What a server writes has no text outside of fences. What a hand wrote
// without metadata may have; then the headings behind it may be a payload's.
func (p *parser) suspect(s *Section, x extent) {
	own := p.payloads[x.payload:]
	n := len(p.d.Sections)
	switch {
	case p.doubt.section > 0 || len(own) > 0 && !x.prose:
	case len(own) > 0 && (s.Role != System || hasTools(own)):
		p.doubt = doubt{n, x.fenced, true}
	case s.written():
		p.doubt = doubt{n, x.text, false}
	case p.unsure(s, x):
		p.doubt = doubt{n - 1, s.off, true}
	default:
		p.doubt = doubt{n, p.at, true}
	}
}

// takeBack makes a Hole of the doubtful text up to p.at, where a fence stands that
// closes nothing; next is the line behind it. x is the extent of the section that
// is being read.
func (p *parser) takeBack(x extent, next int) (Role, int) {
	p.problem(p.at, "fence", "the fence that belongs to this one is damaged; the headings between the two are no headings, and none of it counts")
	st := outside
	if !x.prose && x.fenced == x.text {
		st = anywhere // right below a heading the fence may have opened a payload
	}
	b := p.doubt
	clear(p.d.Sections[b.section:])
	p.d.Sections, p.torn = p.d.Sections[:b.section], true
	s := &p.d.Sections[b.section-1]
	if b.whole {
		if b.at < s.end {
			s.end, s.Loose = b.at, ""
		}
		s = p.add()
		s.Role, s.off, s.noResources = Hole, b.at, true
	}
	return p.tear(s, b.at, next, st)
}

// ErrNUL is why a text with a NUL is not written. WithoutNUL returns one that can be.
var ErrNUL = errors.New("a dialog file has no NUL")
