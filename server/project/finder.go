package project

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unicode"
	"unicode/utf8"
)

// finder looks for a text without regard to case: a character stands for each that
// Unicode folds to it by a simple folding, one for one, in no language in particular. So
// "ß" finds "ẞ" and not "ss", "i" finds neither "ı" nor "İ", and an accent that is a
// character of its own is found only as such. It is not safe for concurrent use.
type finder struct {
	folded []byte
	most   int    // bytes of the longest match, or more
	text   []byte // the text of the last find, folded
}

func newFinder(q string) *finder {
	return &finder{folded: appendFolded(nil, q), most: utf8.RuneCountInString(q) * utf8.UTFMax}
}

// find returns the first match in text. start is negative if there is none.
func (f *finder) find(text string) (start, end int) {
	f.text = appendFolded(f.text[:0], text)
	at := bytes.Index(f.text, f.folded)
	if at < 0 {
		return -1, -1
	}
	start = unfolded(text, at)
	return start, start + unfolded(text[start:], len(f.folded))
}

// appendFolded appends text with its characters folded. What is no UTF-8 stays. Eight
// bytes of ASCII are folded at once, which makes a search three times faster.
func appendFolded(b []byte, text string) []byte {
	const all = 0x0101010101010101 // times a byte: that byte eight times
	b = slices.Grow(b, len(text)+8)
	for i := 0; i < len(text); {
		if i+8 <= len(text) {
			if eight := binary.LittleEndian.Uint64([]byte(text[i : i+8])); eight&(all*0x80) == 0 {
				lower := (eight + all*(0x80-'a')) &^ (eight + all*(0x7f-'z')) & (all * 0x80)
				b = binary.LittleEndian.AppendUint64(b, eight-lower>>2)
				i += 8
				continue
			}
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError {
			b = append(b, text[i:i+size]...)
		} else {
			b = utf8.AppendRune(b, fold(r))
		}
		i += size
	}
	return b
}

// unfolded returns how many bytes of text are n bytes once folded.
func unfolded(text string, n int) (size int) {
	for n > 0 {
		r, s := utf8.DecodeRuneInString(text[size:])
		if size += s; r == utf8.RuneError {
			n -= s
		} else {
			n -= utf8.RuneLen(fold(r))
		}
	}
	return size
}

// fold returns the smallest of the characters that are r but for case, which has no more
// bytes than r. Chinese, Japanese and Korean ones have no case.
func fold(r rune) rune {
	switch {
	case r < rune(len(folds)):
		return rune(folds[r])
	case '\u2e80' <= r && r <= '\ua63f':
		return r
	}
	return smallest(r)
}

// folds is fold for Latin, Greek and Cyrillic.
var folds = func() (all [0x600]uint16) {
	for r := range all {
		all[r] = uint16(smallest(rune(r)))
	}
	return all
}()

func smallest(r rune) rune {
	for {
		next := unicode.SimpleFold(r)
		if next <= r {
			return next
		}
		r = next
	}
}
