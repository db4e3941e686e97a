package responses

import (
	"bytes"
	"flag"
	"net/http"
	"strings"
	"testing"

	"vibey/provider"
	"vibey/provider/providertest"
	"vibey/provider/wire/foldtest"
)

var update = flag.Bool("update", false, "rewrite testdata/request.json")

func TestFold(t *testing.T) {
	foldtest.Run(t, foldtest.Adapter{
		Coder: coder{}, Writer: New(provider.Config{}), Tail: `]}`, Update: *update,
		Sent: func(body []byte, native string) bool { return bytes.Contains(body, []byte(native)) },
	})
}

const reasoningItem = `{"id":"rs_1","type":"reasoning","encrypted_content":"gAAA==","summary":[{"type":"summary_text","text":"Let \"me\" see."}]}`

func TestRequest(t *testing.T) {
	r := foldtest.Example(coder{}, reasoningItem, `{"id":"rs_2","type":"reasoning","encrypted_content":"gBBB==","summary":[]}`)
	body := providertest.Request(New(provider.Config{}), r)
	foldtest.Golden(t, *update, "request.json", body)
	if err := providertest.Validate(api, body); err != nil {
		t.Error(err)
	}
}

func TestCacheKey(t *testing.T) {
	long := strings.Repeat("x", 100)
	if got := cacheKey(long); len(got) != 64 || got == cacheKey(long+"y") {
		t.Errorf("a long id becomes %q", got)
	}
	if got := cacheKey("20260216-201100-x"); got != "20260216-201100-x" {
		t.Errorf("a short id becomes %q", got)
	}
}

func TestReasons(t *testing.T) {
	for model, want := range map[string]bool{"gpt-6-sol": true, "gpt-5.1-codex": true, "o3-mini": true, "gpt-5-chat-latest": false, "gpt-4.1": false, "llama": false} {
		if got := reasons(model); got != want {
			t.Errorf("%s: %v", model, got)
		}
	}
}

// What an account or a model may not be asked for is left out, once it said so.
func TestAmend(t *testing.T) {
	refuse := func(words string) providertest.Answer {
		return providertest.Answer{Status: 400, Header: http.Header{"Content-Type": {"application/json"}}, Body: `{"error":{"message":"` + words + `","type":"invalid_request_error","param":"x","code":"unsupported_value"}}`}
	}
	c := &providertest.Canned{Answers: []providertest.Answer{
		refuse("Your organization must be verified to generate reasoning summaries."),
		refuse("Encrypted content is not supported with this model."),
		{Body: "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n"},
		refuse("Your organization must be verified to generate reasoning summaries."),
	}}
	p := New(provider.Config{Name: "openai", BaseURL: "http://test.example/v1", Client: c.Client()})
	r := providertest.Question()
	r.Model = "gpt-5"
	if got := providertest.Trace(p.Stream(t.Context(), r)); got != "begin\nfinish end \"completed\" in=0 out=0 total=0 tools=0 ms=0\n" {
		t.Error(got)
	}
	if got := providertest.Trace(p.Stream(t.Context(), r)); got != "begin\nerror bad_request\n" {
		t.Errorf("a refusal of what was not asked for: %s", got)
	}
	for i, want := range []string{"SE", "E", "", ""} {
		got := ""
		if strings.Contains(c.Got[i], `"summary"`) {
			got += "S"
		}
		if strings.Contains(c.Got[i], `"include"`) {
			got += "E"
		}
		if got != want {
			t.Errorf("request %d asks for %q, want %q", i, got, want)
		}
	}
}

func TestSift(t *testing.T) {
	var in []provider.Model
	for _, id := range []string{"text-embedding-3-small", "gpt-4-0613", "dall-e-3", "gpt-5", "gpt-4o-audio-preview", "gpt-6-sol-2026-09-22", "o3"} {
		in = append(in, provider.Model{ID: id})
	}
	var got []string
	for _, m := range sift(in) {
		got = append(got, m.ID)
	}
	if want := "gpt-6-sol-2026-09-22 gpt-5 gpt-4-0613 o3"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}
