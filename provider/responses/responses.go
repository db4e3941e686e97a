// Package responses speaks OpenAI's Responses API: POST {base}/responses, with
// nothing stored at the provider: the whole history goes out each time, and
// reasoning travels encrypted in it.
//
// Sources: developers.openai.com/api/reference (responses, streaming events),
// .../guides/reasoning, .../guides/migrate-to-responses, read 2026-11-21.
package responses

import (
	"context"
	"iter"
	"strings"
	"sync"

	"vibey/dialog"
	"vibey/dialog/jsontext"
	"vibey/provider"
	"vibey/provider/wire"
)

// Provider is one configured place that speaks the Responses API.
type Provider struct {
	config  provider.Config
	refused sync.Map // model -> extras that it was refused
	sight   wire.Sight
}

// New returns the provider. BaseURL ends in "/v1" or what stands for it; an
// empty one is OpenAI's own.
func New(c provider.Config) *Provider {
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	if c.BaseURL == "" {
		c.BaseURL = "https://api.openai.com/v1"
	}
	return &Provider{config: c}
}

// API is "responses".
func (p *Provider) API() string { return api }

const api = "responses"

// Stream asks the model; see provider.Provider.
func (p *Provider) Stream(ctx context.Context, r *provider.Request) iter.Seq2[provider.Event, error] {
	e := wire.Encode(coder{}, r)
	x := p.extras(r.Model)
	call := &wire.Call{
		Config: p.config, URL: p.config.BaseURL + "/responses", Header: wire.Bearer(p.config),
		Body: body(r, e, x), Prefix: e.Prefix(),
	}
	call.Parser = func() wire.Parser { return newParser(call, e.Answer()) }
	call.Amend = func(err *provider.Error) bool {
		less := x.without(err)
		if less == x {
			return false
		}
		x = less
		p.refused.Store(r.Model, x)
		call.Body = body(r, e, x)
		return true
	}
	return call.Stream(ctx)
}

// Request implements provider.Writer.
func (p *Provider) Request(r *provider.Request) ([]byte, string) {
	e := wire.Encode(coder{}, r)
	return body(r, e, p.extras(r.Model)).Bytes(), e.Prefix()
}

func body(r *provider.Request, e *wire.Encoded, x extras) wire.Body {
	head := jsontext.AppendString([]byte(`{"model":`), r.Model)
	head = append(head, `,"stream":true,"store":false`...)
	if x.encrypted {
		head = append(head, `,"include":["reasoning.encrypted_content"]`...)
	}
	if x.summary {
		head = append(head, `,"reasoning":{"summary":"auto"}`...)
	}
	if r.CacheKey != "" {
		head = jsontext.AppendString(append(head, `,"prompt_cache_key":`...), cacheKey(r.CacheKey))
	}
	if r.Schema != "" {
		head = append(append(append(head, `,"text":{"format":{"type":"json_schema","name":"answer","strict":true,"schema":`...), r.Schema...), `}}`...)
	}
	b := wire.Body{head}
	if r.History.System != "" {
		b = append(b, []byte(`,"instructions":`), e.System)
	}
	b = append(e.Offer(b, r, `"none"`), []byte(`,"input":[`))
	return append(e.Messages(b, ""), []byte(`]}`))
}

// cacheKey is at most 64 bytes, as the API wants it.
func cacheKey(id string) string {
	if len(id) <= 64 {
		return id
	}
	return dialog.SHA256(id)
}
