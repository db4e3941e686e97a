package responses

import (
	"encoding/json"

	"vibey/provider"
	"vibey/provider/wire"
)

// event is any event of the stream; what is large or rare stays raw.
type event struct {
	Type      string          `json:"type"`
	Index     int             `json:"output_index"`
	Part      int             `json:"content_index"`
	Delta     string          `json:"delta"`
	Arguments string          `json:"arguments"`
	Item      json.RawMessage `json:"item"`
	Response  json.RawMessage `json:"response"`
	Error     json.RawMessage `json:"error"`
}

// item is an output item.
type item struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Encrypted string `json:"encrypted_content"`
	Content   []struct {
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"`
	Summary []struct {
		Text string `json:"text"`
	} `json:"summary"`
}

// slot is one output item as it grows.
type slot struct {
	buf  []byte // text, readable reasoning, or arguments
	part int    // of the text: which content part buf's last piece was of
	done bool   // told as a whole
}

// parser follows one stream. Items are told apart by output_index, so that
// parallel calls may come interleaved.
type parser struct {
	call   *wire.Call
	answer *wire.Answer
	ev     event
	slots  []*slot

	texts, calls int
	refused      bool
}

func newParser(c *wire.Call, a *wire.Answer) *parser { return &parser{call: c, answer: a} }

// maxItems bounds output_index: more items than this are no response.
const maxItems = 10_000

func (p *parser) slot(i int) *slot {
	if i < 0 || i >= maxItems {
		i = maxItems - 1
	}
	for len(p.slots) <= i {
		p.slots = append(p.slots, &slot{})
	}
	return p.slots[i]
}

// Next takes one event. Types that we don't know are passed over.
func (p *parser) Next(data []byte, out []provider.Event) ([]provider.Event, bool, error) {
	p.ev = event{}
	ev := &p.ev
	if err := json.Unmarshal(data, ev); err != nil {
		if string(data) == "[DONE]" { // some compatible servers send it behind the last event
			return out, false, nil
		}
		if wire.Misfit(err) && !ours(ev.Type) {
			return out, false, nil
		}
		return out, false, err
	}
	switch ev.Type {
	case "response.output_text.delta":
		return p.text(out, ev.Delta), false, nil
	case "response.refusal.delta":
		p.refused = true
		return p.text(out, ev.Delta), false, nil
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		return p.thinking(out, ev.Delta), false, nil
	case "response.reasoning_summary_part.added":
		if len(p.slot(ev.Index).buf) > 0 {
			out = p.thinking(out, "\n\n") // summaries come in parts with a title each
		}
	case "response.function_call_arguments.delta":
		var err error
		s := p.slot(ev.Index)
		s.buf, err = wire.GrowArgs(s.buf, ev.Delta)
		return out, false, err
	case "response.function_call_arguments.done":
		s := p.slot(ev.Index)
		s.buf = append(s.buf[:0], ev.Arguments...)
	case "response.output_item.done":
		out, err := p.itemDone(out, p.slot(ev.Index), ev.Item)
		return out, false, err
	case "response.completed", "response.incomplete":
		return p.finish(out, ev.Response)
	case "response.failed":
		return out, false, p.failed(ev.Response)
	case "error", "": // gateways leave the type out
		if len(ev.Error) > 0 {
			return out, false, p.call.Problem(ev.Error)
		}
		if ev.Type != "" {
			return out, false, p.call.Problem(data)
		}
	}
	return out, false, nil
}

// ours reports whether we read events of that type.
func ours(typ string) bool {
	switch typ {
	case "", "response.output_text.delta", "response.refusal.delta",
		"response.reasoning_summary_text.delta", "response.reasoning_text.delta", "response.reasoning_summary_part.added",
		"response.function_call_arguments.delta", "response.function_call_arguments.done", "response.output_item.done",
		"response.completed", "response.incomplete", "response.failed", "error":
		return true
	}
	return false
}

// End is never fine: a Responses stream has a last event.
func (p *parser) End(out []provider.Event) ([]provider.Event, bool) { return out, false }

func (p *parser) text(out []provider.Event, piece string) []provider.Event {
	if piece == "" {
		return out
	}
	s := p.slot(p.ev.Index)
	begins := len(s.buf) == 0
	if !begins && s.part != p.ev.Part {
		p.answer.Text(string(s.buf)) // another part of one message is another text
		s.buf, begins = s.buf[:0], true
	}
	s.part = p.ev.Part
	again := begins && p.texts > 0
	if begins {
		p.texts++
	}
	s.buf = wire.GrowText(s.buf, piece)
	return append(out, provider.Text{Piece: piece, New: again})
}

func (p *parser) thinking(out []provider.Event, piece string) []provider.Event {
	if piece == "" {
		return out
	}
	s := p.slot(p.ev.Index)
	s.buf = wire.GrowText(s.buf, piece)
	return append(out, provider.Thinking{Piece: piece})
}

// itemDone tells of a whole item.
func (p *parser) itemDone(out []provider.Event, s *slot, raw json.RawMessage) ([]provider.Event, error) {
	if s.done || len(raw) == 0 {
		return out, nil
	}
	var it item
	if err := json.Unmarshal(raw, &it); err != nil {
		return out, err
	}
	s.done = true
	switch it.Type {
	case "message":
		if len(s.buf) == 0 { // a server that sends no deltas
			for i, c := range it.Content {
				p.refused = p.refused || c.Refusal != ""
				p.ev.Part = i
				out = p.text(out, c.Text+c.Refusal)
			}
		}
		p.answer.Text(string(s.buf))
	case "function_call":
		args := it.Arguments
		if args == "" {
			args = string(s.buf)
		}
		c := provider.Call{ID: it.CallID, Name: it.Name, Args: args}
		p.calls++
		p.answer.Call(c)
		out = append(out, c)
	case "reasoning":
		out = p.reasoning(out, s, &it, raw)
	}
	return out, nil
}

// reasoning tells of a reasoning item. It goes back verbatim, id and all, as
// the documentation demands; without encrypted content the API could not find
// it again, since nothing was stored, and would refuse it.
func (p *parser) reasoning(out []provider.Event, s *slot, it *item, raw json.RawMessage) []provider.Event {
	text := string(s.buf)
	if text == "" {
		for i, part := range it.Summary {
			if i > 0 {
				text += "\n\n"
			}
			text += part.Text
		}
	}
	native := ""
	if it.Encrypted != "" {
		native = string(raw)
	}
	if text == "" && native == "" {
		return out
	}
	return append(out, p.answer.Reasoning(text, native))
}
