package dialog

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// coveredGen makes a section of a dialog in which Summaries stand for any ranges, also
// for such as part a call from its result, and are undone.
func coveredGen(t *rapid.T, d *Dialog, open *[]string) Section {
	n := len(d.Sections)
	id := fmt.Sprintf("s%d", n)
	any := func() string {
		if n == 0 {
			return "none"
		}
		return d.Sections[rapid.IntRange(0, n-1).Draw(t, "section")].ID
	}
	note := func(kind, to string, more ...Field) Section {
		return Section{Role: Note, ID: id, Meta: append(Fields{{Key: "Kind", Value: kind}}.With("To", to), more...), Payloads: []Payload{{NoteMarkdown, kind + " " + id}}}
	}
	switch what := rapid.SampledFrom([]string{"user", "says", "thinks", "call", "call", "result", "result", "summary", "summary", "undo", "nudge", "tags", "native", "model"}).Draw(t, "what"); what {
	case "says":
		return Section{Role: Assistant, ID: id, Payloads: []Payload{{OutputMarkdown, rapid.SampledFrom([]string{"", "answer " + id}).Draw(t, "text")}}}
	case "thinks":
		return Section{Role: Reasoning, ID: id, Payloads: []Payload{{ReasoningMarkdown, "hm"}, {"native/messages+json", `{"n":"` + id + `"}`}}}
	case "call":
		*open = append(*open, id)
		return Section{Role: ToolRequest, ID: id, Meta: Fields{{Key: "Tool", Value: "run_command"}, {Key: "Status", Value: CallPending}}, Payloads: []Payload{{ToolInput, `{"command":"` + id + `"}`}}}
	case "result":
		if len(*open) > 0 {
			i := rapid.IntRange(0, len(*open)-1).Draw(t, "which")
			id = (*open)[i]
			*open = slices.Delete(*open, i, i+1)
			return Section{Role: ToolResult, ID: id, Meta: Fields{{Key: "Tool", Value: "run_command"}, {Key: "Status", Value: CallApproved}}, Payloads: []Payload{{ToolResultJSON, `{"success":true}`}}}
		}
	case "summary":
		return Section{Role: Summary, ID: id, Meta: Fields{{Key: "Covers", Value: any() + " - " + any()}}, Payloads: []Payload{{SummaryMarkdown, "summary " + id}}}
	case "undo":
		return note("summary-undone", "human", Field{Key: "Parent", Value: any()})
	case "nudge":
		return note("nudge", "model")
	case "tags", "native":
		return note(ToolsNote, "model", Field{Key: "Calls", Value: what})
	case "model":
		return Section{Role: User, ID: id, Meta: Fields{{Key: "By", Value: "human"}, {Key: "Model", Value: "m-" + id}}, Payloads: []Payload{{InputMarkdown, "as another, " + id}}}
	}
	return Section{Role: User, ID: id, Meta: Fields{{Key: "By", Value: "human"}}, Payloads: []Payload{{InputMarkdown, "message " + id}}}
}

// TestCoveredHistory: whatever ranges Summaries stand for, and whichever of them are
// undone, a history is one that no provider refuses once a human speaks, is the same
// step by step as at once, and what was stable in it stays but for a Summary or its
// undoing.
func TestCoveredHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Parse(benchHead)
		var open []string
		var steps Builder
		var before History
		for range rapid.IntRange(1, 40).Draw(t, "sections") {
			s := coveredGen(t, d, &open)
			if err := CheckSection(&s); err != nil {
				t.Fatal(err)
			}
			d.Append(s)
			steps.Extend(d)
			text := Format(d)
			fresh := Parse(text)
			h := BuildHistory(fresh)
			var b Builder
			b.Extend(fresh)
			if on, ended := b.Tags(); fmt.Sprint(on, ended) != fmt.Sprint(steps.Tags()) {
				t.Fatalf("tags differ in\n%s", text)
			}
			if diff := cmp.Diff(h, steps.History()); diff != "" {
				t.Fatalf("at once and step by step differ:\n%s\n%s", diff, text)
			}
			if !s.coversAnything() && (h.Stable < before.Stable || !slices.Equal(h.Items[:before.Stable], before.Items[:before.Stable])) {
				t.Fatalf("what was stable has changed:\n%s\n%s", cmp.Diff(before.Items[:before.Stable], h.Items), text)
			}
			before = h
			fresh.Append(Section{Role: User, ID: "human", Payloads: []Payload{{InputMarkdown, "Go on."}}})
			if h := BuildHistory(fresh); ValidateHistory(h) != nil {
				t.Fatalf("%v:\n%s\n%s", ValidateHistory(h), showHistory(h), text)
			}
		}
	})
}
