// Package texttag speaks Chat Completions with models that have no native tools: a
// call is a tag in the answer's text,
//
//	I look. <mcp:terminal>ls deed</mcp:terminal>
//
// The answer is cut at its first complete tag: the request is cancelled there and
// what follows is dropped, so that a result which the model makes up is read by no
// one. See finder for what counts as a tag.
package texttag

import (
	"context"
	"iter"

	"vibey/dialog/history"
	"vibey/provider"
	"vibey/provider/chat"
	"vibey/provider/wire"
)

// Provider is one configured place that speaks Chat Completions, asked without
// tools. Its models are listed as package chat lists them.
type Provider struct{ *chat.Provider }

// New returns the provider. BaseURL is what "/chat/completions" follows.
func New(c provider.Config) *Provider { return &Provider{chat.New(c)} }

// API is "tags".
func (p *Provider) API() string { return api }

const api = "tags"

// Instructions is the text that a model must have read once to call these tools.
// Behind a system text that does not tell of tags, as in dialogs from before it did,
// Stream puts the words of then, for the tools of the request's history.
func (p *Provider) Instructions(tools []history.ToolSpec) string { return Instructions(tools) }

// Stream asks the model; see provider.Provider. Where the request says NoTools, tags
// are text; the model is told nothing of that, since the request's beginning must
// not change.
func (p *Provider) Stream(ctx context.Context, r *provider.Request) iter.Seq2[provider.Event, error] {
	e := wire.Encode(newCoder(r), r)
	stream := p.Post(ctx, r.Model, e, body(r, e))
	if r.NoTools {
		return stream
	}
	return cut(stream)
}

// Request implements provider.Writer.
func (p *Provider) Request(r *provider.Request) ([]byte, string) {
	e := wire.Encode(newCoder(r), r)
	return body(r, e).Bytes(), e.Prefix()
}

func body(r *provider.Request, e *wire.Encoded) wire.Body {
	b := wire.Body{append(chat.Head(r.Model), `,"messages":[`...)}
	if text := system(e); len(text) > 0 {
		b = append(b, []byte(`{"role":"system","content":"`), text, []byte(`"}`))
		if len(r.History.Items) > 0 {
			b = append(b, []byte{','})
		}
	}
	return append(e.Messages(b, ""), []byte(`]}`))
}

// system is the system text and the instructions, as the inside of a JSON string.
func system(e *wire.Encoded) []byte {
	text, tools := e.System[1:len(e.System)-1], e.Tools[1:len(e.Tools)-1]
	if len(text) == 0 || len(tools) == 0 {
		return append(text[:len(text):len(text)], tools...)
	}
	return append(append(text[:len(text):len(text)], `\n\n`...), tools...)
}
