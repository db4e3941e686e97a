package dialog

import (
	"bytes"
	"strconv"
	"strings"
)

// Gap is a part of a file that a reader is not shown: its bytes from From up to To.
type Gap struct{ From, To int64 }

// Shift tells where a shown text stands in its file: from byte At of the text on, at an
// offset that is By greater.
type Shift struct{ At, By int64 }

// GapFinder finds the gaps of a dialog's file from its parts. A gap lies in a payload,
// within one stretch of text between two fences in which no line may be a section's
// heading, and none holds a NUL. So a file is parsed into the same sections without them.
// Metadata, and what stands outside of fences, has no gaps: any line of it may count.
//
//	g := GapFinder{Most: TextMost, Size: size}
//	for … { g.Next(part, off, off+len(part) == size) }
//	use(g.Gaps)
type GapFinder struct {
	Most int64 // bytes of a stretch that are shown
	Size int64 // of the file
	Gaps []Gap // as far as they are found

	start  int64 // of the stretch that is being read, a line that may be structure
	text   int64 // where the line behind that begins, 0 before it is found
	fenced bool  // the stretch stands in a payload
	tail   int64 // the first line feed among the file's last tailBytes, 0 before it is found
	feed   int64 // the line feed that was read last
	before byte  // in front of what is read next
	zero   bool  // the stretch has a NUL
}

const (
	// GapOverlap is how many bytes of each part but the last Next looks at again as the
	// beginning of the next part.
	GapOverlap = 64
	gapLeast   = 512      // bytes: a smaller gap is not worth its line
	tailBytes  = 64 << 10 // of the file's end, which tell whether that was cut off
)

// Next takes the part of the file that begins at off.
func (g *GapFinder) Next(part []byte, off int64, last bool) {
	end := len(part) - GapOverlap
	if last {
		end = len(part)
	}
	for at := 0; at < end; {
		i := bytes.IndexByte(part[at:end], '\n')
		if i < 0 {
			i = end - at
		}
		g.zero = g.zero || bytes.IndexByte(part[at:at+i], 0) >= 0
		if at += i; at == end {
			break
		}
		feed := off + int64(at)
		if at > 0 {
			g.before = part[at-1]
		}
		blank := feed-g.feed == 1 || feed-g.feed == 2 && g.before == '\r'
		if g.text == 0 {
			g.text = feed + 1
		}
		if at++; isStructure(part[at:]) {
			inside := staysInside(part[at:], g.fenced)
			if !bytes.HasPrefix(part[at:], []byte(Fence)) {
				g.fenced = false // it may be a heading in a payload, or one behind a payload without an end
			}
			if blank { // it stands before the next section
				g.close(g.feed)
			} else {
				g.close(feed)
			}
			g.start, g.text, g.zero, g.fenced = feed+1, 0, false, inside
		}
		g.feed = feed
		if g.tail == 0 && feed >= g.Size-tailBytes {
			g.tail = feed
		}
	}
	if end > 0 {
		g.before = part[end-1]
	}
	if last && g.tail > g.start {
		g.close(g.tail)
	}
}

// close ends the stretch before the line feed at that offset.
func (g *GapFinder) close(feed int64) {
	if from := max(g.start+g.Most, g.text); g.fenced && feed-from >= gapLeast && !g.zero {
		g.Gaps = append(g.Gaps, Gap{from, feed})
	}
}

// isStructure reports whether a line may open or close a payload or open a section. b
// begins with the line, or with its first GapOverlap-1 bytes.
func isStructure(b []byte) bool {
	if bytes.HasPrefix(b, []byte(Fence)) {
		return true
	}
	if !bytes.HasPrefix(b, []byte("## ")) {
		return false
	}
	line, _, ended := bytes.Cut(b[:min(len(b), GapOverlap-1)], []byte("\n"))
	name := strings.TrimRight(string(line[len("## "):]), " \t\r")
	return roleOf(name) != "" || !ended && name == ""
}

// staysInside reports whether a payload's text stands behind a line that may be
// structure. b is as of isStructure; fenced is whether such a text stands before it.
func staysInside(b []byte, fenced bool) bool {
	rest, ok := bytes.CutPrefix(b[:min(len(b), GapOverlap-1)], []byte(Fence))
	if !ok {
		return false
	}
	if len(rest) > 0 && (rest[0] == Fence[0] || rest[0] == 0) {
		return fenced // it is escaped
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return len(bytes.Trim(line, " \t\r")) > 0
}

// GapLine returns what is shown in the place of a gap of n bytes: a mark behind a line that
// is cut, so that its beginning is no heading, a line feed and a line.
func GapLine(n int64) string {
	return "…\n[… " + strconv.FormatInt(n, 10) + " bytes more are not shown here, since they are too much for one view. The whole text stands in this dialog's file, " +
		"which an editor or `less` opens …]"
}

// ParseShown is Parse for the text of a file in which gaps are left out: End returns
// offsets in the file.
func ParseShown(text string, shifts []Shift) *Dialog {
	d := Parse(text)
	d.shifts = shifts
	return d
}

// inFile returns the offset in the file of an offset in the parsed text.
func (d *Dialog) inFile(at int) int {
	for i := len(d.shifts) - 1; i >= 0; i-- {
		if int64(at) >= d.shifts[i].At {
			return at + int(d.shifts[i].By)
		}
	}
	return at
}

// Shown returns a text as a reader is shown it: the head of one that is longer than a
// server writes them.
func Shown(text string) string {
	if len(text) <= SectionMost {
		return text
	}
	n := HeadLen(text, TextMost)
	return text[:n] + GapLine(int64(len(text)-n))
}
