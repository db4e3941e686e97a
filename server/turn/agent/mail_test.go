package agent

import (
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/server/turn/record"
)

func TestUnsent(t *testing.T) {
	answer := func(api, stop string) dialog.Section {
		return dialog.Section{Role: dialog.Assistant, Meta: dialog.Fields{{Key: "Stop", Value: stop}, {Key: "Api", Value: api}}}
	}
	note := func(kind, text string) dialog.Section {
		return dialog.Section{Role: dialog.Note, Meta: dialog.Fields{{Key: "Kind", Value: kind}, {Key: "By", Value: "human"}}, Payloads: []dialog.Payload{{Type: dialog.NoteMarkdown, Text: text}}}
	}
	var (
		user  = dialog.Section{Role: dialog.User}
		calls = answer("acp", "calls")
		end   = answer("acp", "end")
		a, b  = note("mail", "a"), note("mail", "b")
		broke = dialog.Section{Role: dialog.ToolResult, Meta: dialog.Fields{{Key: "Status", Value: dialog.CallError}}, Payloads: []dialog.Payload{{Type: dialog.ToolResultJSON, Text: record.Failure(record.AgentEnded)}}}
	)
	for name, c := range map[string]struct {
		sections []dialog.Section
		want     string
	}{
		"none":                        {[]dialog.Section{user, calls, end}, ""},
		"before the prompt's answers": {[]dialog.Section{user, a, calls, end}, ""},
		"that woke it":                {[]dialog.Section{user, end, a, calls, end}, ""},
		"while it waited":             {[]dialog.Section{user, calls, a, calls, b, end}, "a b"},
		"of the prompt before":        {[]dialog.Section{user, calls, a, end, a, end}, ""},
		"behind a new message":        {[]dialog.Section{user, calls, a, user, end}, ""},
		"behind a Continue":           {[]dialog.Section{user, calls, a, note("nudge", "on"), end}, ""},
		"the next prompt's":           {[]dialog.Section{user, calls, end, a}, ""},
		"a new session's":             {[]dialog.Section{user, calls, a, end, note("session", "s")}, ""},
		"of a prompt that broke off":  {[]dialog.Section{user, calls, a, broke, end}, ""},
		"of a model":                  {[]dialog.Section{user, answer("chat", "calls"), a, answer("chat", "end")}, ""},
	} {
		var got []string
		for _, s := range unsent(&dialog.Dialog{Sections: c.sections}) {
			got = append(got, s.Text())
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
