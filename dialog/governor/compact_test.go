package governor

import (
	"fmt"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/history"
)

// TestCompactDamaged: a Summary that is made names a range that is found again, also
// where a section at its end is torn; else none is made, since one that stands for
// nothing would be sent whole, and another one made in each round.
func TestCompactDamaged(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Dialog\n> DialogId: 20260216-201100-x\n")
	for n := range 6 {
		fmt.Fprintf(&b, "\n## User\n> Id: u%d\n\nəəəinput/markdown\nmessage %d\nəəə\n", n, n)
		fmt.Fprintf(&b, "\n## Assistant\n> Id: a%d\n\nəəəoutput/markdown\nanswer %d\nəəə\n", n, n)
	}
	for name, change := range map[string]string{
		"torn":          strings.Replace(b.String(), "answer 1", "ans\x00er 1", 1),
		"without an id": strings.Replace(b.String(), "> Id: a1\n", "", 1),
		"an odd id":     strings.Replace(b.String(), "> Id: u0\n", "> Id: u - 0\n", 1),
		"no id's bytes": strings.Replace(b.String(), "> Id: a1\n", "> Id: a\x01\n", 1),
		"a copied id":   strings.Replace(b.String(), "> Id: a1\n", "> Id: a0\n", 1),
	} {
		d := dialog.Parse(change)
		sums := Compact(d, Room{})
		if len(sums) == 0 {
			continue
		}
		c := sums[0]
		sum := dialog.Section{Role: dialog.Summary, ID: "s1", Meta: dialog.Fields{{Key: "Covers", Value: c.Covers}}, Payloads: []dialog.Payload{{Type: dialog.SummaryMarkdown, Text: c.Text}}}
		if err := dialog.CheckSection(&sum); err != nil {
			t.Errorf("%s: the Summary can't be written: %v", name, err)
		}
		d.Append(sum)
		if len(history.Covers(d)) != 1 {
			t.Errorf("%s: %q is no range", name, c.Covers)
		}
		if again := Compact(d, Room{}); len(again) > 0 {
			t.Errorf("%s: summed up once more, %q", name, again[0].Covers)
		}
	}
	if sums := Compact(dialog.Parse(strings.Replace(b.String(), "answer 1", "ans\x00er 1", 1)), Room{}); len(sums) == 0 {
		t.Error("a torn section at the end keeps all before it from being summed up")
	}
}
