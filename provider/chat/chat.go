// Package chat speaks Chat Completions: POST {base}/chat/completions, as
// OpenAI first did, and after it Ollama, LM Studio, vLLM, llama.cpp, DeepSeek,
// Gemini, OpenRouter and most others. It asks for no more than all of them know.
//
// Sources: developers.openai.com/api/reference (chat, streaming),
// api-docs.deepseek.com/guides/thinking_mode, ai.google.dev/gemini-api/docs/
// openai and thought-signatures, read 2026-11-21.
package chat

import (
	"context"
	"iter"
	"net/url"
	"strings"

	"vibey/dialog/jsontext"
	"vibey/provider"
	"vibey/provider/wire"
)

// Provider is one configured place that speaks Chat Completions.
type Provider struct {
	config provider.Config
	coder  coder
	sight  wire.Sight
}

// New returns the provider. BaseURL is what "/chat/completions" follows.
func New(c provider.Config) *Provider {
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	return &Provider{config: c, coder: coder{reasoning: wantsReasoning(c.BaseURL)}}
}

// wantsReasoning tells which places want reasoning_content back with every
// call, and answer 400 without. Elsewhere it is left out of the history.
func wantsReasoning(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	for _, host := range []string{"deepseek.com", "moonshot.ai", "moonshot.cn"} {
		if u.Hostname() == host || strings.HasSuffix(u.Hostname(), "."+host) {
			return true
		}
	}
	return false
}

// API is "chat".
func (p *Provider) API() string { return api }

const api = "chat"

// Models lists what the place offers, its own order kept.
func (p *Provider) Models(ctx context.Context) ([]provider.Model, error) {
	return p.list().Models(ctx)
}

func (p *Provider) list() *wire.Call {
	return &wire.Call{Config: p.config, URL: p.config.BaseURL + "/models", Header: wire.Bearer(p.config)}
}

// Sees implements provider.Seer. An Ollama says it at an address of its own.
func (p *Provider) Sees(ctx context.Context, model string) bool {
	return p.sight.Sees(ctx, model, p.list(), strings.TrimSuffix(p.config.BaseURL, "/v1")+"/api/show")
}

// Stream asks the model; see provider.Provider.
func (p *Provider) Stream(ctx context.Context, r *provider.Request) iter.Seq2[provider.Event, error] {
	e := wire.Encode(p.coder, r)
	return p.Post(ctx, r.Model, e, body(r, e))
}

// Post makes the request of a history that was encoded as e, and yields what the
// answer brings. The coder need not be this package's, if body is a request that
// its servers take: an adapter that writes histories otherwise has all else in
// common with this one.
func (p *Provider) Post(ctx context.Context, model string, e *wire.Encoded, body wire.Body) iter.Seq2[provider.Event, error] {
	call := &wire.Call{
		Config: p.config, URL: p.config.BaseURL + "/chat/completions", Header: wire.Bearer(p.config),
		Model: model, Body: body, Prefix: e.Prefix(),
	}
	call.Parser = func() wire.Parser { return newParser(call, e.Answer(), p.coder.reasoning) }
	return call.Stream(ctx)
}

// Request implements provider.Writer.
func (p *Provider) Request(r *provider.Request) ([]byte, string) {
	e := wire.Encode(p.coder, r)
	return body(r, e).Bytes(), e.Prefix()
}

// Head is how the body of a request begins, up to what an adapter has beside the
// messages.
func Head(model string) []byte {
	head := jsontext.AppendString([]byte(`{"model":`), model)
	return append(head, `,"stream":true,"stream_options":{"include_usage":true}`...)
}

func body(r *provider.Request, e *wire.Encoded) wire.Body {
	head := Head(r.Model)
	if r.Schema != "" {
		head = append(append(append(head, `,"response_format":{"type":"json_schema","json_schema":{"name":"answer","strict":true,"schema":`...), r.Schema...), `}}`...)
	}
	b := wire.Body{head}
	b = append(e.Offer(b, r, `"none"`), []byte(`,"messages":[`))
	if r.History.System != "" {
		b = append(b, e.System)
		if len(r.History.Items) > 0 {
			b = append(b, []byte{','})
		}
	}
	return append(e.Messages(b, ""), []byte(`]}`))
}
