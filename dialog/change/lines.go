package change

import "slices"

// run is a run of lines a0 up to a1 of one text in whose place b0 up to b1 stand in another.
type run struct{ a0, a1, b0, b1 int }

// editsMost is how many lines two texts may differ in to be compared line by line: it costs
// the square of that. Of texts that differ in more, parts are compared between the lines
// that each of them has once, and a part without such lines is one run.
const editsMost = 1500

// runs returns how b differs from a, from the top on, by as few lines as it can. No two runs
// touch. Lines that were put in or taken out where they may as well be further down, are
// there.
func runs(a, b []string) []run {
	x := differ{ids: map[string]int32{}}
	x.a, x.b = x.number(a), x.number(b)
	x.compare(0, len(a), 0, len(b))
	return x.slid()
}

// differ compares two texts whose lines are numbers.
type differ struct {
	ids  map[string]int32
	a, b []int32
	out  []run
}

func (x *differ) number(lines []string) []int32 {
	out := make([]int32, len(lines))
	for i, l := range lines {
		id, ok := x.ids[l]
		if !ok {
			id = int32(len(x.ids))
			x.ids[l] = id
		}
		out[i] = id
	}
	return out
}

// add takes in a run behind those before; it is joined to one that it touches.
func (x *differ) add(r run) {
	if r.a0 == r.a1 && r.b0 == r.b1 {
		return
	}
	if n := len(x.out) - 1; n >= 0 && x.out[n].a1 == r.a0 && x.out[n].b1 == r.b0 {
		x.out[n].a1, x.out[n].b1 = r.a1, r.b1
		return
	}
	x.out = append(x.out, r)
}

func (x *differ) compare(a0, a1, b0, b1 int) {
	for a0 < a1 && b0 < b1 && x.a[a0] == x.b[b0] {
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && x.a[a1-1] == x.b[b1-1] {
		a1, b1 = a1-1, b1-1
	}
	if a0 == a1 || b0 == b1 || !x.byLine(a0, a1, b0, b1) && !x.byAnchors(a0, a1, b0, b1) {
		x.add(run{a0, a1, b0, b1})
	}
}

// byLine finds the fewest lines by which two parts differ, as E. Myers did ("An O(ND)
// Difference Algorithm", 1986). It returns false if they are more than editsMost.
func (x *differ) byLine(a0, a1, b0, b1 int) bool {
	n, m := a1-a0, b1-b0
	most := min(n+m, editsMost)
	far := make([]int32, 2*most+3) // by diagonal, how far into a the fewest edits lead
	var trace [][]int32            // of each number of edits before
	for d := 0; d <= most; d++ {
		for k := -d; k <= d; k += 2 {
			i := far[most+k] + 1 // a line of a is taken out
			if k == -d || k != d && far[most+k] < far[most+k+2] {
				i = far[most+k+2] // a line of b is put in
			}
			if d == 0 {
				i = 0
			}
			for int(i) < n && int(i)-k < m && x.a[a0+int(i)] == x.b[b0+int(i)-k] {
				i++
			}
			far[most+1+k] = i
			if k == n-m && int(i) >= n {
				x.follow(trace, a0, b0, n, m, d)
				return true
			}
		}
		trace = append(trace, slices.Clone(far[most+1-d:most+2+d]))
	}
	return false
}

// follow adds the runs of the way that leads to the end of two parts of n and m lines by d
// edits.
func (x *differ) follow(trace [][]int32, a0, b0, n, m, d int) {
	var back []run
	for i, k := n, n-m; d > 0; d-- {
		far := func(k int) int32 { // with one edit less
			if at := k + d - 1; at >= 0 && at < len(trace[d-1]) {
				return trace[d-1][at]
			}
			return -1
		}
		put := k == -d || k != d && far(k-1) < far(k+1)
		if put {
			i, k = int(far(k+1)), k+1
			back = append(back, run{a0 + i, a0 + i, b0 + i - k, b0 + i - k + 1})
		} else {
			i, k = int(far(k-1)), k-1
			back = append(back, run{a0 + i, a0 + i + 1, b0 + i - k, b0 + i - k})
		}
	}
	for _, r := range slices.Backward(back) {
		x.add(r)
	}
}

// byAnchors compares what stands between the lines that each of two parts has once, those
// of them that come in the same order in both. It returns false if there are none.
func (x *differ) byAnchors(a0, a1, b0, b1 int) bool {
	inA, inB := once(x.a[a0:a1]), once(x.b[b0:b1])
	var pairs [][2]int // lines of a and b, in a's order
	for i := a0; i < a1; i++ {
		if j, ok := inB[x.a[i]]; ok && j >= 0 && inA[x.a[i]] >= 0 {
			pairs = append(pairs, [2]int{i, b0 + j})
		}
	}
	kept := rising(pairs)
	for _, p := range kept {
		x.compare(a0, p[0], b0, p[1])
		a0, b0 = p[0]+1, p[1]+1
	}
	if len(kept) > 0 {
		x.compare(a0, a1, b0, b1)
	}
	return len(kept) > 0
}

// once returns where each line stands, -1 for one that stands there more than once.
func once(lines []int32) map[int32]int {
	at := make(map[int32]int, len(lines))
	for i, l := range lines {
		if _, twice := at[l]; twice {
			i = -1
		}
		at[l] = i
	}
	return at
}

// rising returns the most pairs of which the second numbers rise as the first ones do.
func rising(pairs [][2]int) (kept [][2]int) {
	var ends []int // by length less one, the pair with the smallest second number that ends so many
	before := make([]int, len(pairs))
	for i, p := range pairs {
		n, _ := slices.BinarySearchFunc(ends, p[1], func(e, second int) int { return pairs[e][1] - second })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	if len(ends) == 0 {
		return nil
	}
	for i := ends[len(ends)-1]; i >= 0; i = before[i] {
		kept = append(kept, pairs[i])
	}
	slices.Reverse(kept)
	return kept
}

// slid returns the runs, those that only put lines in or only take some out as far down as
// they can be.
func (x *differ) slid() []run {
	out := make([]run, 0, len(x.out))
	for i := len(x.out) - 1; i >= 0; i-- {
		r := x.out[i]
		endA := len(x.a)
		if len(out) > 0 {
			endA = out[len(out)-1].a0
		}
		for r.a0 == r.a1 && r.a1 < endA && x.b[r.b0] == x.a[r.a1] {
			r = run{r.a0 + 1, r.a1 + 1, r.b0 + 1, r.b1 + 1}
		}
		for r.b0 == r.b1 && r.a1 < endA && x.a[r.a0] == x.a[r.a1] {
			r = run{r.a0 + 1, r.a1 + 1, r.b0 + 1, r.b1 + 1}
		}
		if n := len(out) - 1; n >= 0 && r.a1 == out[n].a0 && r.b1 == out[n].b0 {
			out[n].a0, out[n].b0 = r.a0, r.b0
			continue
		}
		out = append(out, r)
	}
	slices.Reverse(out)
	return out
}
