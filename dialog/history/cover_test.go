package history

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vibey/dialog"
	"vibey/dialog/picture"
)

// pictures counts those of items.
func pictures(items []Item) (n int) {
	for _, it := range items {
		if it.Kind == PictureItem {
			n++
		}
	}
	return n
}

// coveredGen makes a section of a dialog in which Summaries stand for any ranges, also
// for such as part a call from its result, and are undone.
func coveredGen(t *rapid.T, d *dialog.Dialog, open *[]string) dialog.Section {
	n := len(d.Sections)
	id := fmt.Sprintf("s%d", n)
	any := func() string {
		if n == 0 {
			return "none"
		}
		return d.Sections[rapid.IntRange(0, n-1).Draw(t, "section")].ID
	}
	note := func(kind, to string, more ...dialog.Field) dialog.Section {
		return dialog.Section{Role: dialog.Note, ID: id, Meta: append(dialog.Fields{{Key: "Kind", Value: kind}}.With("To", to), more...), Payloads: []dialog.Payload{{Type: dialog.NoteMarkdown, Text: kind + " " + id}}}
	}
	switch what := rapid.SampledFrom([]string{"user", "says", "thinks", "call", "call", "result", "result", "summary", "summary", "undo", "nudge", "tags", "native", "model", "shows", "shows", "withdraws"}).Draw(t, "what"); what {
	case "says":
		return dialog.Section{Role: dialog.Assistant, ID: id, Payloads: []dialog.Payload{{Type: dialog.OutputMarkdown, Text: rapid.SampledFrom([]string{"", "answer " + id}).Draw(t, "text")}}}
	case "thinks":
		return dialog.Section{Role: dialog.Reasoning, ID: id, Payloads: []dialog.Payload{{Type: dialog.ReasoningMarkdown, Text: "hm"}, {Type: "native/messages+json", Text: `{"n":"` + id + `"}`}}}
	case "call":
		*open = append(*open, id)
		return dialog.Section{Role: dialog.ToolRequest, ID: id, Meta: dialog.Fields{{Key: "Tool", Value: "run_command"}, {Key: "Status", Value: dialog.CallPending}}, Payloads: []dialog.Payload{{Type: dialog.ToolInput, Text: `{"command":"` + id + `"}`}}}
	case "result":
		if len(*open) > 0 {
			i := rapid.IntRange(0, len(*open)-1).Draw(t, "which")
			id = (*open)[i]
			*open = slices.Delete(*open, i, i+1)
			return dialog.Section{Role: dialog.ToolResult, ID: id, Meta: dialog.Fields{{Key: "Tool", Value: "run_command"}, {Key: "Status", Value: dialog.CallApproved}}, Payloads: []dialog.Payload{{Type: dialog.ToolResultJSON, Text: `{"success":true}`}}}
		}
	case "summary":
		return dialog.Section{Role: dialog.Summary, ID: id, Meta: dialog.Fields{{Key: "Covers", Value: any() + " - " + any()}}, Payloads: []dialog.Payload{{Type: dialog.SummaryMarkdown, Text: "summary " + id}}}
	case "undo":
		return note("summary-undone", "human", dialog.Field{Key: "Parent", Value: any()})
	case "nudge":
		return note("nudge", "model")
	case "tags", "native":
		return note(ToolsNote, "model", dialog.Field{Key: "Calls", Value: what})
	case "shows":
		meta := dialog.Fields{{Key: "By", Value: rapid.SampledFrom([]string{"human", "human", "mcp"}).Draw(t, "by")}, {Key: picture.Field, Value: picture.Format(usesGen(t))}}
		return dialog.Section{Role: dialog.User, ID: id, Meta: meta, Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: "see " + id}}}
	case "withdraws":
		if rapid.Bool().Draw(t, "last") {
			return note(picture.NoteKind, "model", dialog.Field{Key: picture.LastField, Value: fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "n"))})
		}
		return note(picture.NoteKind, "model", dialog.Field{Key: picture.Field, Value: picture.Format(usesGen(t))})
	case "model":
		return dialog.Section{Role: dialog.User, ID: id, Meta: dialog.Fields{{Key: "By", Value: "human"}, {Key: "Model", Value: "m-" + id}}, Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: "as another, " + id}}}
	}
	return dialog.Section{Role: dialog.User, ID: id, Meta: dialog.Fields{{Key: "By", Value: "human"}}, Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: "message " + id}}}
}

// usesGen makes pictures of a few files, so that several messages show one.
func usesGen(t *rapid.T) (uses []picture.Use) {
	for range rapid.IntRange(1, 3).Draw(t, "pictures") {
		name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "picture")
		sha := dialog.SHA256(name)
		uses = append(uses, picture.Use{Path: "files/" + picture.FileName(sha, name), SHA256: sha, State: rapid.SampledFrom([]string{picture.Sent, picture.Sent, picture.Gone, picture.Unseen}).Draw(t, "state")})
	}
	return uses
}

// TestCoveredHistory: whatever ranges Summaries stand for, and whichever of them are
// undone, a history is one that no provider refuses once a human speaks, is the same
// step by step as at once, and what was stable in it stays but for a Summary, its
// undoing, or pictures that are withdrawn. These come back by no later section.
func TestCoveredHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := dialog.Parse(testHead)
		var open []string
		var steps Builder
		var before History
		for range rapid.IntRange(1, 40).Draw(t, "sections") {
			s := coveredGen(t, d, &open)
			if err := dialog.CheckSection(&s); err != nil {
				t.Fatal(err)
			}
			known := len(d.Summaries())
			d.Append(s)
			steps.Extend(d)
			text := dialog.Format(d)
			fresh := dialog.Parse(text)
			h := Build(fresh)
			var b Builder
			b.Extend(fresh)
			if on, ended := b.Tags(); fmt.Sprint(on, ended) != fmt.Sprint(steps.Tags()) {
				t.Fatalf("tags differ in\n%s", text)
			}
			if diff := cmp.Diff(h, steps.History()); diff != "" {
				t.Fatalf("at once and step by step differ:\n%s\n%s", diff, text)
			}
			if len(d.Summaries()) == known && !isWithdrawal(&s) && (h.Stable < before.Stable || !slices.Equal(h.Items[:before.Stable], before.Items[:before.Stable])) {
				t.Fatalf("what was stable has changed:\n%s\n%s", cmp.Diff(before.Items[:before.Stable], h.Items), text)
			}
			if shown := pictures(h.Items[:min(before.Stable, len(h.Items))]); len(d.Summaries()) == known && shown > pictures(before.Items[:before.Stable]) {
				t.Fatalf("a picture came back:\n%v\n%s", h.Items, text)
			}
			before = h
			fresh.Append(dialog.Section{Role: dialog.User, ID: "human", Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: "Go on."}}})
			if h := Build(fresh); Validate(h) != nil {
				t.Fatalf("%v:\n%v\n%s", Validate(h), h.Items, text)
			}
		}
	})
}
