package dialog

import "strings"

// Some editors end lines in CR LF. A file whose first line does is read as if
// all its lines ended in LF, and what is appended to it is written as its
// writer would have. Anywhere else a CR is payload.

// plainLines returns src with LF for each CR LF, if its first line ends in CR LF. A
// CR at its very end is half of a line end that was cut.
func plainLines(src string) (plain string, crlf bool) {
	if end := strings.IndexByte(src, '\n'); end <= 0 || src[end-1] != '\r' {
		return src, false
	}
	return strings.ReplaceAll(strings.TrimSuffix(src, "\r"), "\r\n", "\n"), true
}

// lineEnds returns b with the line ends of d's file.
func (d *Dialog) lineEnds(b []byte) string {
	if !d.index.crlf {
		return string(b)
	}
	return strings.ReplaceAll(string(b), "\n", "\r\n")
}

// findEnds sets d.ends for a file with CR LF. src is the file without its byte
// order mark.
func (d *Dialog) findEnds(src string) {
	d.ends = make([]int, len(d.Sections))
	at, gone := 0, 0 // src[:at] has gone CRs that d.src lacks
	for i := range d.Sections {
		end := d.Sections[i].end
		for {
			k := strings.Index(src[at:], "\r\n")
			if k < 0 || at+k-gone >= end {
				break
			}
			at, gone = at+k+len("\r\n"), gone+1
		}
		d.ends[i] = end + gone
		if end == len(d.src) {
			d.ends[i] = len(src)
		}
		if d.blankBefore(end) {
			d.ends[i] = strings.LastIndexByte(src[:d.ends[i]-1], '\n') + 1
		}
	}
}

// End returns the offset in the file behind section i, 0 for one that was appended
// after parsing. The blank line behind a section belongs to what is appended next.
func (d *Dialog) End(i int) int {
	end := d.Sections[i].end
	switch {
	case end == 0:
		return 0
	case d.index.crlf:
		end = d.ends[i]
	case d.blankBefore(end):
		end--
	}
	if d.index.bom {
		end += len(BOM)
	}
	return d.inFile(end)
}

// blankBefore reports whether the line of d.src that ends at end is blank, and
// another section follows it.
func (d *Dialog) blankBefore(end int) bool {
	return end < len(d.src) && strings.HasSuffix(d.src[:end], "\n\n")
}
