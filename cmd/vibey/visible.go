package main

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// What a model, a tool or a file wrote must not steer the terminal, nor hide
// what a human is about to approve. drawn is for what is decided on: it draws
// every character that shows nothing, as the window does. plain is for reading:
// it draws what could steer a terminal or turn text around, and leaves joiners
// within words alone.

func drawn(s string) string { return draw(s, hidden) }

func plain(s string) string { return draw(s, steers) }

// draw writes each character that is named by is as its code, ⟨U+202E⟩, and each
// byte that is not UTF-8 as ⟨0xFF⟩.
func draw(s string, is func(char) bool) string {
	var b strings.Builder
	for p := range chars(s) {
		switch {
		case p.bad():
			fmt.Fprintf(&b, "⟨0x%02X⟩", p.raw[0])
		case is(p):
			fmt.Fprintf(&b, "⟨%s⟩", codeOf(p.r))
		default:
			b.WriteString(p.raw)
		}
	}
	return b.String()
}

// hiddenNames returns how many characters of s are hidden, and the code and the
// name of each of them once.
func hiddenNames(s string) (n int, names []string) {
	for p := range chars(s) {
		if p.bad() || !hidden(p) {
			continue
		}
		n++
		if name := codeOf(p.r) + " " + hiddenTable().name(p.r); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return n, names
}

// char is a character of a text and those beside it, 0 where there is none.
type char struct {
	before, r, after rune
	raw              string
}

// bad reports whether it is a byte that is not UTF-8.
func (c char) bad() bool { return c.r == utf8.RuneError && len(c.raw) == 1 }

func chars(s string) iter.Seq[char] {
	return func(yield func(char) bool) {
		p := char{}
		for i := 0; i < len(s); i += len(p.raw) {
			r, n := utf8.DecodeRuneInString(s[i:])
			after, _ := utf8.DecodeRuneInString(s[i+n:])
			p = char{before: p.r, r: r, after: after, raw: s[i : i+n]}
			if !yield(p) {
				return
			}
		}
	}
}

func codeOf(r rune) string { return fmt.Sprintf("U+%04X", r) }

// indent puts a margin before each line.
func indent(s, margin string) string {
	return margin + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n"+margin)
}
