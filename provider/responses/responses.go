// Package responses speaks OpenAI's Responses API: POST {base}/responses, with
// nothing stored at the provider: the whole history goes out each time, and
// reasoning travels encrypted in it.
//
// Sources: developers.openai.com/api/reference (responses, streaming events),
// .../guides/reasoning, .../guides/migrate-to-responses, read 2026-11-21.
package responses

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"vibey/dialog"
	"vibey/provider"
	"vibey/provider/wire"
)

// Config says where and with which key.
type Config = provider.Config

// Provider is one configured place that speaks the Responses API.
type Provider struct {
	config  Config
	refused sync.Map // model -> extras that it was refused
}

// New returns the provider. BaseURL ends in "/v1" or what stands for it; an
// empty one is OpenAI's own.
func New(c Config) *Provider {
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	if c.BaseURL == "" {
		c.BaseURL = "https://api.openai.com/v1"
	}
	return &Provider{config: c}
}

// API is "responses".
func (p *Provider) API() string { return api }

const api = "responses"

// Models lists what the place offers, its own order kept. OpenAI's own list is
// of everything it sells, in no order: there, what can't hold a dialog is left
// out, and models that we know come first.
func (p *Provider) Models(ctx context.Context) ([]provider.Model, error) {
	c := wire.Call{Config: p.config, URL: p.config.BaseURL + "/models", Header: p.header()}
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

func (p *Provider) header() http.Header {
	h := http.Header{}
	if key := p.config.Secret(); key != "" {
		h["Authorization"] = []string{"Bearer " + key}
	}
	return h
}

// Stream asks the model; see provider.Provider.
func (p *Provider) Stream(ctx context.Context, r *provider.Request) iter.Seq2[provider.Event, error] {
	e := wire.Encode(coder{}, r)
	x := p.extras(r.Model)
	call := &wire.Call{
		Config: p.config, URL: p.config.BaseURL + "/responses", Header: p.header(),
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

// Body is the request that Stream would send, in one piece.
func Body(r *provider.Request) []byte {
	return body(r, wire.Encode(coder{}, r), extras{true, reasons(r.Model)}).Bytes()
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

func body(r *provider.Request, e *wire.Encoded, x extras) wire.Body {
	head := wire.String([]byte(`{"model":`), r.Model)
	head = append(head, `,"stream":true,"store":false`...)
	if x.encrypted {
		head = append(head, `,"include":["reasoning.encrypted_content"]`...)
	}
	if x.summary {
		head = append(head, `,"reasoning":{"summary":"auto"}`...)
	}
	if r.CacheKey != "" {
		head = wire.String(append(head, `,"prompt_cache_key":`...), cacheKey(r.CacheKey))
	}
	b := wire.Body{head}
	if r.History.System != "" {
		b = append(b, []byte(`,"instructions":`), e.System)
	}
	if len(r.History.Tools) > 0 {
		b = append(b, []byte(`,"tools":`), e.Tools)
		if r.NoTools {
			b = append(b, []byte(`,"tool_choice":"none"`))
		}
	}
	b = append(b, []byte(`,"input":[`))
	return append(e.Messages(b, ""), []byte(`]}`))
}

// cacheKey is at most 64 bytes, as the API wants it.
func cacheKey(id string) string {
	if len(id) <= 64 {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])
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

// coder writes a history as input items. They are flat: there is nothing to group.
type coder struct{}

func (coder) API() string { return api }

func (coder) System(dst []byte, text string) []byte { return wire.String(dst, text) }

// Tools are not strict: the API's strict mode wants every property required.
func (coder) Tools(dst []byte, tools []dialog.ToolSpec) []byte {
	dst = append(dst, '[')
	for i, t := range tools {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = wire.String(append(dst, `{"type":"function","name":`...), t.Name)
		dst = wire.String(append(dst, `,"description":`...), t.Description)
		dst = append(append(dst, `,"parameters":`...), t.Schema...)
		dst = append(dst, `,"strict":false}`...)
	}
	return append(dst, ']')
}

func (coder) Item(dst []byte, it *dialog.Item) []byte {
	switch it.Kind {
	case dialog.CallItem:
		dst = wire.String(append(dst, `{"type":"function_call","call_id":`...), it.CallID)
		dst = wire.String(append(dst, `,"name":`...), it.Tool)
		dst = wire.String(append(dst, `,"arguments":`...), it.Args)
		return append(dst, '}')
	case dialog.ResultItem:
		dst = wire.String(append(dst, `{"type":"function_call_output","call_id":`...), it.CallID)
		dst = wire.String(append(dst, `,"output":`...), it.Text)
		return append(dst, '}')
	case dialog.AssistantText:
		dst = append(dst, `{"type":"message","role":"assistant","content":[{"type":"output_text","text":`...)
	default:
		dst = append(dst, `{"type":"message","role":"user","content":[{"type":"input_text","text":`...)
	}
	return append(wire.String(dst, it.Text), `}]}`...)
}

func (coder) Lay(l *wire.Layout, _ dialog.ItemKind, item []byte) {
	l.Comma()
	l.Out = append(l.Out, item...)
}

func (coder) Close(*wire.Layout) {}
