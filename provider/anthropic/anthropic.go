// Package anthropic speaks the Messages API: POST {base}/v1/messages, as
// Anthropic and servers compatible with it do. Its API name is "messages".
//
// Sources: platform.claude.com/docs/en/api/messages and .../build-with-claude/
// streaming, thinking, prompt-caching, handling-stop-reasons, read 2026-11-21.
package anthropic

import (
	"context"
	"iter"
	"net/http"
	"strconv"
	"strings"

	"vibey/dialog/jsontext"
	"vibey/provider"
	"vibey/provider/wire"
)

// Provider is one configured place that speaks the Messages API.
type Provider struct {
	config provider.Config
	sight  wire.Sight
}

// New returns the provider. An empty BaseURL is Anthropic's own.
func New(c provider.Config) *Provider {
	c.BaseURL = strings.TrimSuffix(strings.TrimRight(c.BaseURL, "/"), "/v1")
	if c.BaseURL == "" {
		c.BaseURL = "https://api.anthropic.com"
	}
	return &Provider{config: c}
}

// API is "messages".
func (p *Provider) API() string { return api }

const api = "messages"

// Models lists what the place offers, its own order kept.
func (p *Provider) Models(ctx context.Context) ([]provider.Model, error) {
	return p.list().Models(ctx)
}

func (p *Provider) list() *wire.Call {
	return &wire.Call{Config: p.config, URL: p.config.BaseURL + "/v1/models?limit=1000", Header: p.header()}
}

// Sees implements provider.Seer.
func (p *Provider) Sees(ctx context.Context, model string) bool {
	return p.sight.Sees(ctx, model, p.list(), "")
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
