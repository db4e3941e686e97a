package anthropic

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"vibey/dialog/history"
	"vibey/provider"
	"vibey/provider/providertest"
	"vibey/provider/wire/foldtest"
)

var update = flag.Bool("update", false, "rewrite testdata/request.json")

func TestFold(t *testing.T) {
	foldtest.Run(t, foldtest.Adapter{
		Coder: coder{}, Writer: New(provider.Config{}), Hint: hint, Tail: `]}]}`, Update: *update,
		Sent: func(body []byte, native string) bool { return bytes.Contains(body, []byte(native)) },
	})
}

const thinkingBlock = `{"type":"thinking","thinking":"Let \"me\" see.","signature":"EqQB=="}`

func TestRequest(t *testing.T) {
	r := foldtest.Example(coder{}, thinkingBlock, `{"type":"redacted_thinking","data":"Emw="}`)
	body := providertest.Request(New(provider.Config{}), r)
	foldtest.Golden(t, *update, "request.json", body)
	if err := providertest.Validate(api, body); err != nil {
		t.Error(err)
	}
}

// The prefix is what the documentation of the file format says, computed here
// without any of our own code.
func TestPrefix(t *testing.T) {
	r := foldtest.Sealed(coder{}, []string{thinkingBlock})
	h := sha256.New()
	add := func(part string) {
		binary.Write(h, binary.BigEndian, uint64(len(part)))
		h.Write([]byte(part))
	}
	add(`[{"type":"text","text":""}]`)
	schema := `{"type":"object","properties":{"command":{"type":"string"}}}`
	add(`[{"name":"run_command","description":"Runs a command.","input_schema":` + schema + `},{"name":"write_file","description":"Writes a file.","input_schema":` + schema + `}]`)
	add(`{"type":"text","text":"Go."}`)
	add(thinkingBlock)
	if got, want := r.History.Items[1].Prefix, fmt.Sprintf("%x", h.Sum(nil)); got != want {
		t.Errorf("of the block: %s, want %s", got, want)
	}
	add(`{"type":"tool_use","id":"call_1","name":"run_command","input":{}}`)
	add(`{"type":"tool_use","id":"call_2","name":"run_command","input":{}}`)
	add(`{"type":"tool_result","tool_use_id":"call_1","content":"{}"}`)
	add(`{"type":"tool_result","tool_use_id":"call_2","content":"{}"}`)
	c := &providertest.Canned{Answers: []providertest.Answer{{Body: "data: {\"type\":\"message_stop\"}\n\n"}}}
	for e := range New(provider.Config{BaseURL: "http://x.example", Client: c.Client()}).Stream(t.Context(), r) {
		if b, ok := e.(provider.Begin); ok && b.Prefix != fmt.Sprintf("%x", h.Sum(nil)) {
			t.Errorf("of the request: %s, want %x", b.Prefix, h.Sum(nil))
		}
	}
}

// What is streamed says of itself what a later history will hold.
func TestStreamedPrefix(t *testing.T) {
	a, err := txtar.ParseFile("testdata/thinking.txtar")
	if err != nil {
		t.Fatal(err)
	}
	c := &providertest.Canned{Answers: []providertest.Answer{{Body: providertest.Part(a, "stream")}}}
	r := providertest.Question()
	items := r.History.Items
	for e, err := range New(provider.Config{BaseURL: "http://x.example", Client: c.Client()}).Stream(t.Context(), r) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case provider.Text:
			items = append(items, history.Item{Kind: history.AssistantText, Text: e.Piece})
		case provider.Reasoning:
			items = append(items, history.Item{Kind: history.ReasoningItem, Native: e.Native, Prefix: e.Prefix, API: api, Provider: r.Provider, Model: r.Model})
		}
	}
	r.History.Items = append(items, history.Item{Kind: history.UserText, Text: "Go on."})
	if got := strings.Count(string(providertest.Request(New(provider.Config{}), r)), `thinking","`); got != 3 {
		t.Errorf("%d of 3 blocks travel:\n%s", got, providertest.Request(New(provider.Config{}), r))
	}
}

func TestBase(t *testing.T) {
	for in, want := range map[string]string{
		"": "https://api.anthropic.com/v1/messages", "http://h:1": "http://h:1/v1/messages", "http://h:1/": "http://h:1/v1/messages",
		"http://h:1/v1": "http://h:1/v1/messages", "http://h:1/v1/": "http://h:1/v1/messages", "https://x.example/anthropic": "https://x.example/anthropic/v1/messages",
	} {
		if got := New(provider.Config{BaseURL: in}).config.BaseURL + "/v1/messages"; got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestLimits(t *testing.T) {
	for model, want := range map[string]int{"claude-opus-5-5": 64_000, "claude-opus-4-6": 64_000, "claude-haiku-4-5-20251001": 64_000, "claude-opus-4-1": 32_000, "claude-sonnet-4-20250514": 64_000, "qwen": 8_192} {
		if got := maxTokens(model); got != want {
			t.Errorf("%s: %d, want %d", model, got, want)
		}
	}
	if adaptive("claude-opus-4-5") || adaptive("claude-haiku-4-5") || !adaptive("claude-fable-5-1") {
		t.Error("thinking is asked of the wrong models")
	}
}
