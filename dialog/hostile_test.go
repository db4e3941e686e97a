package dialog_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/history"
)

// hostile are texts of about size bytes that once cost more than their length:
// a megabyte took up to nine seconds.
var hostile = map[string]func(size int) string{
	"open fences above a section":  func(n int) string { return "# Dialog\n" + many("əəəa\n", n) + "## User\nəəəx\n" },
	"open fences in a section":     func(n int) string { return "## User\n" + many("əəəa\n", n) },
	"escapes":                      func(n int) string { return "## User\nəəəx\n" + many("əəəə\n", n) },
	"stray fences":                 func(n int) string { return many("## User\nəəə\nəəəə\n", n) },
	"pieces of loose text":         func(n int) string { return "## User\n" + many("x\n\nəəəa\nəəə\n", n) },
	"metadata":                     func(n int) string { return "## User\n" + many("> A: b\n", n) },
	"bad metadata":                 func(n int) string { return many("## User\n> Resources: x\n", n) },
	"headings in an open payload":  func(n int) string { return "## User\nəəəx\n" + many("## U\n", n) + "əəəy\n" },
	"schwas and letters like them": func(n int) string { return "## User\nəəəx\n" + many("ɛəɔəəʃ", n) },
	"native reasoning":             func(n int) string { return "## Reasoning\n" + many("əəənative/a+json\n{}\nəəə\n", n) },
	"one id":                       func(n int) string { return many("## Tool Request\n> Id: a\n", n) },
	"many calls":                   func(n int) string { return manyCalls(n, func(_, i int) int { return i }) },
	"many calls, from the last":    func(n int) string { return manyCalls(n, func(calls, i int) int { return calls - 1 - i }) },
	"torn notes":                   func(n int) string { return many("## Note\n> Torn: yes\n", n) },
	"merges":                       func(n int) string { return many("## User\n<<<<<<< a\n>>>>>>> b\n", n) },
	"merges without an end":        func(n int) string { return many("## User\n<<<<<<< a\n", n) + "> Kind: conflict\n" },
	"merges in an open payload":    func(n int) string { return "## User\n<<<<<<< a\nəəəx\n" + many("<<<<<<< a\n", n) + ">>>>>>> b\n" },
	"merges over fences":           func(n int) string { return many("## User\n<<<<<<< a\nəəəx\n>>>>>>> b\n<<<<<<< c\nəəə\n", n) },
}

func many(line string, size int) string { return strings.Repeat(line, size/len(line)) }

// manyCalls is one response of calls, and their results in the order given.
func manyCalls(size int, result func(calls, i int) int) string {
	var b strings.Builder
	calls := 0
	for ; b.Len() < size/2; calls++ {
		fmt.Fprintf(&b, "## Tool Request\n> Id: a%d\n\nəəətool/input/json\n{}\nəəə\n", calls)
	}
	for i := range calls {
		fmt.Fprintf(&b, "## Tool Result\n> Id: a%d\n\nəəətool/result/json\n{}\nəəə\n", result(calls, i))
	}
	return b.String()
}

// TestHostileTexts: such texts settle after one formatting like any other. What
// they cost is BenchmarkHostileTexts' to tell.
func TestHostileTexts(t *testing.T) {
	for name, text := range hostile {
		once := dialog.Format(dialog.Parse(text(16 << 10)))
		if twice := dialog.Format(dialog.Parse(once)); twice != once {
			t.Errorf("%s: formatted twice it is another text", name)
		}
	}
}

// BenchmarkHostileTexts tells how much more four times the text costs: about
// four times as much, where a cost that grows with the square would be sixteen.
func BenchmarkHostileTexts(b *testing.B) {
	const size = 128 << 10
	for name, text := range hostile {
		short, long := text(size), text(4*size)
		b.Run(name, func(b *testing.B) {
			one, four := time.Duration(0), time.Duration(0)
			for b.Loop() {
				one += readAll(short)
				four += readAll(long)
			}
			b.ReportMetric(float64(four)/float64(one), "times")
		})
	}
}

// readAll is the time that all takes which is ever asked of a text.
func readAll(text string) time.Duration {
	start := time.Now()
	d := dialog.Parse(text)
	history.Build(d)
	dialog.Format(d)
	dialog.RepairTail(text, corpusNow)
	grant.Decide(d, grant.Of(d, propertyAuthority), grant.Policy{})
	return time.Since(start)
}
