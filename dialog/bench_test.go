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

// benchText is a dialog of about n bytes as an agent at work leaves it: rounds
// of reply, call, started note and result, each section near 700 bytes.
func benchText(n int) string {
	d := dialog.Parse(benchHead)
	dst := []byte(benchHead)
	for i := 0; len(dst) < n; i++ {
		for _, s := range benchRound(i) {
			dst = append(dst, d.Encode(s)...)
		}
	}
	return string(dst)
}

const benchHead = "# Dialog\n> DialogId: 20260216-201100-bench\n> Provider: claude\n> Model: m\n> Status: active \n> Started: 2026-02-16T20:11:00Z\n"

var (
	benchProse  = strings.Repeat("Some line of prose or of code, as they are in dialogs.\n", 9)
	benchOutput = strings.Repeat(`some line of tool output, as they are\n`, 11)
)

// benchRound is one prompt, its answer with a call, and the call's life.
func benchRound(i int) []dialog.Section {
	const span = "2026-02-16T20:11:00Z - 2026-02-16T20:11:04Z"
	id := func(r string) string { return fmt.Sprintf("msg_20260216_201100_%s%d", r, i) }
	call := fmt.Sprintf("toolu_%024d", i)
	prose, output := benchProse, benchOutput
	return []dialog.Section{
		{Role: dialog.User, ID: id("u"), Time: span, Payloads: []dialog.Payload{{dialog.InputMarkdown, "Please look at the file and tell what it does.\n" + prose}}},
		{Role: dialog.Assistant, ID: id("a"), Time: span, Resources: dialog.Resources{In: 1200, Out: 456, Total: 1656, Tools: 1, MS: 3982}, Meta: dialog.Fields{{"Resources cumulative", "in=1200 out=456 total=1656 tools=1 ms=3982"}, {"Stop", "tool_use"}}, Payloads: []dialog.Payload{{dialog.OutputMarkdown, prose}}},
		{Role: dialog.ToolRequest, ID: call, Time: span, Meta: dialog.Fields{{"Parent", id("a")}, {"Tool", "write_file"}, {"Status", "pending"}}, Payloads: []dialog.Payload{{dialog.ToolInput, `{"path":"deed/a.txt","content":"` + output + `"}`}}},
		{Role: dialog.ToolResult, ID: call, Time: span, Resources: dialog.Resources{Tools: 1, MS: 8}, Meta: dialog.Fields{{"Parent", id("a")}, {"Tool", "write_file"}, {"Status", "approved"}}, Payloads: []dialog.Payload{{dialog.ToolResultJSON, `{"success":true,"preview":"` + output + `"}`}}},
	}
}

// benchSizes are the lengths that the goals name.
var benchSizes = []struct {
	name  string
	bytes int
}{{"1MB", 1 << 20}, {"20MB", 20 << 20}}

// BenchmarkScan is the mark: the same bytes searched for lines that begin with
// a fence. Parse and history together may take five times as long.
func BenchmarkScan(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(size.name, func(b *testing.B) {
			text := benchText(size.bytes)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if countFences(text) == 0 {
					b.Fatal("no fence")
				}
			}
		})
	}
}

func countFences(text string) (n int) {
	for at := 0; ; n++ {
		i := strings.Index(text[at:], "\n"+dialog.Fence)
		if i < 0 {
			return n
		}
		at += i + len("\n"+dialog.Fence)
	}
}

// BenchmarkParseHistory reports, beside its time, how many times that of a scan
// it is: the fastest of each in one run, taken in turns, since machines differ
// and others use them. The goal is 5 at most.
func BenchmarkParseHistory(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(size.name, func(b *testing.B) {
			text := benchText(size.bytes)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			scan, parse := time.Hour, time.Hour
			sections := 0
			for b.Loop() {
				t0 := time.Now()
				countFences(text)
				t1 := time.Now()
				d := dialog.Parse(text)
				if h := history.Build(d); len(h.Items) == 0 {
					b.Fatal("no history")
				}
				scan, parse = min(scan, t1.Sub(t0)), min(parse, time.Since(t1))
				sections = len(d.Sections)
			}
			b.ReportMetric(float64(sections), "sections")
			b.ReportMetric(float64(parse)/float64(scan), "scans")
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(size.name, func(b *testing.B) {
			text := benchText(size.bytes)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				dialog.Parse(text)
			}
		})
	}
}

// BenchmarkAppend extends a dialog, its history and its pending calls by one
// round; the time must not depend on the length before.
func BenchmarkAppend(b *testing.B) {
	for _, rounds := range []int{10, 1000, 10000} {
		b.Run(fmt.Sprint(rounds), func(b *testing.B) {
			d := dialog.Parse(benchHead)
			var h history.Builder
			for i := range rounds {
				appendRound(d, &h, i)
			}
			b.ReportAllocs()
			for i := rounds; b.Loop(); i++ {
				appendRound(d, &h, i)
			}
		})
	}
}

func appendRound(d *dialog.Dialog, h *history.Builder, i int) {
	for _, s := range benchRound(i) {
		d.Append(s)
	}
	h.Extend(d)
	h.History()
	grant.Decide(d, grant.Grants{}, grant.Policy{})
}
