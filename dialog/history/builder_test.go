package history

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vibey/dialog"
)

const testHead = "# Dialog\n> DialogId: 20260216-201100-bench\n> Provider: claude\n> Model: m\n"

// TestManyCalls: a response of many calls, some with one id, whose results come
// in reverse, answers each in the order of the requests.
func TestManyCalls(t *testing.T) {
	for _, n := range []int{3, 32, 33, 200} {
		d := dialog.Parse(testHead)
		d.Append(dialog.Section{Role: dialog.User, ID: "u", Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: "go"}}})
		id := func(i int) string { return fmt.Sprint("c", i/2) } // each twice
		for i := range n {
			d.Append(dialog.Section{Role: dialog.ToolRequest, ID: id(i), Meta: dialog.Fields{{Key: "Tool", Value: "x"}}, Payloads: []dialog.Payload{{Type: dialog.ToolInput, Text: "{}"}}})
		}
		for i := n - 1; i > 0; i-- { // all but the first request's second
			d.Append(dialog.Section{Role: dialog.ToolResult, ID: id(i), Meta: dialog.Fields{{Key: "Status", Value: dialog.CallApproved}}, Payloads: []dialog.Payload{{Type: dialog.ToolResultJSON, Text: fmt.Sprintf(`{"success":true,"of":%q}`, id(i))}}})
		}
		h := Build(d)
		if err := Validate(h); err != nil {
			t.Fatalf("%d calls: %v", n, err)
		}
		results := h.Items[1+n:]
		if len(results) != n {
			t.Fatalf("%d results of %d calls", len(results), n)
		}
		for i, r := range results {
			want := fmt.Sprintf(`{"success":true,"of":%q}`, id(i))
			if i == 1 {
				want = unansweredResult
			}
			if r.Text != want {
				t.Errorf("%d calls: result %d is %s", n, i, r.Text)
			}
		}
	}
}

// TestValidate: each way in which a history is refused.
func TestValidate(t *testing.T) {
	user, model := Item{Kind: UserText, Text: "a"}, Item{Kind: AssistantText, Text: "b"}
	call := func(id string) Item { return Item{Kind: CallItem, CallID: id, Tool: "x", Args: "{}"} }
	result := func(id string) Item { return Item{Kind: ResultItem, CallID: id, Tool: "x", Text: "{}"} }
	think := Item{Kind: ReasoningItem, Native: "{}", API: "messages"}
	good := [][]Item{
		{user}, {user, user}, {user, model, user}, {user, call("c"), result("c")}, {user, think, model, user},
		{user, think, call("c"), model, call("d"), result("c"), result("d"), user, model, call("e"), result("e")},
	}
	for i, items := range good {
		if err := Validate(History{Items: items}); err != nil {
			t.Errorf("good %d: %v", i, err)
		}
	}
	odd := func(it Item, change func(*Item)) Item { change(&it); return it }
	bad := map[string][]Item{
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
		"blank text":            {odd(user, func(i *Item) { i.Text = " \n" })},
		"blank answer":          {user, odd(model, func(i *Item) { i.Text = "\u00a0" }), user},
		"blank result":          {user, call("c"), odd(result("c"), func(i *Item) { i.Text = "" })},
		"no object":             {user, odd(call("c"), func(i *Item) { i.Args = "[]" }), result("c")},
		"no tool":               {user, odd(call("c"), func(i *Item) { i.Tool = "A b" }), result("c")},
		"result of other tool":  {user, call("c"), odd(result("c"), func(i *Item) { i.Tool = "y" })},
		"idle reasoning":        {user, think, user},
		"reasoning, result":     {user, call("c"), think, result("c")},
		"broken reasoning":      {user, odd(think, func(i *Item) { i.Native = "{" }), model, user},
		"no kind":               {user, {}},
	}
	for name, items := range bad {
		if Validate(History{Items: items}) == nil {
			t.Errorf("%s passes", name)
		}
	}
	for stable, want := range map[int]bool{-1: false, 0: true, 1: true, 2: false} {
		if err := Validate(History{Items: []Item{user}, Stable: stable}); (err == nil) != want {
			t.Errorf("%d of one item are stable: %v", stable, err)
		}
	}
}

// TestTornAfterExtend: a section that a Note behind it marks as torn is no part of
// the history any more, though it was folded as a whole one.
func TestTornAfterExtend(t *testing.T) {
	d := dialog.Parse(testHead)
	var b Builder
	for _, s := range []dialog.Section{
		{Role: dialog.User, ID: "u1", Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: "go"}}},
		{Role: dialog.Assistant, ID: "a1", Payloads: []dialog.Payload{{Type: dialog.OutputMarkdown, Text: "half"}}},
		{Role: dialog.Note, ID: "n1", Meta: dialog.Fields{{Key: "Kind", Value: "conflict"}, {Key: "Torn", Value: "yes"}}},
		{Role: dialog.Note, ID: "n2", Meta: dialog.Fields{{Key: "Kind", Value: "nudge"}, {Key: "To", Value: "model"}}, Payloads: []dialog.Payload{{Type: dialog.NoteMarkdown, Text: "And now?"}}},
	} {
		d.Append(s)
		b.Extend(d)
		if diff := cmp.Diff(Build(d), b.History()); diff != "" {
			t.Errorf("behind %s (-want +got):\n%s", s.ID, diff)
		}
	}
	if !d.Sections[1].Torn {
		t.Error("it is not torn")
	}
}
