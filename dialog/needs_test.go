package dialog

import (
	"strings"
	"testing"
	"time"
)

// A kill may cut the very first append at any byte. Whatever is left, a dialog
// that says it can be continued has a message to go on from.
func TestNeedsOfACutBeginning(t *testing.T) {
	h := Header{DialogID: "20260216-201100-cut", Provider: "claude", Model: "m", Status: Active, Started: "2026-02-16T20:11:00Z"}
	now := time.Date(2026, 2, 16, 20, 11, 0, 0, time.UTC)
	head := Format(&Dialog{Header: h})
	whole := string(AppendSection(AppendSection([]byte(head),
		&Section{Role: System, ID: "sys_1", Time: Span(now, now), Payloads: []Payload{{SystemMarkdown, "You are.\nBe brief."}, {ToolsJSON, "[]"}}}),
		&Section{Role: User, ID: "msg_1", Time: Span(now, now), Payloads: []Payload{{InputMarkdown, "Please\nstart."}}}))
	seen := map[Needs]int{}
	for n := len(head); n <= len(whole); n++ {
		cut := whole[:n]
		text := cut + RepairTail(cut, now)
		d := Parse(text)
		needs := NeedsOf(d, Waiting, nil)
		seen[needs]++
		messages := 0
		for _, s := range d.Sections {
			if s.Role == User && !s.Torn {
				messages++
			}
		}
		said := strings.Contains(cut, "start.\nəəə")
		if (needs == NeedsContinue) != (messages > 0) || said != (messages > 0) {
			t.Errorf("cut at %d: needs %s, %d whole messages:\n%s", n, needs, messages, text)
		}
	}
	if seen[NeedsReply] == 0 || seen[NeedsContinue] == 0 {
		t.Errorf("seen %v", seen)
	}
}
