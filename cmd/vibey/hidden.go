package main

import (
	"encoding/json"
	"slices"
	"sort"
	"strconv"
	"sync"
	"unicode"

	"vibey/client"
)

// hidden reports whether a character shows nothing, or not what it is. The two
// that make emoji are not hidden within one; what Unicode has not given out yet
// is. client/src/text/hidden.ts decides the same by the same table.
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

// hiddenTable reads the table, once. It is a part of the program, so that a
// fault in it is the program's own.
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
	i := sort.Search(len(in), func(i int) bool { return in[i].to >= r })
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
