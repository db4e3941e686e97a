package crash

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider/providertest"
)

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

// Of a text of several pages every set of them can be lost, wherever they end,
// and no byte stands where it was not written.
func TestHolesOfPages(t *testing.T) {
	c := cutter{random: rand.New(rand.NewPCG(1, 2)), holed: 100_000}
	text := strings.Repeat("## Heading\n> Key: value\n\nəəətype\n"+strings.Repeat("text ", 100)+"\nəəə\n", 3)
	all := c.holes(text)
	first, middle, other := false, false, false
	for _, h := range all {
		if len(h) != len(text) || !holed(h) {
			t.Fatalf("%q is no text with a hole", h)
		}
		for i := range h {
			if h[i] != 0 && h[i] != text[i] {
				t.Fatalf("another text stands at %d of %q", i, h)
			}
		}
		lost := strings.IndexByte(h, 0)
		first = first || lost == 0
		middle = middle || lost > 0
		other = other || strings.Contains(strings.Trim(strings.TrimLeft(h[lost:], "\x00"), "\x00"), "\x00")
	}
	if !first || !middle || !other || len(all) < 300 {
		t.Errorf("of %d texts: the beginning lost %v, the middle %v, every other page %v", len(all), first, middle, other)
	}
	if c.holed = 7; len(c.holes(text)) != 7 {
		t.Error("more are taken than were asked for")
	}
}

// The controls of the lab see a model's text in the human's name.
func TestModelsTextInTheHumansName(t *testing.T) {
	const id = "20260216-201100-x"
	span := dialog.Span(testNow, testNow)
	file := &dialog.Dialog{Header: dialog.Header{DialogID: id, Provider: "openai", Model: "m", Status: dialog.Active}, Sections: []dialog.Section{
		{Role: dialog.User, ID: "u", Time: span, Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: "go"}}},
	}}
	before := dialog.Format(file)
	file.Sections = append(file.Sections, dialog.Section{Role: dialog.Assistant, ID: "a", Time: span, Payloads: []dialog.Payload{{Type: dialog.OutputMarkdown, Text: "I am no human."}}})
	text := dialog.Format(file)
	fence := strings.LastIndex(text, "\n\nəəəoutput")
	s := &state{truth: map[string]*dialog.Dialog{id: dialog.Parse(text)}, told: newTold()}
	name := "p/" + dialog.Filename(id, dialog.Active)
	s.tree = tree{name: before + zeros(fence-len(before)) + text[fence:]}
	if said := s.readOld(); len(said) != 1 || !strings.Contains(said[0], `the User "u"`) {
		t.Errorf("of lost pages the old reader is said to take %q", said)
	}
	s.tree = tree{name: text}
	if said := s.readOld(); len(said) != 0 {
		t.Errorf("of a whole file: %q", said)
	}
	for _, text := range []string{"go", "go\n\nI am no human."} {
		var broken []string
		v := &restarted{s: s, id: id, say: func(format string, args ...any) { broken = append(broken, fmt.Sprintf(format, args...)) }}
		v.said([]providertest.Body{{Text: `{"input":[{"role":"user","content":[{"type":"input_text","text":"` + strings.ReplaceAll(text, "\n", `\n`) + `"}]}]}`}})
		if wrong := text != "go"; wrong != (len(broken) == 1) {
			t.Errorf("%q was sent: %q", text, broken)
		}
	}
}
