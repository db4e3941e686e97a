package why

import (
	"cmp"
	"slices"
)

// How much is tried to find the order of steps that happened at about the same time: places
// that are looked at, and orders that are as good as each other.
const (
	triedMost  = 20_000
	ordersMost = 32
)

// part is the orders of the steps up to some time that leave the file with the hash is, and
// that have as few breaks as any of these: places where a step does not begin with what the
// one before left.
type part struct {
	is     string
	breaks int
	orders [][]*step
}

// orders returns the orders of steps that have the fewest breaks, ends being what the last
// should leave. Steps of one source stay in their order, and so do steps of which one ended
// before the other began. Where there are too many orders, nothing is believed but what steps left.
func orders(steps []*step, ends string) [][]*step {
	inOrder(steps)
	parts := []part{{orders: [][]*step{nil}}}
	for i, group := range atOnce(steps) {
		parts = goOn(parts, group, i == 0)
	}
	for i := range parts {
		if parts[i].is != ends {
			parts[i].breaks++
		}
	}
	var all [][]*step
	for _, p := range fewest(parts, 0) {
		all = append(all, p.orders...)
	}
	return all
}

// inOrder makes the times of each source's steps grow: a clock may have been set back.
func inOrder(steps []*step) {
	for _, q := range inQueues(steps) {
		for i, s := range q {
			if i > 0 {
				s.start = max(s.start, q[i-1].start)
			}
			s.end = max(s.end, s.start)
		}
	}
}

// atOnce parts steps into groups, of which each ended before the next began.
func atOnce(steps []*step) (groups [][]*step) {
	all := slices.Clone(steps)
	slices.SortStableFunc(all, func(a, b *step) int { return cmp.Compare(a.start, b.start) })
	end := ""
	for _, s := range all {
		if len(groups) == 0 || s.start > end {
			groups = append(groups, nil)
		}
		end = max(end, s.end)
		groups[len(groups)-1] = append(groups[len(groups)-1], s)
	}
	return groups
}

// goOn returns the parts with the steps of one more group. first means that it is the first,
// whatever stood there before.
func goOn(parts []part, group []*step, first bool) (next []part) {
	queues := inQueues(group)
	for _, p := range parts {
		for _, q := range queues {
			last := q[len(q)-1]
			s := &search{queues: queues, last: last, total: len(group), left: triedMost}
			found, breaks := s.best(p.is, first)
			if s.over() {
				return tooMany(parts, group)
			}
			one := part{last.after, p.breaks + breaks, nil}
			for _, before := range p.orders {
				if len(queues) == 1 && len(found) == 1 { // nothing else goes on from it
					one.orders = append(one.orders, append(before, found[0]...))
					continue
				}
				for _, o := range found {
					one.orders = append(one.orders, slices.Concat(before, o))
				}
			}
			if len(found) > 0 {
				next = merge(next, one)
			}
		}
	}
	next = fewest(next, 1)
	n := 0
	for _, p := range next {
		n += len(p.orders)
	}
	if n > ordersMost {
		return tooMany(parts, group)
	}
	return next
}

// tooMany goes on with one order of all steps so far, and does not believe who made them.
func tooMany(parts []part, group []*step) []part {
	p := fewest(parts, 0)[0]
	all := slices.Concat(p.orders[0], group)
	for i, s := range all {
		all[i] = &step{v: Version{Kind: OutsideKind, SHA256: s.after, At: s.v.At}, source: s.source, section: s.section, start: s.start, end: s.end, before: s.before, after: s.after}
	}
	return []part{{all[len(all)-1].after, p.breaks, [][]*step{all}}}
}

// merge adds orders to those that leave the same.
func merge(parts []part, p part) []part {
	for i := range parts {
		switch have := &parts[i]; {
		case have.is != p.is:
			continue
		case p.breaks < have.breaks:
			*have = p
		case p.breaks == have.breaks:
			have.orders = slices.Concat(have.orders, p.orders)
		}
		return parts
	}
	return append(parts, p)
}

// fewest returns the parts that have at most so many breaks more than the best one.
func fewest(parts []part, more int) []part {
	least := slices.MinFunc(parts, func(a, b part) int { return cmp.Compare(a.breaks, b.breaks) }).breaks
	return slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return p.breaks > least+more })
}

// inQueues parts steps by their sources.
func inQueues(steps []*step) (queues [][]*step) {
	at := map[string]int{}
	for _, s := range steps {
		k, ok := at[s.source]
		if !ok {
			k = len(queues)
			at[s.source] = k
			queues = append(queues, nil)
		}
		queues[k] = append(queues[k], s)
	}
	return queues
}

// search looks for orders of the steps of a group that end with the step last.
type search struct {
	queues [][]*step
	last   *step
	total  int
	left   int             // how many places may still be looked at
	dead   map[string]bool // places from which no order leads to the end
	path   []*step
	found  [][]*step
}

// best returns the orders with the fewest breaks, and how many these are, unless it is over.
func (s *search) best(is string, free bool) (found [][]*step, breaks int) {
	for ; breaks <= s.total; breaks++ {
		s.dead = map[string]bool{}
		s.place(make([]int, len(s.queues)), is, breaks, free)
		if s.over() || len(s.found) > 0 {
			break
		}
	}
	return s.found, breaks
}

// over reports whether there are too many orders, or places to look at.
func (s *search) over() bool { return s.left <= 0 || len(s.found) > ordersMost }

// place goes on behind path, which took next[k] steps of each queue and left the file as is,
// with at most so many breaks; free means that the next one is none, whatever it begins with.
// It reports whether it found an order.
func (s *search) place(next []int, is string, breaks int, free bool) (found bool) {
	if s.left--; s.over() {
		return false
	}
	if len(s.path) == s.total {
		s.found = append(s.found, slices.Clone(s.path))
		return true
	}
	key := placeKey(next, is, breaks)
	if s.dead[key] {
		return false
	}
	for k, q := range s.queues {
		if next[k] == len(q) || !s.mayBeNext(q[next[k]], next) {
			continue
		}
		st := q[next[k]]
		rest := breaks
		if st.before != is && st.before != loose && !free {
			rest--
		}
		if rest < 0 || st == s.last && len(s.path) < s.total-1 {
			continue
		}
		next[k]++
		s.path = append(s.path, st)
		found = s.place(next, st.after, rest, false) || found
		s.path = s.path[:len(s.path)-1]
		next[k]--
	}
	if !found {
		s.dead[key] = true
	}
	return found
}

// mayBeNext reports whether no step that is left ended before st began.
func (s *search) mayBeNext(st *step, next []int) bool {
	for k, q := range s.queues {
		if next[k] < len(q) && q[next[k]].end < st.start {
			return false
		}
	}
	return true
}

func placeKey(next []int, is string, breaks int) string {
	b := make([]byte, 0, len(next)*4+len(is)+4)
	for _, n := range append(next[:len(next):len(next)], breaks) {
		b = append(b, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	return string(append(b, is...))
}
