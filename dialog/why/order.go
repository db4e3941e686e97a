package why

// How much is tried to find the order of steps: places that are looked at, and orders that
// are as good as each other.
const (
	triedMost  = 50_000
	ordersMost = 32
)

// orders returns the orders of steps in which the fewest of them do not begin with what the
// one before left, ends being what the last should leave. Steps of one source stay in their
// order, and so do steps of which one ended before the other began. It returns nil where
// there are too many.
func orders(steps []*step, ends string) [][]*step {
	s := &search{ends: ends, left: triedMost}
	at := map[string]int{}
	for _, st := range steps {
		k, ok := at[st.source]
		if !ok {
			k = len(s.queues)
			at[st.source] = k
			s.queues = append(s.queues, nil)
		}
		s.queues[k] = append(s.queues[k], st)
	}
	for breaks := 0; breaks <= len(steps)+1; breaks++ {
		s.total, s.dead = len(steps), map[string]bool{}
		s.place(make([]int, len(s.queues)), "", breaks)
		if s.left <= 0 || len(s.found) > ordersMost {
			return nil
		}
		if len(s.found) > 0 {
			return s.found
		}
	}
	return nil
}

// search looks for orders.
type search struct {
	queues [][]*step
	ends   string
	total  int
	left   int             // how many places may still be looked at
	dead   map[string]bool // places from which no order leads to the end
	path   []*step
	found  [][]*step
}

// place goes on behind path, which took next[k] steps of each queue and left the file as is,
// with at most so many breaks. It reports whether it found an order.
func (s *search) place(next []int, is string, breaks int) (found bool) {
	if s.left--; s.left <= 0 || len(s.found) > ordersMost {
		return false
	}
	if len(s.path) == s.total {
		if is != s.ends {
			breaks--
		}
		if breaks < 0 {
			return false
		}
		s.found = append(s.found, append([]*step(nil), s.path...))
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
		if st.before != is && st.before != loose && len(s.path) > 0 {
			rest--
		}
		if rest < 0 {
			continue
		}
		next[k]++
		s.path = append(s.path, st)
		found = s.place(next, st.after, rest) || found
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
