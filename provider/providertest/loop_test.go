package providertest_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/provider"
	"vibey/provider/anthropic"
	"vibey/provider/chat"
	"vibey/provider/providertest"
	"vibey/provider/responses"
)

// script has every kind of block, arguments in single bytes, and replies that
// only reason.
var script = providertest.Script{
	Models: []string{"claude-opus-5", "b"},
	Key:    "k",
	Replies: []providertest.Reply{
		{Reasoning: "I plan.", Text: "First ə, 😀 then.", Calls: []providertest.Call{
			{ID: "toolu_1", Name: "run_command", Args: `{"command": "ls"}`},
			{Name: "write_file", Args: `{ "command" : "a\nb" }`},
		}, ArgChunk: 1, Chunk: 3, Usage: &providertest.Usage{In: 100, Out: 10, Cached: 60, Reasoning: 4}},
		{Reasoning: "I look again.", Calls: []providertest.Call{{Name: "run_command", Args: ``}}},
		{Text: "Tried once more.", Fault: &providertest.Fault{Kind: "status", Status: 429, Times: 1, RetryAfter: "0.05"}},
		{Reasoning: "I only think.", Text: ""},
		{Reasoning: "Now I say it.", Text: "Done."},
	},
}

// grow is what a turn does: it appends what a response brought to the dialog.
func grow(t *testing.T, d *dialog.Dialog, p provider.Provider, model string) provider.Finish {
	t.Helper()
	b := history.Builder{}
	b.Extend(d)
	h := b.History()
	h.System, h.Tools = "Be brief.", providertest.Question().History.Tools
	n := len(d.Sections)
	section := func(role dialog.Role, id string, meta dialog.Fields, payloads ...dialog.Payload) {
		n++
		if id == "" {
			id = fmt.Sprint("s", n)
		}
		d.Append(dialog.Section{Role: role, ID: id, Time: "2026-02-16T20:11:00Z - 2026-02-16T20:11:00Z", Meta: meta, Payloads: payloads})
	}
	var text strings.Builder
	var calls []provider.Call
	var finish provider.Finish
	for e, err := range p.Stream(t.Context(), &provider.Request{Provider: "here", Model: model, History: h, CacheKey: d.Header.DialogID}) {
		if err != nil {
			t.Fatalf("%d sections: %v", len(d.Sections), err)
		}
		switch e := e.(type) {
		case provider.Text:
			text.WriteString(e.Piece)
		case provider.Reasoning:
			payloads := []dialog.Payload{{Type: dialog.ReasoningMarkdown, Text: e.Text}}
			if e.Native != "" {
				payloads = append(payloads, dialog.Payload{Type: "native/" + p.API() + "+json", Text: e.Native})
			}
			section(dialog.Reasoning, "", dialog.Fields{{Key: "Prefix", Value: e.Prefix}}, payloads...)
		case provider.Call:
			calls = append(calls, e)
		case provider.Finish:
			finish = e
		}
	}
	section(dialog.Assistant, "", nil, dialog.Payload{Type: dialog.OutputMarkdown, Text: text.String()})
	for _, c := range calls {
		section(dialog.ToolRequest, c.ID, dialog.Fields{{Key: "Tool", Value: c.Name}}, dialog.Payload{Type: dialog.ToolInput, Text: c.Args})
	}
	for _, c := range calls {
		section(dialog.ToolResult, c.ID, dialog.Fields{{Key: "Status", Value: "approved"}}, dialog.Payload{Type: dialog.ToolResultJSON, Text: `{"success":true}`})
	}
	if len(calls) == 0 {
		section(dialog.User, "", nil, dialog.Payload{Type: dialog.InputMarkdown, Text: "Go on."})
	}
	return finish
}

// The adapters and the mock understand each other, over a real connection, for
// a whole dialog that is built from its text: the mock's signatures hold each
// reasoning block to its place.
func TestDialog(t *testing.T) {
	var texts []string
	for _, api := range []string{"messages", "responses", "chat"} {
		t.Run(api, func(t *testing.T) {
			m := providertest.New(script)
			server := httptest.NewServer(m)
			defer server.Close()
			c := provider.Config{Name: api, BaseURL: server.URL + "/v1", Key: func() string { return "k" }}
			p := map[string]provider.Provider{"messages": anthropic.New(c), "responses": responses.New(c), "chat": chat.New(c)}[api]
			if p.API() != api {
				t.Errorf("API() is %q", p.API())
			}
			models, err := p.Models(t.Context())
			if err != nil || len(models) != 2 || models[0] != provider.Known("claude-opus-5") || models[1].ID != "b" {
				t.Fatalf("models: %v, %v", models, err)
			}
			d := &dialog.Dialog{Header: dialog.Header{DialogID: "20260216-201100-x", Provider: "here", Model: models[0].ID}}
			d.Append(dialog.Section{Role: dialog.User, ID: "u", Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: "Go."}}})
			var stops []string
			for i := range script.Replies {
				f := grow(t, d, p, models[0].ID)
				stops = append(stops, f.Stop)
				if i == 0 && (f.Resources.In != 100 || f.Resources.Out != 10 || f.Resources.Cached != 60 || f.Resources.Tools != 2) {
					t.Errorf("resources: %+v", f.Resources)
				}
				if i == 3 {
					break // a reply that only reasons leaves nothing in a history, so it would come for ever
				}
			}
			if diff := cmp.Diff([]string{"calls", "calls", "end", "end"}, stops); diff != "" {
				t.Error(diff)
			}
			bodies := m.Bodies()
			for i, b := range bodies {
				if b.Fault != "" {
					t.Errorf("request %d: %s\n%s", i, b.Fault, b.Text)
				}
			}
			last := bodies[len(bodies)-1].Text
			if api != "chat" && strings.Count(last, "sig_") != 2 {
				t.Errorf("the reasoning of two responses must travel:\n%s", last)
			}
			var said strings.Builder
			for _, s := range d.Sections {
				fmt.Fprintf(&said, "%s: %s\n", s.Role, s.Text())
			}
			texts = append(texts, said.String())
		})
	}
	for _, other := range texts[1:] {
		if diff := cmp.Diff(texts[0], other); diff != "" {
			t.Errorf("another API, another dialog:\n%s", diff)
		}
	}
}

func TestWrongKey(t *testing.T) {
	m := providertest.New(script)
	server := httptest.NewServer(m)
	defer server.Close()
	p := anthropic.New(provider.Config{Name: "claude", BaseURL: server.URL, Key: func() string { return "other" }})
	if got := providertest.Trace(p.Stream(t.Context(), providertest.Question())); got != "begin\nerror auth\n" {
		t.Error(got)
	}
	if _, err := p.Models(t.Context()); err == nil || !strings.Contains(err.Error(), "refused the key") {
		t.Errorf("models: %v", err)
	}
}

// The mock must be as strict as it says.
func TestValidate(t *testing.T) {
	const (
		messages  = `{"model":"m","max_tokens":1,"stream":true,"tools":[{"name":"t","description":"","input_schema":{"type":"object","properties":{}}}],"messages":[`
		responses = `{"model":"m","stream":true,"store":false,"tools":[{"type":"function","name":"t","parameters":{"type":"object","properties":{}}}],"input":[`
		chat      = `{"model":"m","stream":true,"stream_options":{"include_usage":true},"tools":[{"type":"function","function":{"name":"t","parameters":{"type":"object","properties":{}}}}],"messages":[`
		plain     = `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[`
		mu        = `{"role":"user","content":[{"type":"text","text":"go"}]}`
		mcall     = `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"t","input":{}},{"type":"tool_use","id":"b","name":"t","input":{}}]}`
		ru        = `{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}`
		rcall     = `{"type":"function_call","call_id":"a","name":"t","arguments":"{}"}`
		rres      = `{"type":"function_call_output","call_id":"a","output":"x"}`
		cu        = `{"role":"user","content":"go"}`
		ccall     = `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"t","arguments":"{}"}}]}`
		cres      = `{"role":"tool","tool_call_id":"a","content":"x"}`
	)
	result := func(ids ...string) string {
		var b []string
		for _, id := range ids {
			b = append(b, `{"type":"tool_result","tool_use_id":"`+id+`","content":"x"}`)
		}
		return `{"role":"user","content":[` + strings.Join(b, ",") + `]}`
	}
	for _, tt := range []struct{ api, body, want string }{
		{"messages", messages + mu + `]}`, ""},
		{"messages", messages + mu + "," + mcall + "," + result("a", "b") + `]}`, ""},
		{"messages", messages + mu + "," + mcall + "," + result("b", "a") + `]}`, "not the next one due"},
		{"messages", messages + mu + "," + mcall + "," + result("a") + `]}`, "have no result"},
		{"messages", messages + mu + "," + mcall + "," + mu + `]}`, "before the results"},
		{"messages", messages + mu + "," + mcall + `]}`, "own words"},
		{"messages", messages + mcall + "," + result("a", "b") + `]}`, "does not begin with a user"},
		{"messages", messages + mu + "," + mu + `]}`, "in a row"},
		{"messages", messages + `{"role":"user","content":[{"type":"text","text":" \n"}]}]}`, "blank"},
		{"messages", messages + `{"role":"user","content":[]}]}`, "no content"},
		{"messages", messages + mu + `],"temperature":1}`, "unknown field"},
		{"messages", messages + mu + `]} x`, "follows"},
		{"messages", messages + mu + `,{"role":"assistant","content":[{"type":"tool_use","id":"a b","name":"t","input":{}}]},` + result("a b") + `]}`, "not well-formed"},
		{"messages", messages + mu + `,{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"u","input":{}}]},` + result("a") + `]}`, "no tool"},
		{"messages", messages + mu + `,{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"invalid","input":{}}]},` + result("a") + `]}`, ""},
		{"messages", messages + mu + `,{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"t","input":[]}]},` + result("a") + `]}`, "not one JSON object"},
		{"messages", messages + mu + `,{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"s"}]},` + mu + `]}`, "without what follows"},
		{"messages", messages + mu + `,{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":""}]},` + mu + `]}`, "can't have sent"},
		{"messages", messages + mu + `,{"role":"assistant","content":[{"type":"text","text":"x"}]},{"role":"user","content":[{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"a","content":"x"}]}]}`, "before the text"},
		{"responses", responses + ru + `]}`, ""},
		{"responses", responses + ru + "," + rcall + "," + rres + `]}`, ""},
		{"responses", responses + ru + "," + rcall + "," + rcall + "," + rres + "," + rres + `]}`, "twice"},
		{"responses", responses + ru + "," + rres + `]}`, "not the next one due"},
		{"responses", strings.Replace(responses, "false", "true", 1) + ru + `]}`, "store false"},
		{"responses", responses + ru + `,{"type":"reasoning","id":"rs","summary":[]},` + rcall + "," + rres + `]}`, "can't be found again"},
		{"responses", responses + ru + `,{"type":"message","role":"assistant","content":[{"type":"input_text","text":"x"}]}]}`, "content"},
		{"chat", chat + cu + `]}`, ""},
		{"chat", chat + cu + "," + ccall + "," + cres + "," + cu + `]}`, ""},
		{"chat", chat + cu + "," + ccall + "," + cu + "," + cres + `]}`, "before the results"},
		{"chat", chat + cu + "," + cu + `]}`, "in a row"},
		{"chat", chat + cu + `,{"role":"assistant"},` + cu + `]}`, "nothing in it"},
		{"chat", chat + cu + `],"tool_choice":"any"}`, "tool_choice"},
		{"tags", plain + cu + `,{"role":"assistant","content":"x"},` + cu + `]}`, ""},
		{"tags", chat + cu + `]}`, "tools are offered"},
		{"tags", plain + cu + `,{"role":"tool","tool_call_id":"a","content":"x"}]}`, "a result for a server without tools"},
		{"tags", plain + cu + `,{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"t","arguments":"{}"}}]},` + cres + `]}`, "a call for a server without tools"},
		{"other", `{}`, "no such api"},
	} {
		err := providertest.Validate(tt.api, []byte(tt.body))
		if got := fmt.Sprint(err); tt.want == "" && err != nil || !strings.Contains(got, tt.want) && tt.want != "" {
			t.Errorf("%s %s:\ngot %v, want %q", tt.api, tt.body, err, tt.want)
		}
	}
}
