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
	_ "embed"
	"iter"
	"slices"
	"strings"

	"vibey/dialog/history"
	"vibey/dialog/jsontext"
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

//go:embed instructions.md
var howTo string

// howToBefore never changes: it is what each request of a dialog says whose System
// section, of an earlier version, does not tell of tags.
//
//go:embed instructions_before.md
var howToBefore string

// Instructions is what a model is told that calls its tools by tags: how, and what
// tools there are. It is "" where there are none.
func Instructions(tools []history.ToolSpec) string { return instructions(howTo, tools) }

// instructions writes nothing else for a dialog from before, see howToBefore.
func instructions(howTo string, tools []history.ToolSpec) string {
	if len(tools) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(howTo)
	if slices.ContainsFunc(tools, func(t history.ToolSpec) bool { return t.Name == shell }) {
		b.WriteString("- `<mcp:" + terminal + ">COMMAND</mcp:" + terminal + ">` is `" + shell + "`: all between the two is the command, as you would type it, on one line or several.\n")
	}
	b.WriteString("\n" + provider.ToolsHeading + "\n")
	for _, t := range tools {
		b.WriteString("\n`" + t.Name + "`: " + strings.TrimSpace(t.Description) + "\nArguments by this schema: " + string(t.Schema) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// Instead is a place that speaks Chat Completions and is asked with native tools; for
// a model that has none, the caller goes on with Tagged.
type Instead struct {
	*chat.Provider
	tagged *Provider
}

// NewInstead returns the provider, whose API is "chat".
func NewInstead(c provider.Config) *Instead { return &Instead{chat.New(c), New(c)} }

// Tagged returns the same place, asked without tools.
func (p *Instead) Tagged() provider.Tagged { return p.tagged }

// coder writes a history as chat messages that hold text alone: a call is the tag
// that the model wrote, right behind its words, and a result is a user's text. All
// of its parts are JSON strings.
type coder struct {
	told bool // the system text has the instructions
}

func newCoder(r *provider.Request) coder { return coder{told: r.History.ByTags} }

func (coder) API() string { return api }

func (coder) System(dst []byte, text string) []byte { return jsontext.AppendString(dst, text) }

func (c coder) Tools(dst []byte, tools []history.ToolSpec) []byte {
	if c.told {
		tools = nil
	}
	return jsontext.AppendString(dst, instructions(howToBefore, tools))
}

func (coder) Item(dst []byte, it *history.Item) []byte {
	switch it.Kind {
	case history.CallItem:
		return jsontext.AppendString(dst, render(it.Tool, it.Args))
	case history.ResultItem:
		return jsontext.AppendString(dst, "["+it.Tool+" returned]\n"+it.Text)
	}
	return jsontext.AppendString(dst, it.Text)
}

// Lay puts neighbours by one side into one message. A call follows the words before
// it without anything between, as the model wrote the two.
func (c coder) Lay(l *wire.Layout, kind history.Kind, item []byte) {
	by := wire.By(kind)
	if kind == history.ReasoningItem {
		return // nothing of it travels
	}
	if l.Open != by {
		c.Close(l)
	}
	if len(l.Texts) > 0 && (kind != history.CallItem || len(l.Calls) > 0) {
		l.Texts = append(l.Texts, `\n\n`...)
	}
	l.Texts = append(l.Texts, item[1:len(item)-1]...)
	if l.Calls = nil; kind == history.CallItem {
		l.Calls = called
	}
	l.Open = by
}

// called, in a layout's Calls, says that its text ends with a call.
var called = []byte{1}

// Close writes the open message out.
func (coder) Close(l *wire.Layout) {
	if l.Open == 0 {
		return
	}
	l.Comma()
	role := `{"role":"assistant","content":"`
	if l.Open == wire.ByUser {
		role = `{"role":"user","content":"`
	}
	l.Out = append(append(append(l.Out, role...), l.Texts...), `"}`...)
	// nil and not [:0]: another layout may hold the same bytes.
	l.Texts, l.Calls, l.Open = nil, nil, 0
}
