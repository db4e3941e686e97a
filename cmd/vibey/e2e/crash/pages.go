package main

import "strings"

// pageSizes are the pieces in which a disk takes what was written, in any order:
// a page of the system's cache, and a sector.
var pageSizes = []int{4096, 512}

// subsetMax is up to how many pages every set of lost ones is taken.
const subsetMax = 4

// holes are what a power cut may leave of a text that was added and not synced:
// pages that the disk did not come to are zeros, and later ones may be there.
// Nothing else can stand there, since no page of a file that only grows ever held
// another text. Where the pages' ends fall depends on how long the file was: each
// place of the text can be one, and those beside headings, fences and metadata are.
func (c *cutter) holes(added string) []string {
	seen := map[string]bool{}
	var out []string
	for _, end := range c.pageEnds(added) {
		for _, size := range pageSizes {
			for _, text := range c.lose(added, end%size, size) {
				if !seen[text] && holed(text) {
					seen[text] = true
					out = append(out, text)
				}
			}
		}
	}
	c.random.Shuffle(len(out), func(i, k int) { out[i], out[k] = out[k], out[i] })
	return out[:min(len(out), c.holed)]
}

// pageEnds are the ends of lines and fences, places within them, and some others.
func (c *cutter) pageEnds(added string) []int {
	var at []int
	for i := range len(added) {
		if added[i] != '\n' {
			continue
		}
		at = append(at, i, i+1)
		for _, word := range []string{"## ", "> ", "əəə"} {
			if strings.HasPrefix(added[i+1:], word) {
				at = append(at, i+1+len(word)/2, i+1+len(word), i+1+len(word)+c.random.IntN(8))
			}
		}
	}
	for range 8 {
		at = append(at, c.random.IntN(len(added)+1))
	}
	return at
}

// lose is a text of which pages are lost, the first of which is first bytes long.
func (c *cutter) lose(text string, first, size int) []string {
	var pages []string
	for from, to := 0, first; from < len(text); from, to = to, to+size {
		to = min(to, len(text))
		if to > from {
			pages = append(pages, text[from:to])
		}
	}
	take := func(lost func(i int) bool) string {
		var b strings.Builder
		for i, p := range pages {
			if lost(i) {
				p = zeros(len(p))
			}
			b.WriteString(p)
		}
		return b.String()
	}
	var out []string
	if len(pages) <= subsetMax {
		for set := range 1 << len(pages) {
			out = append(out, take(func(i int) bool { return set&(1<<i) != 0 }))
		}
		return out
	}
	one := c.random.IntN(len(pages))
	return append(out, take(func(i int) bool { return i == 0 }), take(func(i int) bool { return i == one }), take(func(i int) bool { return i != one }),
		take(func(i int) bool { return i%2 == 0 }), take(func(int) bool { return c.random.IntN(2) == 0 }))
}

// holed reports whether a text has zeros with something behind them.
func holed(text string) bool {
	i := strings.IndexByte(text, 0)
	return i >= 0 && strings.Trim(text[i:], "\x00") != ""
}
