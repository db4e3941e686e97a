package codebase

import (
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
	for i := 0; i < len(p); {
		r, n := utf8.DecodeRuneInString(p[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "⟨0x%02X⟩", p[i])
			odd = true
		case !unicode.IsPrint(r) || r == '"' || r == '`':
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
			odd = true
		default:
			b.WriteRune(r)
			odd = odd || !plainRune(r)
		}
		i += n
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
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		x, y := number(a[i:]), number(b[j:])
		if x != "" && y != "" {
			if c := compareNumbers(x, y); c != 0 {
				return c
			}
			i, j = i+len(x), j+len(y)
			continue
		}
		if a[i] != b[j] {
			return int(a[i]) - int(b[j])
		}
		i, j = i+1, j+1
	}
	if c := (len(a) - i) - (len(b) - j); c != 0 {
		return c
	}
	return strings.Compare(a, b) // "01" and "1"
}

// number returns the digits at the beginning of s.
func number(s string) string {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return s[:n]
}

func compareNumbers(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}
