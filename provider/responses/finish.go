package responses

import (
	"encoding/json"

	"vibey/dialog"
	"vibey/provider"
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
