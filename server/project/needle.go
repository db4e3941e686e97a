package project

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// needle is a text that is searched for without regard to case: a character stands
// for each that Unicode folds to it by a simple folding, one for one, in no language
// in particular. So "ß" finds "ẞ" and not "ss", "i" finds neither "ı" nor "İ", and an
// accent that is a character of its own is found only as such.
type needle struct {
	runes []rune // each folded
	most  int    // the bytes of the longest text that matches
	// The search moves a window over the text, as wide as the needle is long, and
	// jumps by what its last byte is (Boyer, Moore and Horspool's way), for bytes
	// instead of characters: on 100 MB that takes a fifth of the time of decoding.
	width int
	at    [256]uint64 // bit k: the byte may be the window's k-th
	jump  [256]int    // how far the window moves where the byte is its last
	// odd are the cases of characters that have another length in UTF-8 than the one
	// in the needle, such as "ſ" for "s". They are rare, and looked for by themselves.
	odd []string
}

// widest is the widest window, a bit of a uint64 for each byte.
const widest = 64

func newNeedle(q string) *needle {
	n := &needle{width: min(len(q), widest)}
	at := 0
	for _, r := range q {
		n.runes = append(n.runes, fold(r))
		size, longest := utf8.RuneLen(r), 0
		for _, c := range casesOf(r) {
			longest = max(longest, len(c))
			if len(c) != size {
				if !slices.Contains(n.odd, c) {
					n.odd = append(n.odd, c)
				}
				continue
			}
			for k := 0; k < size && at+k < n.width; k++ {
				n.at[c[k]] |= 1 << (at + k)
			}
		}
		at, n.most = at+size, n.most+longest
	}
	for c := range n.jump {
		n.jump[c] = n.width
		for k := range n.width - 1 {
			if n.at[c]&(1<<k) != 0 {
				n.jump[c] = n.width - 1 - k
			}
		}
	}
	return n
}

// fold returns the smallest of the characters that are r but for case.
func fold(r rune) rune {
	if r < utf8.RuneSelf {
		if 'a' <= r && r <= 'z' {
			r -= 'a' - 'A'
		}
		return r
	}
	for {
		next := unicode.SimpleFold(r)
		if next <= r {
			return next
		}
		r = next
	}
}

// casesOf returns r and the characters that are r but for case.
func casesOf(r rune) []string {
	all := []string{string(r)}
	for c := unicode.SimpleFold(r); c != r; c = unicode.SimpleFold(c) {
		all = append(all, string(c))
	}
	return all
}

// finder looks for a needle in one text, from its beginning to its end.
type finder struct {
	*needle
	text    string
	nextOdd []int // where each of odd stands next
}

func (n *needle) in(text string) finder {
	f := finder{needle: n, text: text, nextOdd: make([]int, len(n.odd))}
	for i := range f.nextOdd {
		f.nextOdd[i] = -1
	}
	return f
}

// find returns the first match that begins at from or behind it. start is negative
// where there is none. from must not become smaller from call to call.
func (f *finder) find(from int) (start, end int) {
	start, end = f.slide(from)
	odd := f.oddAt(from, f.nextOdd)
	for ahead := slices.Clone(f.nextOdd); odd >= 0 && (start < 0 || odd < start+f.most); odd = f.oddAt(odd+1, ahead) {
		for at := max(from, odd-f.most+1); at <= odd && (start < 0 || at < start); at++ {
			if e, ok := f.matches(at); ok && utf8.RuneStart(f.text[at]) {
				start, end = at, e
			}
		}
	}
	return start, end
}

// slide is find for matches that have no odd case.
func (f *finder) slide(from int) (start, end int) {
	last := uint64(1) << (f.width - 1)
	for i := from + f.width - 1; i < len(f.text); {
		c := f.text[i]
		if f.at[c]&last != 0 {
			k := 1
			for k < f.width && f.at[f.text[i-k]]&(last>>k) != 0 {
				k++
			}
			if k == f.width {
				if end, ok := f.matches(i - f.width + 1); ok {
					return i - f.width + 1, end
				}
			}
		}
		i += f.jump[c]
	}
	return -1, -1
}

// oddAt returns where the next odd case stands, at from or behind it, or -1. next is
// where each of them stood when it was called before, with a smaller from.
func (f *finder) oddAt(from int, next []int) int {
	at := len(f.text)
	for i, odd := range f.odd {
		if next[i] < from {
			next[i] = len(f.text)
			if k := strings.Index(f.text[from:], odd); k >= 0 {
				next[i] = from + k
			}
		}
		at = min(at, next[i])
	}
	if at == len(f.text) {
		return -1
	}
	return at
}

// matches reports whether a match begins at a place, and where it ends.
func (f *finder) matches(at int) (end int, ok bool) {
	for _, want := range f.runes {
		r, size := utf8.DecodeRuneInString(f.text[at:])
		if fold(r) != want || r == utf8.RuneError && size < 3 {
			return 0, false
		}
		at += size
	}
	return at, true
}
