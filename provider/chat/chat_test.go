package chat

import (
	"bytes"
	"flag"
	"strings"
	"testing"

	"vibey/dialog/history"
	"vibey/provider"
	"vibey/provider/providertest"
	"vibey/provider/wire/foldtest"
)

var update = flag.Bool("update", false, "rewrite testdata/request.json")

func TestFold(t *testing.T) {
	p := New(provider.Config{})
	foldtest.Run(t, foldtest.Adapter{
		Coder: p.coder, Writer: p, Tail: `"}]}`, Joins: true, Update: *update,
	})
}

func TestWhoWantsReasoning(t *testing.T) {
	for base, want := range map[string]bool{
		"https://api.deepseek.com": true, "https://api.deepseek.com/v1": true, "https://api.moonshot.ai/v1": true,
		"http://127.0.0.1:11434/v1": false, "https://notdeepseek.com": false, "": false, "::": false,
	} {
		if got := wantsReasoning(base); got != want {
			t.Errorf("%s: %v", base, got)
		}
	}
}

func TestReasoningTravels(t *testing.T) {
	r := foldtest.Sealed(coder{reasoning: true}, []string{`{"reasoning_content":"Let \"me\" see."}`, `{"extra_content":[{"google":{"s":"x"}},null]}`})
	p := &Provider{coder: coder{reasoning: true}}
	got := string(providertest.Request(p, r))
	want := `{"role":"assistant","content":"I look.","reasoning_content":"Let \"me\" see.","tool_calls":[` +
		`{"id":"call_1","type":"function","function":{"name":"run_command","arguments":"{}"},"extra_content":{"google":{"s":"x"}}},` +
		`{"id":"call_2","type":"function","function":{"name":"run_command","arguments":"{}"}}]}`
	if !strings.Contains(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
	r.Model = "another"
	if got := providertest.Request(p, r); !bytes.Contains(got, []byte(`"reasoning_content":"","tool_calls"`)) || bytes.Contains(got, []byte("extra_content")) {
		t.Errorf("to another model went %s", got)
	}
}

func TestEmptyBase(t *testing.T) {
	var last error
	for _, err := range New(provider.Config{Name: "x"}).Stream(t.Context(), &provider.Request{Model: "m"}) {
		last = err
	}
	if last == nil {
		t.Error("no error without an address")
	}
}

func TestRequest(t *testing.T) {
	p := New(provider.Config{})
	r := foldtest.Example(p.coder, `{"extra_content":[]}`)
	body := providertest.Request(p, r)
	foldtest.Golden(t, *update, "request.json", body)
	if err := providertest.Validate(api, body); err != nil {
		t.Error(err)
	}
}

// DeepSeek's reasoning comes as a block that can travel back, and a text that
// goes on behind more reasoning is another text.
func TestReasoningIsKept(t *testing.T) {
	stream := ""
	for _, delta := range []string{
		`{"reasoning_content":"Let me "}`, `{"reasoning_content":"see."}`, `{"content":"One"}`, `{"content":"."}`,
		`{"reasoning_content":"More."}`, `{"content":"Two."}`,
		`{"tool_calls":[{"index":0,"id":"a","function":{"name":"run_command","arguments":"{}"}}]}`,
	} {
		stream += `data: {"choices":[{"index":0,"delta":` + delta + "}]}\n\n"
	}
	c := &providertest.Canned{Answers: []providertest.Answer{{Body: stream + "data: [DONE]\n\n"}}}
	p := New(provider.Config{Name: "deepseek", BaseURL: "https://api.deepseek.com", Client: c.Client()})
	r := providertest.Question()
	items := append([]history.Item{}, r.History.Items...)
	for e, err := range p.Stream(t.Context(), r) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case provider.Text:
			if n := len(items) - 1; items[n].Kind == history.AssistantText && !e.New {
				items[n].Text += e.Piece
				continue
			}
			items = append(items, history.Item{Kind: history.AssistantText, Text: e.Piece})
		case provider.Reasoning:
			items = append(items, history.Item{Kind: history.ReasoningItem, Native: e.Native, Prefix: e.Prefix, API: api, Provider: r.Provider, Model: r.Model})
		case provider.Call:
			items = append(items, history.Item{Kind: history.CallItem, CallID: e.ID, Tool: e.Name, Args: e.Args})
		}
	}
	r.History.Items = append(items, history.Item{Kind: history.ResultItem, CallID: "a", Text: "{}"})
	want := `{"role":"assistant","content":"One.\n\nTwo.","reasoning_content":"Let me see.More.","tool_calls":[`
	if got := string(providertest.Request(p, r)); !strings.Contains(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
