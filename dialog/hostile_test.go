package dialog

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestHostileTexts: no text makes reading it cost more than its length. Where
// one did, two megabytes took from four seconds to minutes; now each takes a
// fraction of one.
func TestHostileTexts(t *testing.T) {
	const size = 2 << 20
	many := func(line string) string { return strings.Repeat(line, size/len(line)) }
	calls := func(result func(n, i int) int) string {
		var b strings.Builder
		n := 0
		for ; b.Len() < size/2; n++ {
			fmt.Fprintf(&b, "## Tool Request\n> Id: a%d\n\nəəətool/input/json\n{}\nəəə\n", n)
		}
		for i := range n {
			fmt.Fprintf(&b, "## Tool Result\n> Id: a%d\n\nəəətool/result/json\n{}\nəəə\n", result(n, i))
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"open fences above a section":  "# Dialog\n" + many("əəəa\n") + "## User\nəəəx\n",
		"open fences in a section":     "## User\n" + many("əəəa\n"),
		"escapes":                      "## User\nəəəx\n" + many("əəəə\n"),
		"stray fences":                 many("## User\nəəə\nəəəə\n"),
		"pieces of loose text":         "## User\n" + many("x\n\nəəəa\nəəə\n"),
		"metadata":                     "## User\n" + many("> A: b\n"),
		"bad metadata":                 many("## User\n> Resources: x\n"),
		"headings in an open payload":  "## User\nəəəx\n" + many("## U\n") + "əəəy\n",
		"schwas and letters like them": "## User\nəəəx\n" + many("ɛəɔəəʃ"),
		"native reasoning":             "## Reasoning\n" + many("əəənative/a+json\n{}\nəəə\n"),
		"one id":                       many("## Tool Request\n> Id: a\n"),
		"many calls":                   calls(func(_, i int) int { return i }),
		"many calls, answered in turn": calls(func(n, i int) int { return n - 1 - i }),
		"torn notes":                   many("## Note\n> Torn: yes\n"),
	} {
		start := time.Now()
		d := Parse(text)
		BuildHistory(d)
		Format(d)
		RepairTail(text, corpusNow)
		Decide(d, d.Grants(propertyAuthority), Policy{})
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("%s: %d bytes took %v", name, len(text), took)
		}
	}
}
