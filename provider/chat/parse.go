package chat

import (
	"encoding/json"

	"vibey/dialog"
	"vibey/dialog/jsontext"
	"vibey/provider"
	"vibey/provider/wire"
)

// chunk is any event of the stream.
type chunk struct {
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type choice struct {
	Index int `json:"index"`
	Delta struct {
		Content   *string     `json:"content"`
		Reasoning string      `json:"reasoning_content"` // DeepSeek, vLLM, llama.cpp
		Thinking  string      `json:"reasoning"`         // Ollama, OpenRouter, newer vLLM
		Refusal   string      `json:"refusal"`
		ToolCalls []callDelta `json:"tool_calls"`
	} `json:"delta"`
	Finish string `json:"finish_reason"`
}

type callDelta struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name string `json:"name"`
		Args string `json:"arguments"`
	} `json:"function"`
	Extra json.RawMessage `json:"extra_content"`
}

type usage struct {
	In        int64 `json:"prompt_tokens"`
	Out       int64 `json:"completion_tokens"`
	Total     int64 `json:"total_tokens"`
	InDetails *struct {
		Cached  int64 `json:"cached_tokens"`
		Written int64 `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	OutDetails *struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	CacheHit int64 `json:"prompt_cache_hit_tokens"` // DeepSeek
}

// parser follows one stream.
type parser struct {
	call      *wire.Call
	answer    *wire.Answer
	ev        chunk
	reasoning bool // the server wants its reasoning back

	thoughts, text []byte
	thinking       bool // thoughts are not told as a whole yet
	again          bool // the next piece of text begins another block
	calls          []*call
	last           *call
	refused        bool
	finish         string
	usage          dialog.Resources
}

func newParser(c *wire.Call, a *wire.Answer, reasoning bool) *parser {
	return &parser{call: c, answer: a, reasoning: reasoning}
}

// Next takes one event.
func (p *parser) Next(data []byte, out []provider.Event) ([]provider.Event, bool, error) {
	if string(data) == "[DONE]" {
		return p.end(out), true, nil
	}
	p.ev = chunk{}
	if err := decode(data, &p.ev); err != nil {
		return out, false, err
	}
	if len(p.ev.Error) > 0 && string(p.ev.Error) != "null" {
		return out, false, p.call.Problem(p.ev.Error)
	}
	p.count(p.ev.Usage)
	for i := range p.ev.Choices {
		c := &p.ev.Choices[i]
		if c.Index != 0 {
			continue // we asked for one
		}
		var err error
		if out, err = p.choice(c, out); err != nil {
			return out, false, err
		}
	}
	return out, false, nil
}

// End is fine behind a finish_reason: some servers send no [DONE].
func (p *parser) End(out []provider.Event) ([]provider.Event, bool) {
	if p.finish == "" {
		return out, false
	}
	return p.end(out), true
}

func (p *parser) choice(c *choice, out []provider.Event) ([]provider.Event, error) {
	d := &c.Delta
	if t := d.Reasoning + d.Thinking; t != "" {
		p.thoughts, p.thinking = wire.GrowText(p.thoughts, t), true
		out = append(out, provider.Thinking{Piece: t})
	}
	piece := d.Refusal
	p.refused = p.refused || piece != ""
	if d.Content != nil {
		piece += *d.Content
	}
	if piece != "" {
		out = p.thought(out)
		p.text = wire.GrowText(p.text, piece)
		out = append(out, provider.Text{Piece: piece, New: p.again})
		p.again = false
	}
	for i := range d.ToolCalls {
		out = p.thought(out)
		if err := p.grow(&d.ToolCalls[i]); err != nil {
			return out, err
		}
	}
	if c.Finish != "" {
		p.finish = c.Finish
	}
	return out, nil
}

// thought tells of the reasoning as a whole, once something else comes.
func (p *parser) thought(out []provider.Event) []provider.Event {
	if !p.thinking {
		return out
	}
	p.thinking = false
	if len(p.text) > 0 { // it stands between two texts
		p.answer.Text(string(p.text))
		p.text, p.again = p.text[:0], true
	}
	text, native := string(p.thoughts), ""
	p.thoughts = p.thoughts[:0]
	if p.reasoning {
		native = string(append(jsontext.AppendString([]byte(`{"reasoning_content":`), text), '}'))
	}
	return append(out, p.answer.Reasoning(text, native))
}

// end tells of the calls, and finishes.
func (p *parser) end(out []provider.Event) []provider.Event {
	out = p.thought(out)
	p.answer.Text(string(p.text))
	if n := p.extras(); n != "" {
		out = append(out, p.answer.Reasoning("", n))
	}
	for _, c := range p.calls {
		e := provider.Call{ID: c.id, Name: c.name, Args: string(c.args)}
		p.answer.Call(e)
		out = append(out, e)
	}
	r := p.usage
	r.Tools = int64(len(p.calls))
	return append(out, provider.Finish{Stop: p.stop(), Detail: p.finish, Resources: r})
}

func (p *parser) stop() string {
	switch p.finish {
	case "length":
		return provider.StopLength
	case "content_filter":
		return provider.StopRefusal
	case "stop", "tool_calls", "function_call", "":
	default:
		return provider.StopOther
	}
	switch {
	case len(p.calls) > 0: // some servers say "stop" behind calls
		return provider.StopCalls
	case p.refused:
		return provider.StopRefusal
	}
	return provider.StopEnd
}

func (p *parser) count(u *usage) {
	if u == nil {
		return
	}
	r := dialog.Resources{In: u.In, Out: u.Out, Total: u.In + u.Out, Cached: u.CacheHit}
	if d := u.InDetails; d != nil {
		r.Cached, r.Written = max(r.Cached, d.Cached), d.Written
	}
	if d := u.OutDetails; d != nil {
		r.Reasoning = d.Reasoning
	}
	if u.Total > r.Total { // Gemini counts thoughts in the total alone
		r.Out += u.Total - r.Total
		r.Total = u.Total
	}
	p.usage = r
}
