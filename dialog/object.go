package dialog

import (
	"encoding/json"
	"math/bits"
	"unicode/utf8"
)

// IsObject tells whether s is one JSON object in UTF-8 and nothing else. Every
// call of every dialog passes here on the way to a provider, most of them short
// or one long string, so the plain ones are told by a scan of their own; what
// it is not sure of goes to encoding/json.
func IsObject(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	if flat, sure := flatObject(s); sure {
		return flat
	}
	i := skipBlank(s, 0)
	return i < len(s) && s[i] == '{' && json.Valid([]byte(s))
}

// flatObject knows objects whose values are strings. sure is false for any other.
func flatObject(s string) (ok, sure bool) {
	i := skipBlank(s, 0)
	if i >= len(s) || s[i] != '{' {
		return false, true
	}
	if i = skipBlank(s, i+1); i < len(s) && s[i] == '}' {
		return skipBlank(s, i+1) == len(s), true
	}
	for {
		if i = skipString(s, i); i < 0 {
			return false, false
		}
		if i = skipBlank(s, i); i >= len(s) || s[i] != ':' {
			return false, false
		}
		if i = skipString(s, skipBlank(s, i+1)); i < 0 {
			return false, false
		}
		if i = skipBlank(s, i); i >= len(s) {
			return false, true
		}
		if s[i] == '}' {
			return skipBlank(s, i+1) == len(s), true
		}
		if s[i] != ',' {
			return false, true
		}
		i = skipBlank(s, i+1)
	}
}

func skipBlank(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the place behind the string literal at i, or -1.
func skipString(s string, i int) int {
	if i >= len(s) || s[i] != '"' {
		return -1
	}
	for i++; i < len(s); i++ {
		for i+8 <= len(s) {
			n := plain8(s[i : i+8])
			if i += n; n < 8 {
				break
			}
		}
		if i == len(s) {
			return -1
		}
		switch c := s[i]; {
		case c == '"':
			return i + 1
		case c < 0x20:
			return -1
		case c == '\\':
			i++
			if i >= len(s) {
				return -1
			}
			switch s[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			default:
				return -1 // \u and nonsense: not for this scan
			}
		}
	}
	return -1
}

// plain8 counts how many of eight bytes stand before the first that is a quote,
// a backslash or below a blank: the first at which a subtraction below borrows.
func plain8(s string) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	_ = s[7]
	x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	quote, slash := x^ones*'"', x^ones*'\\'
	return bits.TrailingZeros64(((quote-ones)&^quote|(slash-ones)&^slash|(x-ones*0x20)&^x)&tops) / 8
}
