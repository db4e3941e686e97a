package grant

import (
	"strings"
	"testing"
	"time"

	"vibey/dialog"
)

// A kill may cut the very first append at any byte. Whatever is left, a dialog
// that says it can be continued has a message to go on from.
func TestNeedsOfACutBeginning(t *testing.T) {
	h := dialog.Header{DialogID: "20260216-201100-cut", Provider: "claude", Model: "m", Status: dialog.Active, Started: "2026-02-16T20:11:00Z"}
	now := time.Date(2026, 2, 16, 20, 11, 0, 0, time.UTC)
	head := dialog.Format(&dialog.Dialog{Header: h})
	whole := string(dialog.AppendSection(dialog.AppendSection([]byte(head),
		&dialog.Section{Role: dialog.System, ID: "sys_1", Time: dialog.Span(now, now), Payloads: []dialog.Payload{{Type: dialog.SystemMarkdown, Text: "You are.\nBe brief."}, {Type: dialog.ToolsJSON, Text: "[]"}}}),
		&dialog.Section{Role: dialog.User, ID: "msg_1", Time: dialog.Span(now, now), Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: "Please\nstart."}}}))
	seen := map[dialog.Needs]int{}
	for n := len(head); n <= len(whole); n++ {
		cut := whole[:n]
		text := cut + dialog.RepairTail(cut, now)
		d := dialog.Parse(text)
		needs := Needs(d, dialog.Waiting, nil)
		seen[needs]++
		messages := 0
		for _, s := range d.Sections {
			if s.Role == dialog.User && !s.Torn {
				messages++
			}
		}
		said := strings.Contains(cut, "start.\nəəə")
		if (needs == dialog.NeedsContinue) != (messages > 0) || said != (messages > 0) {
			t.Errorf("cut at %d: needs %s, %d whole messages:\n%s", n, needs, messages, text)
		}
	}
	if seen[dialog.NeedsReply] == 0 || seen[dialog.NeedsContinue] == 0 {
		t.Errorf("seen %v", seen)
	}
}

// TestNeedsAfter: what a waiting dialog needs, by what it ends with.
func TestNeedsAfter(t *testing.T) {
	answer := func(text string, meta ...dialog.Field) dialog.Section {
		return dialog.Section{Role: dialog.Assistant, ID: "a", Meta: meta, Payloads: []dialog.Payload{{Type: dialog.OutputMarkdown, Text: text}}}
	}
	note := func(to string) dialog.Section {
		return dialog.Section{Role: dialog.Note, ID: "n", Meta: dialog.Fields{{Key: "Kind", Value: "nudge"}, {Key: "To", Value: to}}, Payloads: []dialog.Payload{{Type: dialog.NoteMarkdown, Text: "x"}}}
	}
	user := dialog.Section{Role: dialog.User, ID: "u", Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: "go"}}}
	for name, c := range map[string]struct {
		behind []dialog.Section
		want   dialog.Needs
	}{
		"nothing":            {nil, dialog.NeedsContinue},
		"an answer":          {[]dialog.Section{answer("Done.")}, dialog.NeedsReply},
		"a human's note":     {[]dialog.Section{answer("Done."), note("human")}, dialog.NeedsReply},
		"the model's note":   {[]dialog.Section{answer("Done."), note("model")}, dialog.NeedsContinue},
		"a cut answer":       {[]dialog.Section{answer("Do", dialog.Field{Key: "Stop", Value: "interrupted"})}, dialog.NeedsContinue},
		"a failed answer":    {[]dialog.Section{answer("Do", dialog.Field{Key: "Stop", Value: "error"})}, dialog.NeedsContinue},
		"a long answer":      {[]dialog.Section{answer("Do", dialog.Field{Key: "Stop", Value: "length"})}, dialog.NeedsContinue},
		"an answer in peace": {[]dialog.Section{answer("Do", dialog.Field{Key: "Stop", Value: "end"})}, dialog.NeedsReply},
		"an empty answer":    {[]dialog.Section{answer(" \n")}, dialog.NeedsContinue},
		"a result":           {[]dialog.Section{answer("Do"), {Role: dialog.ToolRequest, ID: "c"}, {Role: dialog.ToolResult, ID: "c"}}, dialog.NeedsContinue},
		"a call":             {[]dialog.Section{answer("Do"), {Role: dialog.ToolRequest, ID: "c"}}, dialog.NeedsContinue},
	} {
		d := dialog.Parse(testHead)
		d.Append(user)
		for _, s := range c.behind {
			d.Append(s)
		}
		if got := Needs(d, dialog.Waiting, nil); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
