package texttag

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/provider"
	"vibey/provider/providertest"
	"vibey/provider/wire/foldtest"
)

var update = flag.Bool("update", false, "rewrite testdata/request.json")

func TestFold(t *testing.T) {
	foldtest.Run(t, foldtest.Adapter{Coder: coder{}, Writer: New(provider.Config{}), Tail: `"}]}`, Joins: true, Update: *update})
}

func TestRequest(t *testing.T) {
	body := providertest.Request(New(provider.Config{}), foldtest.Example(coder{}, `{"reasoning_content":"x"}`))
	foldtest.Golden(t, *update, "request.json", body)
	if err := providertest.Validate(api, body); err != nil {
		t.Error(err)
	}
	if strings.Contains(string(body), "reasoning_content") {
		t.Error("reasoning travels")
	}
}

// A call stands in the history as the model wrote it, right behind its words; the
// results of several calls are one message.
func TestCallsAreText(t *testing.T) {
	call := func(id, tool, args string) history.Item {
		return history.Item{Kind: history.CallItem, CallID: id, Tool: tool, Args: args}
	}
	result := func(id, tool, text string) history.Item {
		return history.Item{Kind: history.ResultItem, CallID: id, Tool: tool, Text: text}
	}
	said := func(text string) history.Item { return history.Item{Kind: history.AssistantText, Text: text} }
	r := &provider.Request{Model: "m", History: history.History{Items: []history.Item{
		{Kind: history.UserText, Text: "Go."},
		said("I look.\n"), call("a", "run_command", `{"command":"ls \"a\"\ncd"}`), result("a", "run_command", `{"success":true}`),
		call("b", "run_command", `{"command": "ls"}`), call("c", "invalid", "{}"), said("And?"),
		result("b", "run_command", "{}"), result("c", "invalid", "{}"), {Kind: history.UserText, Text: "[note]"},
		call("d", "run_command", `{"command":"echo </mcp:terminal>"}`), result("d", "run_command", "{}"),
	}}}
	want := `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[` +
		`{"role":"user","content":"Go."},` +
		`{"role":"assistant","content":"I look.\n<mcp:terminal>ls \"a\"\ncd</mcp:terminal>"},` +
		`{"role":"user","content":"[run_command returned]\n{\"success\":true}"},` +
		`{"role":"assistant","content":"<mcp:run_command>{\"command\": \"ls\"}</mcp:run_command>\n\n<mcp:invalid>{}</mcp:invalid>\n\nAnd?"},` +
		`{"role":"user","content":"[run_command returned]\n{}\n\n[invalid returned]\n{}\n\n[note]"},` +
		`{"role":"assistant","content":"<mcp:run_command>{\"command\":\"echo </mcp:terminal>\"}</mcp:run_command>"},` +
		`{"role":"user","content":"[run_command returned]\n{}"}]}`
	if got := string(providertest.Request(New(provider.Config{}), r)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// What a tag asked for is what its call is written as, but for the blanks around it.
func TestCallReturns(t *testing.T) {
	for _, tt := range found {
		_, call := find(tt.whole)
		if call == nil {
			continue
		}
		tag := render(call.Name, call.Args)
		if _, again := find(tag); again == nil || *again != *call {
			t.Errorf("%s: %q came back as %s", tt.name, call, tag)
		}
	}
}

// No text of ours shows a model what a tool might return.
func TestInstructionsInventNothing(t *testing.T) {
	text := Instructions(providertest.Question().History.Tools)
	for _, part := range []string{"<mcp:terminal>COMMAND</mcp:terminal>", "<mcp:NAME>ARGUMENTS</mcp:NAME>", "`write_file`: Writes a file.", `{"type":"object","properties":{"command":{"type":"string"}}}`} {
		if !strings.Contains(text, part) {
			t.Errorf("no %s in\n%s", part, text)
		}
	}
	for _, part := range []string{"Result:", "Output:", "returned]", "exitCode", "```"} {
		if strings.Contains(text, part) {
			t.Errorf("%q in\n%s", part, text)
		}
	}
	if Instructions(nil) != "" {
		t.Error("instructions without tools")
	}
	if text := Instructions(providertest.Question().History.Tools[1:]); strings.Contains(text, "terminal") {
		t.Errorf("a terminal without run_command:\n%s", text)
	}
}

// A system text that is known to tell of tags, in whatever words, is sent as it is, and
// what the tools are then changes nothing. Whether it does is not guessed from its words.
func TestInstructionsInSystem(t *testing.T) {
	p, r := New(provider.Config{}), providertest.Question()
	system := r.History.System + "\n\n" + Instructions(r.History.Tools)
	r.History.System, r.History.ByTags = system, true
	if text, ok := provider.CutInstructions(r.History.System); !ok || text != providertest.Question().History.System {
		t.Errorf("without the instructions it is %v %q", ok, text)
	}
	told, prefix := p.Request(r)
	var sent struct{ Messages []struct{ Content string } }
	if err := json.Unmarshal(told, &sent); err != nil || sent.Messages[0].Content != system {
		t.Errorf("%v, sent was\n%s", err, told)
	}
	r.History.Tools = r.History.Tools[:1]
	if body, again := p.Request(r); string(body) != string(told) || again != prefix {
		t.Errorf("with other tools\n%s", body)
	}
	old := strings.Replace(r.History.System, "Say in a sentence", "Tell", 1)
	r.History.System = old
	if body := string(providertest.Request(p, r)); strings.Contains(body, "Say in a sentence") || !strings.Contains(body, "Tell what you") {
		t.Errorf("in other words\n%s", body)
	}
	r.History.ByTags = false
	if body := string(providertest.Request(p, r)); strings.Count(body, provider.ToolsHeading) != 2 {
		t.Errorf("in a doc's words\n%s", body)
	}
	for _, system := range []string{"", "# Doc\n" + provider.TagsHeading + ".\n" + provider.ToolsHeading + "\n"} {
		if text, ok := provider.CutInstructions(system); ok || text != system {
			t.Errorf("%q has instructions: %q", system, text)
		}
	}
}

// The requests of a dialog from before its System section told of tags keep their bytes:
// these hashes are those of the version of then. They never change.
func TestRequestFromBefore(t *testing.T) {
	body, prefix := New(provider.Config{}).Request(foldtest.Example(coder{}, `{"reasoning_content":"x"}`))
	if sum := fmt.Sprintf("%x", sha256.Sum256(body)); sum != "68a064ba506cd3e96db33ca036a18572f2d85fcfe6b43322b9299451e89d50ab" || prefix != "4a07e0dfc9e1ab77e11845aab46682799811b89e21a44cb8531de3ddad0ad8cd" {
		t.Errorf("the body's hash is %s, the prefix %s:\n%s", sum, prefix, body)
	}
}

// Where no tool may be called, a tag is text, and the request is the same.
func TestNoTools(t *testing.T) {
	c := &providertest.Canned{Answers: []providertest.Answer{{Body: `data: {"choices":[{"index":0,"delta":{"content":"` + ls + ` and on"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"}}}
	p := New(provider.Config{Name: "x", BaseURL: "http://x.example/v1", Client: c.Client()})
	r := providertest.Question()
	r.NoTools = true
	want := "begin\ntext \"" + ls + " and on\"\nfinish end \"stop\" in=0 out=0 total=0 tools=0 ms=0\n"
	if got := providertest.Trace(p.Stream(t.Context(), r)); got != want {
		t.Errorf("got %s", got)
	}
	if c.Got[0] != string(providertest.Request(p, providertest.Question())) {
		t.Error("the request is another one")
	}
}

// The request is over before its caller gets the call; and a caller who breaks off
// anywhere gets nothing more.
func TestCutCancels(t *testing.T) {
	events := []provider.Event{
		provider.Begin{}, provider.Thinking{Piece: "hm"}, provider.Reasoning{Text: "hm", Native: "{}", Prefix: "p"},
		provider.Text{Piece: "I look. ", New: true}, provider.Text{Piece: "Now " + ls + "\nResult: fake"}, provider.Text{Piece: "more"}, provider.Finish{Stop: provider.StopEnd},
	}
	for most := range 8 {
		over, got := false, 0
		stream := func(yield func(provider.Event, error) bool) {
			defer func() { over = true }()
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
			}
		}
		for e := range cut(stream) {
			if _, ok := e.(provider.Call); ok && !over {
				t.Error("the call comes while the request still runs")
			}
			if got++; got > most {
				break
			}
		}
		if want := min(most+1, 7); got != want || !over {
			t.Errorf("%d events, want %d; over: %v", got, want, over)
		}
	}
}

// A tag does not go over from one block of text into the next.
func TestBlocks(t *testing.T) {
	trace := func(events ...provider.Event) string {
		return providertest.Trace(cut(func(yield func(provider.Event, error) bool) {
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
			}
		}))
	}
	end := provider.Finish{Stop: provider.StopEnd, Detail: "stop", Resources: dialog.Resources{In: 3, Out: 2, Total: 5}}
	for _, tt := range []struct {
		events []provider.Event
		want   string
	}{
		{[]provider.Event{provider.Text{Piece: "a <mcp:"}, provider.Text{Piece: "terminal>ls</mcp:terminal>", New: true}, end},
			"text \"a <mcp:\"\ntext+ \"terminal>ls</mcp:terminal>\"\nfinish end \"stop\" in=3 out=2 total=5 tools=0 ms=0\n"},
		{[]provider.Event{provider.Text{Piece: "a <mcp:"}, provider.Thinking{Piece: "hm"}, provider.Reasoning{Text: "hm", Native: "{}"}, provider.Text{Piece: ls, New: true}, end},
			"text \"a <mcp:\"\nthinking \"hm\"\nreasoning \"hm\" native=\ncall  run_command \"{\\\"command\\\":\\\"ls\\\"}\"\nfinish calls \"\" in=0 out=0 total=0 tools=1 ms=0\n"},
		{[]provider.Event{provider.Text{Piece: "a `" + ls}, end}, // the end decides, and tells what it cost
			"text \"a `\"\ncall  run_command \"{\\\"command\\\":\\\"ls\\\"}\"\nfinish calls \"stop\" in=3 out=2 total=5 tools=1 ms=0\n"},
	} {
		if got := trace(tt.events...); got != tt.want {
			t.Errorf("got  %q\nwant %q", got, tt.want)
		}
	}
}
