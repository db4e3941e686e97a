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

// TestNeedsAfter: what a waiting dialog needs, by what it ends with.
func TestNeedsAfter(t *testing.T) {
	answer := func(text string, meta ...Field) Section {
		return Section{Role: Assistant, ID: "a", Meta: meta, Payloads: []Payload{{OutputMarkdown, text}}}
	}
	note := func(to string) Section {
		return Section{Role: Note, ID: "n", Meta: Fields{{"Kind", "nudge"}, {"To", to}}, Payloads: []Payload{{NoteMarkdown, "x"}}}
	}
	user := Section{Role: User, ID: "u", Payloads: []Payload{{InputMarkdown, "go"}}}
	for name, c := range map[string]struct {
		behind []Section
		want   Needs
	}{
		"nothing":            {nil, NeedsContinue},
		"an answer":          {[]Section{answer("Done.")}, NeedsReply},
		"a human's note":     {[]Section{answer("Done."), note("human")}, NeedsReply},
		"the model's note":   {[]Section{answer("Done."), note("model")}, NeedsContinue},
		"a cut answer":       {[]Section{answer("Do", Field{"Stop", "interrupted"})}, NeedsContinue},
		"a failed answer":    {[]Section{answer("Do", Field{"Stop", "error"})}, NeedsContinue},
		"a long answer":      {[]Section{answer("Do", Field{"Stop", "length"})}, NeedsContinue},
		"an answer in peace": {[]Section{answer("Do", Field{"Stop", "end"})}, NeedsReply},
		"an empty answer":    {[]Section{answer(" \n")}, NeedsContinue},
		"a result":           {[]Section{answer("Do"), {Role: ToolRequest, ID: "c"}, {Role: ToolResult, ID: "c"}}, NeedsContinue},
		"a call":             {[]Section{answer("Do"), {Role: ToolRequest, ID: "c"}}, NeedsContinue},
	} {
		d := Parse(testHead)
		d.Append(user)
		for _, s := range c.behind {
			d.Append(s)
		}
		if got := NeedsOf(d, Waiting, nil); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
