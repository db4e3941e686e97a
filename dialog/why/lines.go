package why

import (
	"bytes"
	"strings"
)

// lines are the lines of a text without their ends: the last one may lack its own, and
// "\r\n" is the same end as "\n".
func lines(b []byte) []string {
	if len(b) == 0 {
		return nil
	}
	all := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	for i := range all {
		all[i] = strings.TrimSuffix(all[i], "\r")
	}
	return all
}

// carry returns whose the lines of now are, if those of was were by, and the version that
// made now of was is n. A line of which several may have become it is Unknown, unless they
// were all of one version; and so is one that may have been moved.
func carry(was []string, by []int, now []string, n int) []int {
	out := make([]int, len(now))
	head := sameHead(was, now)
	copy(out, by[:head])
	was, by, now, rest := was[head:], by[head:], now[head:], out[head:]
	tail := sameTail(was, now)
	copy(rest[len(rest)-tail:], by[len(by)-tail:])
	was, by, now, rest = was[:len(was)-tail], by[:len(by)-tail], now[:len(now)-tail], rest[:len(rest)-tail]

	// What only one side has is certain: it went, or it is new.
	for i := range rest {
		rest[i] = n
	}
	inNow := indexOf(now)
	var old, kept []string
	var oldBy, at []int
	for i, l := range was {
		if len(inNow[l]) > 0 {
			old, oldBy = append(old, l), append(oldBy, by[i])
		}
	}
	inOld := indexOf(old)
	for j, l := range now {
		if len(inOld[l]) > 0 {
			kept, at = append(kept, l), append(at, j)
		}
	}
	for k, v := range align(old, oldBy, kept, n) {
		rest[at[k]] = v
	}
	return out
}

func indexOf(all []string) map[string][]int {
	at := make(map[string][]int, len(all))
	for i, l := range all {
		at[l] = append(at[l], i)
	}
	return at
}

// sameHead returns how many of the first lines of two texts are the same for certain: up to
// the last one there that neither has a second time. In each longest alignment such a line is
// the same in both, since without it none is as long, and so are all before it.
func sameHead(a, b []string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n == len(a) && n == len(b) {
		return n
	}
	return single(a, b, n, func(k int) string { return a[n-1-k] })
}

// sameTail is sameHead for the last lines.
func sameTail(a, b []string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return single(a, b, n, func(k int) string { return a[len(a)-n+k] })
}

// single returns n less the first k of its lines, from the inner end, that a or b has twice.
func single(a, b []string, n int, line func(k int) string) int {
	var inA, inB map[string][]int
	for k := range n {
		l := line(k)
		if k == lookedFor {
			inA, inB = indexOf(a), indexOf(b)
		}
		if k < lookedFor && once(a, l) && once(b, l) || k >= lookedFor && len(inA[l]) == 1 && len(inB[l]) == 1 {
			return n - k
		}
	}
	return 0
}

// lookedFor is how many lines are looked for one by one before all are put into an index:
// nearly always one of the first stands there once, and the index of 20,000 takes 2 ms.
const lookedFor = 8

// once reports whether a line stands among others at most once.
func once(all []string, line string) bool {
	n := 0
	for _, l := range all {
		if l == line {
			if n++; n > 1 {
				return false
			}
		}
	}
	return true
}

// replaced is where an edit_file replaced its old_string: was and now are the whole lines
// that it touched, and the head and tail lines around them are the same. ok is false where
// the one text does not follow from the other.
func replaced(before, after []byte, in input) (head, tail int, ok bool) {
	at := bytes.Index(before, []byte(in.OldString))
	if at < 0 || in.OldString == "" || bytes.Contains(before[at+1:], []byte(in.OldString)) ||
		!bytes.Equal(after, bytes.Replace(before, []byte(in.OldString), []byte(in.NewString), 1)) {
		return 0, 0, false
	}
	head = bytes.Count(before[:at], []byte("\n"))
	rest := before[at+len(in.OldString):]
	began := func(text []byte) bool { return len(text) == len(rest) || text[len(text)-len(rest)-1] == '\n' }
	if !began(before) || !began(after) { // the line in which it ended
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
	}
	return head, len(lines(rest)), true
}
