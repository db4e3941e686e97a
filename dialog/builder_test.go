package dialog_test

import (
	"fmt"
	"testing"
	"vibey/dialog"
)

// TestManyCalls: a response of many calls, some with one id, whose results come
// in reverse, answers each in the order of the requests.
func TestManyCalls(t *testing.T) {
	for _, n := range []int{3, 32, 33, 200} {
		d := dialog.Parse(benchHead)
		d.Append(dialog.Section{Role: dialog.User, ID: "u", Payloads: []dialog.Payload{{dialog.InputMarkdown, "go"}}})
		id := func(i int) string { return fmt.Sprint("c", i/2) } // each twice
		for i := range n {
			d.Append(dialog.Section{Role: dialog.ToolRequest, ID: id(i), Meta: dialog.Fields{{"Tool", "x"}}, Payloads: []dialog.Payload{{dialog.ToolInput, "{}"}}})
		}
		for i := n - 1; i > 0; i-- { // all but the first request's second
			d.Append(dialog.Section{Role: dialog.ToolResult, ID: id(i), Meta: dialog.Fields{{"Status", dialog.CallApproved}}, Payloads: []dialog.Payload{{dialog.ToolResultJSON, fmt.Sprintf(`{"success":true,"of":%q}`, id(i))}}})
		}
		h := dialog.BuildHistory(d)
		if err := dialog.ValidateHistory(h); err != nil {
			t.Fatalf("%d calls: %v", n, err)
		}
		results := h.Items[1+n:]
		if len(results) != n {
			t.Fatalf("%d results of %d calls", len(results), n)
		}
		for i, r := range results {
			want := fmt.Sprintf(`{"success":true,"of":%q}`, id(i))
			if i == 1 {
				want = dialog.UnansweredResult
			}
			if r.Text != want {
				t.Errorf("%d calls: result %d is %s", n, i, r.Text)
			}
		}
	}
}

// TestValidateHistory: each way in which a history is refused.
func TestValidateHistory(t *testing.T) {
	user, model := dialog.Item{Kind: dialog.UserText, Text: "a"}, dialog.Item{Kind: dialog.AssistantText, Text: "b"}
	call := func(id string) dialog.Item {
		return dialog.Item{Kind: dialog.CallItem, CallID: id, Tool: "x", Args: "{}"}
	}
	result := func(id string) dialog.Item {
		return dialog.Item{Kind: dialog.ResultItem, CallID: id, Tool: "x", Text: "{}"}
	}
	think := dialog.Item{Kind: dialog.ReasoningItem, Native: "{}", API: "messages"}
	good := [][]dialog.Item{
		{user}, {user, user}, {user, model, user}, {user, call("c"), result("c")}, {user, think, model, user},
		{user, think, call("c"), model, call("d"), result("c"), result("d"), user, model, call("e"), result("e")},
	}
	for i, items := range good {
		if err := dialog.ValidateHistory(dialog.History{Items: items}); err != nil {
			t.Errorf("good %d: %v", i, err)
		}
	}
	odd := func(it dialog.Item, change func(*dialog.Item)) dialog.Item { change(&it); return it }
	bad := map[string][]dialog.Item{
		"nothing":               {},
		"model first":           {model, user},
		"model last":            {user, model},
		"no result":             {user, call("c")},
		"text before result":    {user, call("c"), user, result("c")},
		"half the results":      {user, call("c"), call("d"), result("c"), user},
		"model between results": {user, call("c"), call("d"), result("c"), model, result("d")},
		"wrong order":           {user, call("c"), call("d"), result("d"), result("c")},
		"result of nothing":     {user, result("c")},
		"result twice":          {user, call("c"), result("c"), result("c")},
		"an id twice":           {user, call("c"), result("c"), call("c"), result("c")},
		"id of a word":          {user, call("deny"), result("deny")},
		"blank text":            {odd(user, func(i *dialog.Item) { i.Text = " \n" })},
		"blank answer":          {user, odd(model, func(i *dialog.Item) { i.Text = "\u00a0" }), user},
		"blank result":          {user, call("c"), odd(result("c"), func(i *dialog.Item) { i.Text = "" })},
		"no object":             {user, odd(call("c"), func(i *dialog.Item) { i.Args = "[]" }), result("c")},
		"no tool":               {user, odd(call("c"), func(i *dialog.Item) { i.Tool = "A b" }), result("c")},
		"result of other tool":  {user, call("c"), odd(result("c"), func(i *dialog.Item) { i.Tool = "y" })},
		"idle reasoning":        {user, think, user},
		"reasoning, result":     {user, call("c"), think, result("c")},
		"broken reasoning":      {user, odd(think, func(i *dialog.Item) { i.Native = "{" }), model, user},
		"no kind":               {user, {}},
	}
	for name, items := range bad {
		if dialog.ValidateHistory(dialog.History{Items: items}) == nil {
			t.Errorf("%s passes", name)
		}
	}
	for stable, want := range map[int]bool{-1: false, 0: true, 1: true, 2: false} {
		if err := dialog.ValidateHistory(dialog.History{Items: []dialog.Item{user}, Stable: stable}); (err == nil) != want {
			t.Errorf("%d of one item are stable: %v", stable, err)
		}
	}
}

// TestTornAfterExtend: a section that a Note behind it marks as torn is no part of
// the history any more, though it was folded as a whole one.
func TestTornAfterExtend(t *testing.T) {
	d := dialog.Parse(benchHead)
	var b dialog.Builder
	for _, s := range []dialog.Section{
		{Role: dialog.User, ID: "u1", Payloads: []dialog.Payload{{dialog.InputMarkdown, "go"}}},
		{Role: dialog.Assistant, ID: "a1", Payloads: []dialog.Payload{{dialog.OutputMarkdown, "half"}}},
		{Role: dialog.Note, ID: "n1", Meta: dialog.Fields{{"Kind", "conflict"}, {"Torn", "yes"}}},
		{Role: dialog.Note, ID: "n2", Meta: dialog.Fields{{"Kind", "nudge"}, {"To", "model"}}, Payloads: []dialog.Payload{{dialog.NoteMarkdown, "And now?"}}},
	} {
		d.Append(s)
		b.Extend(d)
		if got, want := showHistory(b.History()), showHistory(dialog.BuildHistory(d)); got != want {
			t.Errorf("behind %s:\n%s\nwant %s", s.ID, got, want)
		}
	}
	if !d.Sections[1].Torn {
		t.Error("it is not torn")
	}
}
