package responses

import (
	"bytes"
	"strings"
	"testing"

	"vibey/provider/providertest"
	"vibey/provider/wire/foldtest"
)

func TestFold(t *testing.T) {
	foldtest.Run(t, foldtest.Adapter{
		API: api, Coder: coder{}, Body: Body, Tail: `]}`,
		Sent: func(body []byte, native string) bool { return bytes.Contains(body, []byte(native)) },
	})
}

const reasoningItem = `{"id":"rs_1","type":"reasoning","encrypted_content":"gAAA==","summary":[{"type":"summary_text","text":"Let \"me\" see."}]}`

func TestRequest(t *testing.T) {
	r := foldtest.Example(coder{}, reasoningItem, `{"id":"rs_2","type":"reasoning","encrypted_content":"gBBB==","summary":[]}`)
	body := Body(r)
	foldtest.Golden(t, "request.json", body)
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
