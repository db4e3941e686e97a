package why

import "slices"

// alignMost bounds the cells of an alignment, 4 bytes each in two tables. Where a version
// moved more lines than that lets compare, the lines that both have are Unknown.
const alignMost = 4 << 20

// align is carry for texts of which each line stands in both. It looks at all longest
// alignments: a line is certain where it is the same line in all of them.
func align(was []string, by []int, now []string, n int) []int {
	t := newTable(was, now)
	out := make([]int, len(now))
	for j := range out {
		out[j] = Unknown
	}
	if t == nil {
		return out
	}
	gone := map[string][]int{} // the versions of lines that may have gone, or were moved
	for i, l := range was {
		if t.any(i, func(j int) bool { return j <= len(now) && t.from(i, j)+t.to(i+1, j) == t.longest }) {
			gone[l] = append(gone[l], by[i])
		}
	}
	for j, l := range now {
		var may []int
		for i := max(0, j-t.wide); i <= min(len(was), j+t.wide); i++ {
			if i < len(was) && was[i] == l && t.from(i, j)+1+t.to(i+1, j+1) == t.longest {
				may = append(may, by[i])
			}
			if t.from(i, j)+t.to(i, j+1) == t.longest {
				may = append(append(may, n), gone[l]...)
			}
		}
		if len(may) > 0 && !slices.ContainsFunc(may, func(v int) bool { return v != may[0] }) {
			out[j] = may[0]
		}
	}
	return out
}

// table has the lengths of the longest alignments of two texts' beginnings, and ends, within
// a band around the diagonal that has each longest one of the whole.
type table struct {
	a, b          int // lengths
	wide, longest int
	head, tail    []int32
}

// none is the length of what lies outside of the band.
const none = -1 << 30

// newTable returns nil where it would have more than alignMost cells.
func newTable(was, now []string) *table {
	for wide := max(16, 2*max(len(was)-len(now), len(now)-len(was))); ; wide *= 2 {
		wide = min(wide, max(len(was), len(now)))
		t := &table{a: len(was), b: len(now), wide: wide}
		if (t.a+1)*(2*wide+1) > alignMost {
			return nil
		}
		t.fill(was, now)
		// A longest alignment leaves out a+b-2·longest lines, and is no farther from the
		// diagonal at any place.
		if t.a+t.b-2*t.longest <= wide || wide >= max(t.a, t.b) {
			return t
		}
	}
}

func (t *table) at(i, j int) int { return i*(2*t.wide+1) + j - i + t.wide }

func (t *table) get(cells []int32, i, j int) int {
	if i < 0 || j < 0 || i > t.a || j > t.b || j-i > t.wide || i-j > t.wide {
		return none
	}
	return int(cells[t.at(i, j)])
}

func (t *table) from(i, j int) int { return t.get(t.head, i, j) }
func (t *table) to(i, j int) int   { return t.get(t.tail, i, j) }

func (t *table) fill(was, now []string) {
	t.head, t.tail = make([]int32, (t.a+1)*(2*t.wide+1)), make([]int32, (t.a+1)*(2*t.wide+1))
	for i := 0; i <= t.a; i++ {
		for j := max(0, i-t.wide); j <= min(t.b, i+t.wide); j++ {
			best := max(0, t.from(i-1, j), t.from(i, j-1))
			if i > 0 && j > 0 && was[i-1] == now[j-1] {
				best = max(best, t.from(i-1, j-1)+1)
			}
			t.head[t.at(i, j)] = int32(best)
		}
	}
	for i := t.a; i >= 0; i-- {
		for j := min(t.b, i+t.wide); j >= max(0, i-t.wide); j-- {
			best := max(0, t.to(i+1, j), t.to(i, j+1))
			if i < t.a && j < t.b && was[i] == now[j] {
				best = max(best, t.to(i+1, j+1)+1)
			}
			t.tail[t.at(i, j)] = int32(best)
		}
	}
	t.longest = t.from(t.a, t.b)
}

// any reports whether f holds for a cell of row i.
func (t *table) any(i int, f func(j int) bool) bool {
	for j := max(0, i-t.wide); j <= min(t.b, i+t.wide+1); j++ {
		if f(j) {
			return true
		}
	}
	return false
}
