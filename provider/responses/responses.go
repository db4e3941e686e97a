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
	"net/url"
	"slices"
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

// Models lists what the place offers, its own order kept. OpenAI's own list is
// of everything it sells, in no order: there, what can't hold a dialog is left
// out, and models that we know come first.
func (p *Provider) Models(ctx context.Context) ([]provider.Model, error) {
	c := wire.Call{Config: p.config, URL: p.config.BaseURL + "/models", Header: wire.Bearer(p.config)}
	models, err := c.Models(ctx)
	if u, e := url.Parse(p.config.BaseURL); err != nil || e != nil || u.Hostname() != "api.openai.com" {
		return models, err
	}
	return sift(models), nil
}

// sift leaves out models for other things than text, and moves those of the
// table to the front in the table's order, the newest first.
func sift(models []provider.Model) []provider.Model {
	models = slices.DeleteFunc(models, func(m provider.Model) bool {
		for _, part := range []string{"embedding", "whisper", "tts", "dall-e", "image", "moderation", "realtime", "audio", "transcribe", "sora", "babbage", "davinci", "-instruct"} {
			if strings.Contains(m.ID, part) {
				return true
			}
		}
		return false
	})
	slices.SortStableFunc(models, func(a, b provider.Model) int { return provider.Rank(a.ID) - provider.Rank(b.ID) })
	return models
}

// extras are what not every model, or account, may be asked for. They are no
// part of the conversation.
type extras struct {
	encrypted bool // reasoning that can travel back
	summary   bool // reasoning that can be read
}

func (p *Provider) extras(model string) extras {
	if x, ok := p.refused.Load(model); ok {
		return x.(extras)
	}
	return extras{true, reasons(model)}
}

// without takes away what a refusal is about. An organization that OpenAI has
// not verified may not ask for summaries ("must be verified to generate
// reasoning summaries"), and models that don't reason refuse encrypted content
// ("Encrypted content is not supported with this model"); nothing tells so
// before.
func (x extras) without(err *provider.Error) extras {
	if err.Kind != provider.KindRefused {
		return x
	}
	words := strings.ToLower(err.Message)
	if strings.Contains(words, "reasoning summar") || strings.Contains(words, "reasoning.summary") {
		x.summary = false
	}
	if strings.Contains(words, "encrypted content") || strings.Contains(words, "encrypted_content") {
		x.encrypted = false
	}
	return x
}

// reasons tells which of OpenAI's models reason, by the beginning of their
// name. Chat variants ("gpt-5-chat-latest") don't.
func reasons(model string) bool {
	if strings.Contains(model, "-chat") {
		return false
	}
	for _, m := range []string{"gpt-5", "gpt-6", "o1", "o3", "o4"} {
		if strings.HasPrefix(model, m) {
			return true
		}
	}
	return false
}
