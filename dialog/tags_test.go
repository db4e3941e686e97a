package dialog

import (
	"fmt"
	"testing"
)

// How calls are written follows from the sections that are sent, whether they are
// folded one by one or all at once.
func TestTags(t *testing.T) {
	user := func(provider, model string) Section {
		return Section{Role: User, Meta: Fields{}.With("Provider", provider).With("Model", model), Payloads: []Payload{{InputMarkdown, "go"}}}
	}
	note := func(kind, to, calls string) Section {
		return Section{Role: Note, Meta: Fields{}.With("Kind", kind).With("To", to).With("Calls", calls), Payloads: []Payload{{NoteMarkdown, "so"}}}
	}
	tears := note("conflict", "human", "")
	tears.Meta = tears.Meta.With("Torn", "yes")
	tagged := note(ToolsNote, "model", CallsTags)
	for _, tt := range []struct {
		name      string
		secs      []Section
		on, ended bool
	}{
		{"nothing", nil, false, false},
		{"a prompt", []Section{user("", "")}, false, false},
		{"a note", []Section{user("", ""), tagged}, true, false},
		{"a note and more", []Section{user("", ""), tagged, user("", ""), note("nudge", "model", "")}, true, false},
		{"to a human", []Section{user("", ""), note(ToolsNote, "human", CallsTags)}, false, false},
		{"of another kind", []Section{user("", ""), note("nudge", "model", CallsTags)}, false, false},
		{"torn", []Section{user("", ""), tagged, tears}, false, false},
		{"natively again", []Section{user("", ""), tagged, note(ToolsNote, "model", CallsNative)}, false, false},
		{"the same model, named", []Section{user("", ""), tagged, user("p", "m")}, true, false},
		{"another model", []Section{user("", ""), tagged, user("", "n")}, false, true},
		{"another provider", []Section{user("", ""), tagged, user("q", "m")}, false, true},
		{"another model, told", []Section{user("", ""), tagged, user("", "n"), note(ToolsNote, "model", CallsNative), user("", "m")}, false, false},
		{"another model, with tags", []Section{user("", ""), tagged, user("", "n"), tagged}, true, false},
		{"there and back", []Section{user("", ""), tagged, user("", "n"), user("", "m")}, false, true},
		{"another model without a note", []Section{user("", ""), user("", "n")}, false, false},
	} {
		d := &Dialog{Header: Header{DialogID: "20260216-201100-x", Provider: "p", Model: "m"}}
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
	system := func(text, tools, calls string) Section {
		return Section{Role: System, Meta: Fields{}.With("Calls", calls), Payloads: []Payload{{SystemMarkdown, text}, {ToolsJSON, tools}}}
	}
	for _, tt := range []struct {
		name string
		secs []Section
		want bool
	}{
		{"nothing", nil, false},
		{"told of tags", []Section{system("So.", tool, CallsTags)}, true},
		{"not told", []Section{system("> Calls: tags", tool, "")}, false},
		{"natively", []Section{system("So.", tool, CallsNative)}, false},
		{"damaged", []Section{system("So.", "[", CallsTags)}, true},
		{"damaged, and told again", []Section{system("So.", "[", ""), system("So.", tool, CallsTags)}, true},
		{"damaged, and told otherwise", []Section{system("So.", "[", CallsTags), system("So.", tool, "")}, false},
		{"without a text", []Section{system(" ", tool, CallsTags), system("So.", "[", "")}, false},
		{"told a second time", []Section{system("So.", tool, ""), system("So.", tool, CallsTags)}, false},
	} {
		d := &Dialog{Header: Header{DialogID: "20260216-201100-x", Provider: "p", Model: "m"}}
		var b Builder
		b.Extend(d)
		for i, s := range tt.secs {
			s.ID = fmt.Sprint("s", i)
			d.Append(s)
			b.Extend(d)
		}
		if d.TellsTags() != tt.want || b.History().TellsTags != tt.want || BuildHistory(d).TellsTags != tt.want {
			t.Errorf("%s: the dialog %v, its history %v", tt.name, d.TellsTags(), b.History().TellsTags)
		}
	}
}
