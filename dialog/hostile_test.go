package dialog

import (
	"fmt"
	"strings"
	"testing"
	"time"
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

// TestHostileTexts: four times the text costs about four times as much, and not
// sixteen times. The fastest of several runs tells, since others use the machine.
func TestHostileTexts(t *testing.T) {
	const size = 128 << 10
	for name, text := range hostile {
		short, long := text(size), text(4*size)
		one, four := time.Hour, time.Hour
		for try := 0; try == 0 || four > 10*one && try < 20; try++ {
			one, four = min(one, readAll(short)), min(four, readAll(long))
		}
		if four > 10*one {
			t.Errorf("%s: %d bytes took %v, and %d took %v", name, len(short), one, len(long), four)
		}
	}
}

// readAll is the time that all takes which is ever asked of a text.
func readAll(text string) time.Duration {
	start := time.Now()
	d := Parse(text)
	BuildHistory(d)
	Format(d)
	RepairTail(text, corpusNow)
	Decide(d, d.Grants(propertyAuthority), Policy{})
	return time.Since(start)
}
