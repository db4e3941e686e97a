package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"vibey/client"
)

// drawn writes text on which a human decides: every hidden character is drawn as its
// code, as in the window.
func drawn(s string) string { return draw(s, hidden) }

// drawnLine is drawn for a text that has to stay on one line, such as a file's name at
// the head of a line of a report. Line breaks and tabs are drawn too.
func drawnLine(s string) string {
	return draw(s, func(c char) bool { return c.r < ' ' || hidden(c) })
}

// plain writes text to be read: only characters that move the terminal's cursor or
// turn the direction of text are drawn; joiners within words stay.
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

// hidden reports whether a character is not drawn, or looks like another. The variation
// selector and the joiner are not hidden within an emoji; unassigned code points are
// hidden. client/src/text/hidden.ts decides the same by the same table.
func hidden(p char) bool {
	const selector, joiner = 0xfe0f, 0x200d
	t := hiddenTable()
	switch {
	case p.r == selector && t.picture(p.before):
		return false
	case p.r == joiner && (p.before == selector || t.picture(p.before)) && t.picture(p.after):
		return false
	}
	return find(t.hidden, p.r) != nil || unicode.Is(unicode.Cn, p.r)
}

// steers reports whether a character moves the terminal's cursor or turns the
// direction of text.
func steers(p char) bool {
	c := find(hiddenTable().hidden, p.r)
	return c != nil && c.steers
}

// charTable is the table of hidden characters, which the window has too.
type charTable struct {
	hidden   []charRange // in order
	pictures []charRange // in order
}

type charRange struct {
	from, to rune
	name     string
	steers   bool
}

// hiddenTable is the parsed table. It panics on a fault of the embedded file.
var hiddenTable = sync.OnceValue(func() *charTable {
	var file struct{ Hidden, Pictures [][]string }
	if err := json.Unmarshal(client.HiddenCharacters, &file); err != nil {
		panic(err)
	}
	return &charTable{hidden: charRanges(file.Hidden), pictures: charRanges(file.Pictures)}
})

func charRanges(rows [][]string) []charRange {
	out := make([]charRange, len(rows))
	for i, row := range rows {
		out[i] = charRange{from: codePoint(row[0]), to: codePoint(row[1]), steers: slices.Contains(row, "steers")}
		if len(row) > 2 {
			out[i].name = row[2]
		}
	}
	return out
}

func codePoint(hex string) rune {
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		panic(err)
	}
	return rune(n)
}

func find(in []charRange, r rune) *charRange {
	i, _ := slices.BinarySearchFunc(in, r, func(c charRange, r rune) int { return cmp.Compare(c.to, r) })
	if i == len(in) || in[i].from > r {
		return nil
	}
	return &in[i]
}

func (t *charTable) picture(r rune) bool { return find(t.pictures, r) != nil }

// name is what the window calls a hidden character.
func (t *charTable) name(r rune) string {
	c := find(t.hidden, r)
	switch {
	case c == nil:
		return "unknown character"
	case c.name == "tag" && r >= 0xe0020 && r <= 0xe007e:
		return "tag " + string(r-0xe0000)
	}
	return c.name
}
