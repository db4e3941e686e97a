package crash

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// cutter makes the states that a power cut may leave of a disk. Every change
// that was not synced is there or is not; of text that was added, as much as
// the disk came to, with zeros where it had made room and not written yet, at
// its end or for any of its pages.
type cutter struct {
	random *rand.Rand
	cuts   int // how many places a text is cut at, beside those of its lines' ends
	mixed  int // how many states mix what happened to several files
	holed  int // how many of the texts with holes are taken
}

// states yields what a power cut may leave of d.
func (c *cutter) states(d *disk, yield func(tree)) {
	files := d.dirty()
	variants := make([][]string, len(files))
	for i, n := range files {
		variants[i] = c.variants(n)
	}
	namings := c.namings(d)
	pick := func(which []int, names map[string]*inode) {
		chosen := map[*inode]string{}
		for i, n := range files {
			chosen[n] = variants[i][which[i]]
		}
		yield(treeOf(names, func(n *inode) string {
			if text, ok := chosen[n]; ok {
				return text
			}
			return n.safe
		}))
	}
	none, all := make([]int, len(files)), make([]int, len(files))
	for i := range all {
		all[i] = 1
	}
	for _, names := range namings {
		pick(none, names)
		pick(all, names)
	}
	// One file after another in all its states, with the latest names and all else written or not.
	latest := namings[len(namings)-1]
	for i := range files {
		for v := range variants[i] {
			for _, others := range [][]int{none, all} {
				which := append([]int{}, others...)
				which[i] = v
				pick(which, latest)
			}
		}
	}
	if len(files) == 0 {
		return
	}
	for range c.mixed {
		which := make([]int, len(files))
		for i := range which {
			which[i] = c.random.IntN(len(variants[i]))
		}
		pick(which, namings[c.random.IntN(len(namings))])
	}
}

// namingMax is up to how many unsynced changes of names each is taken or left
// by itself; beyond that, as many as there are from the first one on.
const namingMax = 4

// namings are the names that a disk may have after a power cut, the last one
// with all changes.
func (c *cutter) namings(d *disk) []map[string]*inode {
	n := len(d.naming)
	var out []map[string]*inode
	take := func(taken func(i int) bool) {
		names := maps.Clone(d.safe)
		for i, change := range d.naming {
			if taken(i) {
				renamed(names, change)
			}
		}
		out = append(out, names)
	}
	if n <= namingMax {
		for set := range 1 << n {
			take(func(i int) bool { return set&(1<<i) != 0 })
		}
		return out
	}
	for k := range n + 1 {
		take(func(i int) bool { return i < k })
	}
	return out
}

// variants are the texts that a file may have, first the synced one, then that
// with everything.
func (c *cutter) variants(n *inode) []string {
	out := []string{n.safe, n.text}
	seen := map[string]bool{n.safe: true, n.text: true}
	add := func(text string) {
		if !seen[text] {
			seen[text] = true
			out = append(out, text)
		}
	}
	base, added := n.safe, ""
	var over []event
	for _, w := range n.writes {
		switch w.kind {
		case grow:
			added += w.text
		case overwrite:
			over = append(over, w)
		case cut:
			base, added = base[:min(int64(len(base)), w.off)], ""
		}
	}
	bases := []string{base}
	for _, w := range over {
		bases = append(bases, after(base, w))
		half := w
		half.text = w.text[:1+c.random.IntN(max(1, len(w.text)-1))]
		bases = append(bases, after(base, half))
	}
	for _, b := range bases {
		add(b)
		add(b + added)
	}
	whole := bases[min(1, len(bases)-1)]
	for _, at := range c.places(added) {
		add(base + added[:at])
		add(whole + added[:at] + zeros(len(added)-at)) // room was made, the rest was not written
	}
	for _, text := range c.holes(added) {
		add(whole + text)
	}
	return out
}

// places are where an added text is cut: at the ends of its lines and fences,
// and anywhere but behind three of the four letters of an escape: that end looks
// like a payload's whose last line feed an editor left out, and is taken for it.
func (c *cutter) places(added string) []int {
	return slices.DeleteFunc(c.anyPlaces(added), func(at int) bool {
		return strings.HasSuffix(added[:at], "\nəəə") && strings.HasPrefix(added[at:], "ə")
	})
}

func (c *cutter) anyPlaces(added string) []int {
	var at []int
	for i := 0; i < len(added); i++ {
		if added[i] == '\n' && (c.cuts >= len(added) || c.random.IntN(3) == 0) {
			at = append(at, i, i+1)
		}
	}
	if len(added) <= c.cuts {
		for i := range len(added) + 1 {
			at = append(at, i)
		}
		return at
	}
	for range c.cuts {
		at = append(at, c.random.IntN(len(added)+1))
	}
	return at
}

func zeros(n int) string { return strings.Repeat("\x00", n) }
