package chat

import (
	"bytes"
	"strings"
	"testing"

	"vibey/provider"
	"vibey/provider/providertest"
	"vibey/provider/wire/foldtest"
)

func TestFold(t *testing.T) {
	p := New(Config{})
	foldtest.Run(t, foldtest.Adapter{
		API: api, Coder: p.coder, Body: p.Body, Tail: `"}]}`,
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
	got := string(p.Body(r))
	want := `{"role":"assistant","content":"I look.","reasoning_content":"Let \"me\" see.","tool_calls":[` +
		`{"id":"call_1","type":"function","function":{"name":"run_command","arguments":"{}"},"extra_content":{"google":{"s":"x"}}},` +
		`{"id":"call_2","type":"function","function":{"name":"run_command","arguments":"{}"}}]}`
	if !strings.Contains(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
	r.Model = "another"
	if got := p.Body(r); !bytes.Contains(got, []byte(`"reasoning_content":"","tool_calls"`)) || bytes.Contains(got, []byte("extra_content")) {
		t.Errorf("to another model went %s", got)
	}
}

func TestEmptyBase(t *testing.T) {
	var last error
	for _, err := range New(Config{Name: "x"}).Stream(t.Context(), &provider.Request{Model: "m"}) {
		last = err
	}
	if last == nil {
		t.Error("no error without an address")
	}
}

func TestRequest(t *testing.T) {
	p := New(Config{})
	r := foldtest.Example(p.coder, `{"extra_content":[]}`)
	body := p.Body(r)
	foldtest.Golden(t, "request.json", body)
	if err := providertest.Validate(api, body); err != nil {
		t.Error(err)
	}
}
