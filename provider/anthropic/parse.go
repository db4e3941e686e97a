package anthropic

import (
	"encoding/json"

	"vibey/dialog"
	"vibey/dialog/jsontext"
	"vibey/provider"
	"vibey/provider/wire"
)

// event is any event of the stream; what is rare is behind a pointer or kept raw.
type event struct {
	Type  string `json:"type"`
	Index int    `json:"index"`
	Delta struct {
		Type        string          `json:"type"`
		Text        string          `json:"text"`
		Thinking    string          `json:"thinking"`
		Signature   string          `json:"signature"`
		PartialJSON string          `json:"partial_json"`
		StopReason  string          `json:"stop_reason"`
		StopDetails json.RawMessage `json:"stop_details"`
	} `json:"delta"`
	Block   *block `json:"content_block"`
	Message *struct {
		Usage *usage `json:"usage"`
	} `json:"message"`
	Usage *usage          `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type usage struct {
	In      *int64 `json:"input_tokens"`
	Out     *int64 `json:"output_tokens"`
	Written *int64 `json:"cache_creation_input_tokens"`
	Cached  *int64 `json:"cache_read_input_tokens"`
	Details *struct {
		Thinking int64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// block is a content block as it begins.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
}

// parser follows one stream. Blocks come one after the other; index tells them
// apart all the same, as the documentation says.
type parser struct {
	call   *wire.Call
	answer *wire.Answer
	ev     event

	open  bool
	at    int // index of the open block
	block block
	buf   []byte // what came for the open block: text, thinking, or arguments
	sig   []byte // its signature

	texts, calls int
	usage        dialog.Resources
	stop, detail string
}

func newParser(c *wire.Call, a *wire.Answer) *parser { return &parser{call: c, answer: a} }

// Next takes one event. Types that we don't know are passed over, as the
// documentation asks.
func (p *parser) Next(data []byte, out []provider.Event) ([]provider.Event, bool, error) {
	p.ev = event{}
	ev := &p.ev
	if at, text, ok := plainText(data); ok {
		ev.Type, ev.Index, ev.Delta.Type, ev.Delta.Text = "content_block_delta", at, "text_delta", string(text)
		out, err := p.delta(out)
		return out, false, err
	}
	if err := json.Unmarshal(data, ev); err != nil {
		if wire.Misfit(err) && !ours(ev.Type) {
			return out, false, nil
		}
		return out, false, err
	}
	switch ev.Type {
	case "content_block_delta":
		out, err := p.delta(out)
		return out, false, err
	case "message_start":
		if ev.Message != nil {
			p.count(ev.Message.Usage)
		}
	case "content_block_start":
		out = p.closeBlock(out)
		return p.openBlock(out), false, nil
	case "content_block_stop":
		return p.closeBlock(out), false, nil
	case "message_delta":
		p.count(ev.Usage)
		if ev.Delta.StopReason != "" {
			p.stop, p.detail = ev.Delta.StopReason, ev.Delta.StopReason
			if why := refusal(ev.Delta.StopDetails); why != "" {
				p.detail += ": " + why
			}
		}
	case "message_stop":
		out = p.closeBlock(out)
		return append(out, p.finish()), true, nil
	case "error", "": // gateways leave the type out
		if len(ev.Error) > 0 {
			return out, false, p.call.Problem(ev.Error)
		}
	}
	return out, false, nil
}

// ours reports whether we read events of that type.
func ours(typ string) bool {
	switch typ {
	case "", "content_block_start", "content_block_delta", "content_block_stop", "message_start", "message_delta", "message_stop", "error":
		return true
	}
	return false
}

// End is never fine: a Messages stream has message_stop.
func (p *parser) End(out []provider.Event) ([]provider.Event, bool) { return out, false }

func (p *parser) openBlock(out []provider.Event) []provider.Event {
	if p.ev.Block == nil {
		return out
	}
	p.open, p.at, p.block, p.buf = true, p.ev.Index, *p.ev.Block, p.buf[:0]
	p.sig = append(p.sig[:0], p.block.Signature...)
	switch b := &p.block; b.Type {
	case "text":
		return p.text(out, b.Text)
	case "thinking":
		return p.thinking(out, b.Thinking)
	}
	return out
}

func (p *parser) delta(out []provider.Event) (_ []provider.Event, err error) {
	d := &p.ev.Delta
	if !p.open || p.ev.Index != p.at {
		return out, nil
	}
	switch d.Type {
	case "text_delta":
		return p.text(out, d.Text), nil
	case "input_json_delta":
		p.buf, err = wire.GrowArgs(p.buf, d.PartialJSON)
	case "thinking_delta":
		return p.thinking(out, d.Thinking), nil
	case "signature_delta":
		p.sig = wire.GrowText(p.sig, d.Signature)
	}
	return out, err
}

func (p *parser) text(out []provider.Event, piece string) []provider.Event {
	if piece == "" || p.block.Type != "text" {
		return out
	}
	again := len(p.buf) == 0 && p.texts > 0
	if len(p.buf) == 0 {
		p.texts++
	}
	p.buf = wire.GrowText(p.buf, piece)
	return append(out, provider.Text{Piece: piece, New: again})
}

func (p *parser) thinking(out []provider.Event, piece string) []provider.Event {
	if piece == "" || p.block.Type != "thinking" {
		return out
	}
	p.buf = wire.GrowText(p.buf, piece)
	return append(out, provider.Thinking{Piece: piece})
}

// closeBlock tells of the open block as a whole.
func (p *parser) closeBlock(out []provider.Event) []provider.Event {
	if !p.open {
		return out
	}
	p.open = false
	b := &p.block
	switch b.Type {
	case "text":
		p.answer.Text(string(p.buf))
	case "thinking":
		text, native := string(p.buf), []byte(nil)
		if len(p.sig) > 0 { // without one the API would refuse the block
			native = jsontext.AppendString(append(native, `{"type":"thinking","thinking":`...), text)
			native = jsontext.AppendString(append(native, `,"signature":`...), string(p.sig))
			native = append(native, '}')
		}
		if text != "" || native != nil {
			out = append(out, p.answer.Reasoning(text, string(native)))
		}
	case "redacted_thinking":
		native := jsontext.AppendString([]byte(`{"type":"redacted_thinking","data":`), b.Data)
		out = append(out, p.answer.Reasoning("", string(append(native, '}'))))
	case "tool_use":
		args := string(p.buf)
		if args == "" && len(b.Input) > 0 && string(b.Input) != "{}" {
			args = string(b.Input) // some compatible servers send it whole
		}
		c := provider.Call{ID: b.ID, Name: b.Name, Args: args}
		p.calls++
		p.answer.Call(c)
		out = append(out, c)
	}
	return out
}
