package codebase

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longest is how many bytes a name in a summary has at most; a path that is longer is
// left out.
const longest = 160

// quote writes a path of the deed as agents name it. Characters that can't be seen, that
// end a line or turn the direction of text, and bytes that are not UTF-8, are drawn as
// their codes, ⟨U+202E⟩; what is not plain stands in quotation marks. ok is false for
// one that is too long.
func quote(p string) (s string, ok bool) {
	var b strings.Builder
	odd := false
	for i, r := range p {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(p[i:], "\uFFFD"):
			fmt.Fprintf(&b, "⟨0x%02X⟩", p[i])
			odd = true
		case !unicode.IsPrint(r) || r == '"' || r == '`':
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
			odd = true
		default:
			b.WriteRune(r)
			odd = odd || !plainRune(r)
		}
	}
	s = "deed/" + b.String()
	if odd {
		s = `"` + s + `"`
	}
	return s, len(s) <= longest
}

func plainRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("/._-+@[]()$~=", r)
}

// natural compares paths of one folder so that chapter-2 comes before chapter-10.
func natural(a, b string) int {
	whole := strings.Compare(a, b) // decides between "01" and "1"
	for a != "" && b != "" {
		x, y := number(a), number(b)
		if x == "" || y == "" {
			if a[0] != b[0] {
				return whole
			}
			a, b = a[1:], b[1:]
			continue
		}
		a, b = a[len(x):], b[len(y):]
		x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		if c := cmp.Or(len(x)-len(y), strings.Compare(x, y)); c != 0 {
			return c
		}
	}
	return cmp.Or(len(a)-len(b), whole)
}

// number returns the digits at the beginning of s.
func number(s string) string { return s[:len(s)-len(strings.TrimLeft(s, "0123456789"))] }
