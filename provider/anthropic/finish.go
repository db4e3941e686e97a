package anthropic

import (
	"encoding/json"
	"strings"

	"vibey/provider"
)

// count takes up usage: totals so far, of which the last one told is right.
func (p *parser) count(u *usage) {
	if u == nil {
		return
	}
	set := func(to *int64, from *int64) {
		if from != nil && *from > 0 {
			*to = *from
		}
	}
	set(&p.usage.In, u.In)
	set(&p.usage.Out, u.Out)
	set(&p.usage.Written, u.Written)
	set(&p.usage.Cached, u.Cached)
	if u.Details != nil {
		p.usage.Reasoning = u.Details.Thinking
	}
}

func (p *parser) finish() provider.Finish {
	r := p.usage
	r.In += r.Cached + r.Written // the API counts them beside input_tokens
	r.Total, r.Tools = r.In+r.Out, int64(p.calls)
	return provider.Finish{Stop: p.stopped(), Detail: p.detail, Resources: r}
}

func (p *parser) stopped() string {
	switch p.stop {
	case "end_turn", "stop_sequence":
		return provider.StopEnd
	case "tool_use":
		return provider.StopCalls
	case "max_tokens", "model_context_window_exceeded":
		return provider.StopLength
	case "refusal":
		return provider.StopRefusal
	case "":
		if p.calls > 0 {
			return provider.StopCalls
		}
		return provider.StopEnd
	}
	return provider.StopOther
}

// refusal is what stop_details explain.
func refusal(raw json.RawMessage) string {
	var d struct{ Category, Explanation string }
	if len(raw) == 0 || json.Unmarshal(raw, &d) != nil {
		return ""
	}
	if d.Explanation == "" {
		d.Explanation = d.Category
	}
	return strings.Join(strings.Fields(d.Explanation), " ") // it ends up in one line of metadata
}
