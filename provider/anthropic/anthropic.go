// Package anthropic speaks the Messages API: POST {base}/v1/messages, as
// Anthropic and servers compatible with it do. Its API name is "messages".
//
// Sources: platform.claude.com/docs/en/api/messages and .../build-with-claude/
// streaming, thinking, prompt-caching, handling-stop-reasons, read 2026-11-21.
package anthropic

import (
	"bytes"
	"context"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"vibey/dialog/jsontext"
	"vibey/provider"
	"vibey/provider/wire"
)

// Provider is one configured place that speaks the Messages API.
type Provider struct{ config provider.Config }

// New returns the provider. An empty BaseURL is Anthropic's own.
func New(c provider.Config) *Provider {
	c.BaseURL = strings.TrimSuffix(strings.TrimRight(c.BaseURL, "/"), "/v1")
	if c.BaseURL == "" {
		c.BaseURL = "https://api.anthropic.com"
	}
	return &Provider{c}
}

// API is "messages".
func (p *Provider) API() string { return api }

const api = "messages"

// Models lists what the place offers, its own order kept.
func (p *Provider) Models(ctx context.Context) ([]provider.Model, error) {
	c := wire.Call{Config: p.config, URL: p.config.BaseURL + "/v1/models?limit=1000", Header: p.header()}
	return c.Models(ctx)
}

// header carries the key as Anthropic wants it, and as the compatible servers
// of others do, that look for a bearer.
func (p *Provider) header() http.Header {
	h := http.Header{"Anthropic-Version": {"2023-06-01"}}
	if key := p.config.Secret(); key != "" {
		h["X-Api-Key"] = []string{key}
		if !strings.HasSuffix(p.config.BaseURL, ".anthropic.com") {
			h["Authorization"] = []string{"Bearer " + key}
		}
	}
	return h
}

// Stream asks the model; see provider.Provider.
func (p *Provider) Stream(ctx context.Context, r *provider.Request) iter.Seq2[provider.Event, error] {
	e := wire.Encode(coder{}, r)
	call := &wire.Call{
		Config: p.config, URL: p.config.BaseURL + "/v1/messages", Header: p.header(),
		Body: body(r, e), Prefix: e.Prefix(),
	}
	call.Parser = func() wire.Parser { return newParser(call, e.Answer()) }
	return call.Stream(ctx)
}

// Request implements provider.Writer.
func (p *Provider) Request(r *provider.Request) ([]byte, string) {
	e := wire.Encode(coder{}, r)
	return body(r, e).Bytes(), e.Prefix()
}

// hint is put inside a block up to which the request may be cached.
const hint = `,"cache_control":{"type":"ephemeral"}`

// body lays the request out. What changes least stands first. The limits
// depend on the model's name alone, so that a restart sends the same bytes.
func body(r *provider.Request, e *wire.Encoded) wire.Body {
	head := jsontext.AppendString([]byte(`{"model":`), r.Model)
	head = append(head, `,"max_tokens":`...)
	head = strconv.AppendInt(head, int64(maxTokens(r.Model)), 10)
	head = append(head, `,"stream":true`...)
	if adaptive(r.Model) {
		head = append(head, `,"thinking":{"type":"adaptive","display":"summarized"}`...)
	}
	b := wire.Body{head}
	if r.History.System != "" {
		b = append(b, []byte(`,"system":`), e.System[:len(e.System)-len(`}]`)], []byte(hint+`}]`))
	}
	b = append(e.Offer(b, r, `{"type":"none"}`), []byte(`,"messages":[`))
	return append(e.Messages(b, hint), []byte(`]}`))
}

// Which models think when asked to with {"type":"adaptive"}. Others answer 400
// to it, so it is sent to these alone, by the beginning of their name; the
// newest think without being asked, and their blocks travel back all the same.
// Source: platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting,
// "Thinking support, defaults, and rejected configurations by model", 2026-11-21.
// What a model's summary shows is up to display, which the newest omit by default.
var adaptiveModels = []string{
	"claude-fable-5", "claude-mythos-5",
	"claude-opus-5", "claude-opus-4-8", "claude-opus-4-7", "claude-opus-4-6",
	"claude-sonnet-5", "claude-sonnet-4-6",
	"claude-haiku-5",
}

func adaptive(model string) bool {
	for _, m := range adaptiveModels {
		if strings.HasPrefix(model, m) {
			return true
		}
	}
	return false
}

// maxTokens is how much a model may write in one response. The API demands a
// number, and refuses one above the model's own limit: 128K for those that
// think adaptively, 64K for the 4.5 family, 32K for Opus 4. 64,000 leaves room
// for a large file in one call; a model we don't know gets what any can do.
func maxTokens(model string) int {
	switch {
	case adaptive(model), strings.HasPrefix(model, "claude-opus-4-5"), strings.HasPrefix(model, "claude-sonnet-4"), strings.HasPrefix(model, "claude-haiku-4-5"):
		return 64_000
	case strings.HasPrefix(model, "claude-opus-4"):
		return 32_000
	}
	return 8_192
}

// What begins an event with a piece of text as the API writes it, on both sides of its index.
var (
	plainHead  = []byte(`{"type":"content_block_delta","index":`)
	plainDelta = []byte(`,"delta":{"type":"text_delta","text":"`)
)

// plainText reads the event that nearly all of a stream are: a piece of text without
// escapes, written as the API writes it. ok is false for every other one, which the decoder
// reads: it takes ten times as long, and what it reads here is the same.
func plainText(data []byte) (index int, text []byte, ok bool) {
	rest, ok := bytes.CutPrefix(data, plainHead)
	if !ok {
		return 0, nil, false
	}
	n := bytes.IndexByte(rest, ',')
	if n < 1 || n > 6 || rest[0] == '+' || rest[0] == '-' || rest[0] == '0' && n > 1 {
		return 0, nil, false
	}
	index, err := strconv.Atoi(string(rest[:n]))
	if err != nil {
		return 0, nil, false
	}
	if rest, ok = bytes.CutPrefix(rest[n:], plainDelta); !ok {
		return 0, nil, false
	}
	text, rest, _ = bytes.Cut(rest, []byte{'"'})
	for _, b := range text {
		if b < ' ' || b == '\\' {
			return 0, nil, false
		}
	}
	if rest, ok = bytes.CutPrefix(rest, []byte("}}")); !ok || len(bytes.Trim(rest, " \t\r\n")) > 0 || !utf8.Valid(text) {
		return 0, nil, false
	}
	return index, text, true
}
