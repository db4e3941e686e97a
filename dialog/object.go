package dialog

import (
	"encoding/json"
	"math/bits"
	"unicode/utf8"
)

// maxDepth is how deep an object may be nested. Parsers of providers stop at 128
// levels (serde_json's limit), and some of those are the request's own.
const maxDepth = 100

// IsObject tells whether s is one JSON object in UTF-8 and nothing else, and one
// that providers take: without half of a surrogate pair, and not nested too deep.
// A provider that refuses it once refuses every later request. Every call of
// every dialog passes here on the way to a provider, most of them short or one
// long string, so the plain ones are told by a scan of their own; what it is not
// sure of goes to encoding/json.
func IsObject(s string) bool {
	i := skipBlank(s, 0)
	if i == len(s) || s[i] != '{' {
		return false
	}
	flat, plain := flatObject(s, i)
	if flat {
		return plain || utf8.ValidString(s)
	}
	return travels([]byte(s))
}

// travels reports whether b is JSON that providers take.
func travels(b []byte) bool {
	return utf8.Valid(b) && json.Valid(b) && !LoneSurrogate(b) && !tooDeep(b)
}

// tooDeep reports whether a JSON text, which is valid, is nested beyond maxDepth.
func tooDeep(b []byte) bool {
	depth, in := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\\':
			i++ // what is escaped, or its u: none of the below
		case c == '"':
			in = !in
		case in:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// flatObject tells of the object at i whether its values are all strings, and
// nothing follows it. false is no verdict. plain tells that all of it is ASCII.
func flatObject(s string, i int) (ok, plain bool) {
	if i = skipBlank(s, i+1); i < len(s) && s[i] == '}' {
		return skipBlank(s, i+1) == len(s), true
	}
	plain = true
	for {
		var key, value bool
		if i, key = skipString(s, i); i < 0 {
			return false, false
		}
		if i = skipBlank(s, i); i == len(s) || s[i] != ':' {
			return false, false
		}
		if i, value = skipString(s, skipBlank(s, i+1)); i < 0 {
			return false, false
		}
		plain = plain && key && value
		if i = skipBlank(s, i); i == len(s) {
			return false, false
		}
		if s[i] == '}' {
			return skipBlank(s, i+1) == len(s), plain
		}
		if s[i] != ',' {
			return false, false
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

const ones, tops = 0x0101010101010101, 0x8080808080808080 // of the bytes of a word

// skipString returns the place behind the string literal at i, or -1. plain
// tells that all of it is ASCII.
func skipString(s string, i int) (end int, plain bool) {
	if i >= len(s) || s[i] != '"' {
		return -1, false
	}
	high := uint64(0)
	for i++; i < len(s); {
		// Eight bytes at a time up to the first that is a quote, a backslash or
		// below a blank: there a subtraction below borrows.
		for i+8 <= len(s) {
			w := s[i : i+8]
			x := uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
				uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
			quote, slash := x^ones*'"', x^ones*'\\'
			high |= x // what stands behind the quote does no harm here
			if found := ((quote-ones)&^quote | (slash-ones)&^slash | (x-ones*0x20)&^x) & tops; found != 0 {
				i += bits.TrailingZeros64(found) / 8
				break
			}
			i += 8
		}
		if i == len(s) {
			break
		}
		switch c := s[i]; {
		case c == '"':
			return i + 1, high&tops == 0
		case c < 0x20:
			return -1, false
		case c != '\\':
			high |= uint64(c)
			i++
		case i+1 == len(s) || !shortEscape[s[i+1]]:
			return -1, false // \u and nonsense: not for this scan
		default:
			i += 2
		}
	}
	return -1, false
}

// shortEscape are the bytes that may follow a backslash, but for u.
var shortEscape = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}
