package history

import (
	"fmt"
	"testing"

	"vibey/dialog"
)

// How calls are written follows from the sections that are sent, whether they are
// folded one by one or all at once.
func TestTags(t *testing.T) {
	user := func(provider, model string) dialog.Section {
		return dialog.Section{Role: dialog.User, Meta: dialog.Fields{}.With("Provider", provider).With("Model", model), Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: "go"}}}
	}
	note := func(kind, to, calls string) dialog.Section {
		return dialog.Section{Role: dialog.Note, Meta: dialog.Fields{}.With("Kind", kind).With("To", to).With("Calls", calls), Payloads: []dialog.Payload{{Type: dialog.NoteMarkdown, Text: "so"}}}
	}
	tears := note("conflict", "human", "")
	tears.Meta = tears.Meta.With("Torn", "yes")
	tagged := note(ToolsNote, "model", CallsTags)
	for _, tt := range []struct {
		name      string
		secs      []dialog.Section
		on, ended bool
	}{
		{"nothing", nil, false, false},
		{"a prompt", []dialog.Section{user("", "")}, false, false},
		{"a note", []dialog.Section{user("", ""), tagged}, true, false},
		{"a note and more", []dialog.Section{user("", ""), tagged, user("", ""), note("nudge", "model", "")}, true, false},
		{"to a human", []dialog.Section{user("", ""), note(ToolsNote, "human", CallsTags)}, false, false},
		{"of another kind", []dialog.Section{user("", ""), note("nudge", "model", CallsTags)}, false, false},
		{"torn", []dialog.Section{user("", ""), tagged, tears}, false, false},
		{"natively again", []dialog.Section{user("", ""), tagged, note(ToolsNote, "model", CallsNative)}, false, false},
		{"the same model, named", []dialog.Section{user("", ""), tagged, user("p", "m")}, true, false},
		{"another model", []dialog.Section{user("", ""), tagged, user("", "n")}, false, true},
		{"another provider", []dialog.Section{user("", ""), tagged, user("q", "m")}, false, true},
		{"another model, told", []dialog.Section{user("", ""), tagged, user("", "n"), note(ToolsNote, "model", CallsNative), user("", "m")}, false, false},
		{"another model, with tags", []dialog.Section{user("", ""), tagged, user("", "n"), tagged}, true, false},
		{"there and back", []dialog.Section{user("", ""), tagged, user("", "n"), user("", "m")}, false, true},
		{"another model without a note", []dialog.Section{user("", ""), user("", "n")}, false, false},
	} {
		d := &dialog.Dialog{Header: dialog.Header{DialogID: "20260216-201100-x", Provider: "p", Model: "m"}}
		var b Builder
		b.Extend(d)
		for i, s := range tt.secs {
			s.ID = fmt.Sprint("s", i)
			d.Append(s)
			b.Extend(d)
			var fresh Builder
			fresh.Extend(d)
			if b.tags != fresh.tags {
				t.Errorf("%s: after %d sections %+v, at once %+v", tt.name, i+1, b.tags, fresh.tags)
			}
		}
		if on, ended := b.Tags(); on != tt.on || ended != tt.ended {
			t.Errorf("%s: on %v, ended %v", tt.name, on, ended)
		}
	}
}

// The System section that counts says whether the system text tells of tags, and not
// what the text says.
func TestTellsTags(t *testing.T) {
	const tool = `[{"name":"run_command","input_schema":{"type":"object","properties":{}}}]`
	system := func(text, tools, calls string) dialog.Section {
		return dialog.Section{Role: dialog.System, Meta: dialog.Fields{}.With("Calls", calls), Payloads: []dialog.Payload{{Type: dialog.SystemMarkdown, Text: text}, {Type: dialog.ToolsJSON, Text: tools}}}
	}
	for _, tt := range []struct {
		name string
		secs []dialog.Section
		want bool
	}{
		{"nothing", nil, false},
		{"told of tags", []dialog.Section{system("So.", tool, CallsTags)}, true},
		{"not told", []dialog.Section{system("> Calls: tags", tool, "")}, false},
		{"natively", []dialog.Section{system("So.", tool, CallsNative)}, false},
		{"damaged", []dialog.Section{system("So.", "[", CallsTags)}, true},
		{"damaged, and told again", []dialog.Section{system("So.", "[", ""), system("So.", tool, CallsTags)}, true},
		{"damaged, and told otherwise", []dialog.Section{system("So.", "[", CallsTags), system("So.", tool, "")}, false},
		{"without a text", []dialog.Section{system(" ", tool, CallsTags), system("So.", "[", "")}, false},
		{"told a second time", []dialog.Section{system("So.", tool, ""), system("So.", tool, CallsTags)}, false},
	} {
		d := &dialog.Dialog{Header: dialog.Header{DialogID: "20260216-201100-x", Provider: "p", Model: "m"}}
		var b Builder
		b.Extend(d)
		for i, s := range tt.secs {
			s.ID = fmt.Sprint("s", i)
			d.Append(s)
			b.Extend(d)
		}
		if CallsByTags(d) != tt.want || b.History().ByTags != tt.want || Build(d).ByTags != tt.want {
			t.Errorf("%s: the dialog %v, its history %v", tt.name, CallsByTags(d), b.History().ByTags)
		}
	}
}
