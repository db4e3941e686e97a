package responses

import (
	"encoding/json"

	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/dialog/jsontext"
	"vibey/provider"
	"vibey/provider/wire"
)

// response is what the last event says of the whole.
type response struct {
	Output     []json.RawMessage `json:"output"`
	Error      json.RawMessage   `json:"error"`
	Incomplete *struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Status string `json:"status"`
	Usage  *struct {
		In        int64 `json:"input_tokens"`
		Out       int64 `json:"output_tokens"`
		Total     int64 `json:"total_tokens"`
		InDetails struct {
			Cached  int64 `json:"cached_tokens"`
			Written int64 `json:"cache_write_tokens"`
		} `json:"input_tokens_details"`
		OutDetails struct {
			Reasoning int64 `json:"reasoning_tokens"`
		} `json:"output_tokens_details"`
	} `json:"usage"`
}

func (p *parser) finish(out []provider.Event, raw json.RawMessage) ([]provider.Event, bool, error) {
	var r response
	if err := json.Unmarshal(raw, &r); err != nil {
		return out, false, err
	}
	for i, it := range r.Output { // those of which no output_item.done told
		var err error
		p.ev = event{Index: i}
		if out, err = p.itemDone(out, p.slot(i), it); err != nil {
			return out, false, err
		}
	}
	f := provider.Finish{Stop: provider.StopEnd, Detail: r.Status, Resources: dialog.Resources{Tools: int64(p.calls)}}
	if u := r.Usage; u != nil {
		f.Resources = dialog.Resources{
			In: u.In, Out: u.Out, Total: u.In + u.Out, Tools: int64(p.calls),
			Cached: u.InDetails.Cached, Written: u.InDetails.Written, Reasoning: u.OutDetails.Reasoning,
		}
	}
	switch {
	case r.Incomplete != nil && r.Incomplete.Reason != "":
		f.Detail = r.Incomplete.Reason
		switch f.Detail {
		case "max_output_tokens":
			f.Stop = provider.StopLength
		case "content_filter":
			f.Stop = provider.StopRefusal
		default:
			f.Stop = provider.StopOther
		}
	case p.calls > 0:
		f.Stop = provider.StopCalls
	case p.refused:
		f.Stop, f.Detail = provider.StopRefusal, "refusal"
	}
	return append(out, f), true, nil
}

// failed makes an error of a response that failed.
func (p *parser) failed(raw json.RawMessage) error {
	var r response
	if err := json.Unmarshal(raw, &r); err != nil {
		return err
	}
	return p.call.Problem(r.Error)
}

// coder writes a history as input items. They are flat: there is nothing to group.
type coder struct{}

func (coder) API() string { return api }

func (coder) System(dst []byte, text string) []byte { return jsontext.AppendString(dst, text) }

// Tools are not strict: the API's strict mode wants every property required.
func (coder) Tools(dst []byte, tools []history.ToolSpec) []byte {
	return wire.AppendTools(dst, tools, `{"type":"function","name":`, `,"parameters":`, `,"strict":false}`)
}

func (coder) Item(dst []byte, it *history.Item) []byte {
	switch it.Kind {
	case history.CallItem:
		dst = jsontext.AppendString(append(dst, `{"type":"function_call","call_id":`...), it.CallID)
		dst = jsontext.AppendString(append(dst, `,"name":`...), it.Tool)
		dst = jsontext.AppendString(append(dst, `,"arguments":`...), it.Args)
		return append(dst, '}')
	case history.ResultItem:
		dst = jsontext.AppendString(append(dst, `{"type":"function_call_output","call_id":`...), it.CallID)
		dst = jsontext.AppendString(append(dst, `,"output":`...), it.Text)
		return append(dst, '}')
	case history.AssistantText:
		dst = append(dst, `{"type":"message","role":"assistant","content":[{"type":"output_text","text":`...)
	default:
		dst = append(dst, `{"type":"message","role":"user","content":[{"type":"input_text","text":`...)
	}
	return append(jsontext.AppendString(dst, it.Text), `}]}`...)
}

func (coder) Lay(l *wire.Layout, _ history.Kind, item []byte) {
	l.Comma()
	l.Out = append(l.Out, item...)
}

func (coder) Close(*wire.Layout) {}
