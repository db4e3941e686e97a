package why

import "slices"

// movesMost is how many moves of a file are followed.
const movesMost = 20

// history is what steps make of a file that holds the bytes with the hash ends, and was
// removed at a time; "" is never. moves is how many moves may be followed.
func (r *reader) history(path string, steps []*step, ends, removed string, moves int) History {
	if r.src.Saves != nil {
		for _, s := range r.src.Saves(path) {
			if !isTime(s.Start) || !isTime(s.End) || removed != "" && s.Start > removed {
				continue
			}
			steps = append(steps[:len(steps):len(steps)], &step{
				v:     Version{Kind: SaveKind, SHA256: s.After, At: s.End},
				start: s.Start, end: s.End, before: s.Before, after: s.After,
			})
		}
	}
	b := &book{r: r, moves: moves, index: map[*step]int{}, moved: map[*step][]int{}, seen: map[string]bool{}}
	all := orders(steps, ends)
	var answers [][]int
	for _, order := range all {
		answers = append(answers, b.read(order, ends))
	}
	for j := range answers[0] {
		if slices.ContainsFunc(answers, func(a []int) bool { return a[j] != answers[0][j] }) {
			answers[0][j] = Unknown
		}
	}
	for i := range b.versions {
		b.versions[i].Known = b.seen[b.versions[i].SHA256]
	}
	return History{Versions: b.versions, Lines: answers[0]}
}

func unknown(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = Unknown
	}
	return all
}

// book follows one file through its steps.
type book struct {
	r        *reader
	moves    int             // how many may still be followed
	versions []Version       // of the first order
	index    map[*step]int   // of a step's version
	moved    map[*step][]int // whose the lines of a file were that a step removed
	seen     map[string]bool // hashes of which the bytes are known
	listed   bool            // versions has all of the first order

	is    string // the file's hash
	stale bool   // its bytes are not known: lines and by are of what it held before
	lines []string
	by    []int
	were  map[string][]int // whose the lines were, by the hashes that undos lead back to; nil: not known
}

// read goes through one order of the steps, and returns whose the lines of the file are
// then. The first order's versions are the history's.
func (b *book) read(order []*step, ends string) []int {
	b.is, b.stale, b.lines, b.by, b.were = "", false, nil, nil, map[string][]int{}
	for _, s := range order {
		if s.v.Kind == UndoKind {
			for _, sha := range append(s.undone[:len(s.undone):len(s.undone)], s.after) {
				b.were[sha] = nil
			}
		}
	}
	for i, s := range order {
		if s.before != b.is && s.before != loose {
			b.outside(s.before)
		}
		b.step(s, i == len(order)-1 && s.after != ends || i < len(order)-1 && order[i+1].before != s.after)
	}
	if b.is != ends {
		b.outside(ends)
	}
	b.listed = true
	return b.by
}

// outside takes in that the file came to hold sha, it is not known how.
func (b *book) outside(sha string) {
	if !b.listed {
		b.versions = append(b.versions, Version{Kind: OutsideKind, SHA256: sha})
	}
	b.become(sha, func(now []string) []int { return b.carried(now, Unknown) })
}

// become sets what the file holds, and whose its lines are by whose, if its bytes are known.
func (b *book) become(sha string, whose func(now []string) []int) {
	content, known := b.r.content(sha)
	b.is = sha
	if !known {
		b.stale = true
		return
	}
	now := lines(content)
	b.seen[sha] = sha != ""
	b.lines, b.by, b.stale = now, whose(now), false
	if _, wanted := b.were[sha]; wanted {
		b.were[sha] = b.by
	}
}

// carried is carry from what the file held before. If that is not known, a line that stood
// there earlier may still be the same, and all others are unknown.
func (b *book) carried(now []string, n int) []int {
	if b.stale {
		n = Unknown
	}
	return carry(b.lines, b.by, now, n)
}

// step takes in one step. open means that the next one does not go on where it ends.
func (b *book) step(s *step, open bool) {
	n, ok := b.index[s]
	if !ok {
		n = len(b.versions)
		b.versions, b.index[s] = append(b.versions, s.v), n
	}
	if s.before == loose || s.v.Kind == CallKind && !s.made && open {
		b.versions[n] = Version{Kind: OutsideKind, SHA256: s.after, At: s.v.At}
	}
	if b.versions[n].Kind == OutsideKind {
		n = Unknown
	}
	b.r.derive(s)
	switch {
	case s.v.Kind == UndoKind:
		b.become(s.after, func(now []string) []int { return b.undo(s, now) })
	case len(s.from) > 0:
		b.become(s.after, func(now []string) []int { return b.movedHere(s, now, n) })
	case s.made:
		b.become(s.after, func(now []string) []int { return b.call(s, now, n) })
	default:
		b.become(s.after, func(now []string) []int { return b.carried(now, n) })
	}
}

// call is whose the lines are behind a call of write_file or edit_file. If its bytes do not
// follow from its input, it did not make them.
func (b *book) call(s *step, now []string, n int) []int {
	in, _ := readInput(s.input)
	after, _ := b.r.content(s.after)
	if s.v.Tool == "write_file" {
		if in.Content == string(after) {
			return b.carried(now, n)
		}
	} else if before, ok := b.r.content(s.before); ok {
		if head, tail, ok := replaced(before, after, in); ok && !b.stale {
			return b.edited(now, head, tail, n)
		}
	}
	if k := b.index[s]; n != Unknown {
		b.versions[k] = Version{Kind: OutsideKind, SHA256: s.after, At: s.v.At}
	}
	return b.carried(now, Unknown)
}

// edited is carried for a change that left so many lines at the head and the tail as they were.
func (b *book) edited(now []string, head, tail, n int) []int {
	was, end := len(b.lines)-tail, len(now)-tail
	middle := carry(b.lines[head:was], b.by[head:was], now[head:end], n)
	return slices.Concat(b.by[:head], middle, b.by[was:])
}

// back is the version, while undo looks for it, of a line that an undo brought back.
const back = Unknown - 1

// undo is whose the lines are behind an undo: those that it brought back are of who wrote
// them, and if it took back a part alone all others stay what they were.
func (b *book) undo(s *step, now []string) []int {
	if by := b.were[s.after]; len(by) == len(now) {
		return by
	}
	by := b.carried(now, back)
	for _, sha := range s.undone {
		content, known := b.r.content(sha)
		were, was := b.were[sha], lines(content)
		if !known || len(were) != len(was) {
			continue
		}
		for j, v := range carry(was, were, now, back) {
			if by[j] == back {
				by[j] = v
			}
		}
	}
	for j := range by {
		by[j] = max(by[j], Unknown)
	}
	return by
}

// movedHere is whose the lines of a new file are if the call that made it removed others: of those
// who wrote them, if it is one of these, and else unknown if one of these had such a line.
func (b *book) movedHere(s *step, now []string, n int) []int {
	var same [][]int
	had := map[string]bool{}
	for _, path := range s.from {
		for _, gone := range b.r.steps[path] {
			if gone.source != s.source || gone.section != s.section || gone.after != "" {
				continue
			}
			if gone.before == s.after || gone.before == loose && b.r.held(path, s.after) {
				same = append(same, b.there(path, gone, s.after, len(now)))
				continue
			}
			content, known := b.r.content(gone.before)
			if !known {
				return unknown(len(now)) // it may have had any of them
			}
			for _, l := range lines(content) {
				had[l] = true
			}
		}
	}
	by := make([]int, len(now))
	for j, l := range now {
		switch {
		case len(same) == 1:
			by[j] = same[0][j]
		case had[l]:
			by[j] = Unknown
		default:
			by[j] = n
		}
	}
	return by
}

// held reports whether a step left a file with that hash.
func (r *reader) held(path, sha string) bool {
	return slices.ContainsFunc(r.steps[path], func(s *step) bool { return s.after == sha })
}

// there is whose the n lines of another file were when a step removed it, which had the hash
// sha then. Its versions become this file's.
func (b *book) there(path string, gone *step, sha string, n int) []int {
	if b.moves == 0 {
		return unknown(n)
	}
	if by, ok := b.moved[gone]; ok {
		return by
	}
	var before []*step
	for _, s := range b.r.steps[path] {
		if s != gone && (s.source == gone.source && s.section < gone.section || s.source != gone.source && s.start <= gone.end) {
			before = append(before, s)
		}
	}
	h := b.r.history(path, before, sha, gone.end, b.moves-1)
	by := h.Lines
	if len(by) != n {
		return unknown(n)
	}
	at := len(b.versions)
	b.versions = append(b.versions, h.Versions...)
	for j := range by {
		if by[j] != Unknown {
			by[j] += at
		}
	}
	b.moved[gone] = by
	return by
}
