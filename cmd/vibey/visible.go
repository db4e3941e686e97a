package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What a model, a tool or a file wrote must not steer the terminal, nor hide
// what a human is about to approve. drawn is for what is decided on: every
// character that shows nothing is drawn. plain is for reading: what could
// steer a terminal or turn text around is drawn, joiners within words are not.

func drawn(s string) string { return draw(s, hidden) }

func plain(s string) string { return draw(s, steers) }

// draw writes each character that is named by is as its code: ⟨U+202E⟩, ⟨ESC⟩.
// Line feeds and tabs stay.
func draw(s string, is func(rune) bool) string {
	if strings.IndexFunc(s, is) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "⟨0x%02X⟩", s[i])
		case r == 0x1b:
			b.WriteString("⟨ESC⟩")
		case is(r):
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// steers names control characters, and those that turn the direction of text.
func steers(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r):
		return true
	}
	return r == 0x061c || r == 0x200e || r == 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// hidden names all that shows nothing, or not what it is: controls, direction,
// zero width, tags, variation selectors, fillers, blanks that are no blank.
func hidden(r rune) bool {
	switch {
	case r < 0x7f:
		return steers(r)
	case steers(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), unicode.Is(unicode.Variation_Selector, r):
		return true
	case r != ' ' && unicode.Is(unicode.Z, r):
		return true
	}
	switch r {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x2800, 0x3164, 0xffa0:
		return true
	}
	return false
}

// indent puts a margin before each line.
func indent(s, margin string) string {
	return margin + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n"+margin)
}
