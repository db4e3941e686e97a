package providertest

import (
	"fmt"
	"strings"
)

// responses plays a reply in OpenAI's Responses format.
func (s *stream) responses(p *Reply, q request) {
	w := responsesWriter{s: s, p: p, q: q}
	w.event("response.created", `"response":%s`, w.response("in_progress", "null", "null"))
	if p.Reasoning != "" {
		w.reasoning()
	}
	if p.Text != "" {
		w.message()
	}
	for i := range p.Calls {
		w.call(&p.Calls[i])
	}
	u := p.Usage
	usage := fmt.Sprintf(`{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":%d},"total_tokens":%d}`,
		u.In, u.Cached, u.Out, u.Reasoning, u.In+u.Out)
	if p.Stop != "" {
		w.event("response.incomplete", `"response":%s`, w.response("incomplete", fmt.Sprintf(`{"reason":%s}`, js(p.Stop)), usage))
		return
	}
	w.event("response.completed", `"response":%s`, w.response("completed", "null", usage))
}

type responsesWriter struct {
	s     *stream
	p     *Reply
	q     request
	n     int      // sequence_number
	items []string // the output so far
}

func (w *responsesWriter) event(typ, format string, args ...any) {
	w.s.event(typ, `{"type":%s,"sequence_number":%d,%s}`, js(typ), w.n, fmt.Sprintf(format, args...))
	w.n++
}

func (w *responsesWriter) response(status, incomplete, usage string) string {
	return fmt.Sprintf(`{"id":"resp_mock_%d","object":"response","created_at":1760000000,"status":%s,"error":null,"incomplete_details":%s,"model":%s,"output":[%s],"parallel_tool_calls":true,"store":false,"tool_choice":"auto","tools":[],"usage":%s}`,
		w.q.responses+1, js(status), incomplete, js(w.q.model), strings.Join(w.items, ","), usage)
}

// id names the item that is being written.
func (w *responsesWriter) id(kind string) string {
	return js(fmt.Sprintf("%s_mock_%d_%d", kind, w.q.responses+1, len(w.items)+1))
}

func (w *responsesWriter) add(item string) {
	w.event("response.output_item.added", `"output_index":%d,"item":%s`, len(w.items), item)
}

func (w *responsesWriter) done(item string) {
	w.event("response.output_item.done", `"output_index":%d,"item":%s`, len(w.items), item)
	w.items = append(w.items, item)
}

func (w *responsesWriter) reasoning() {
	id, at, text := w.id("rs"), len(w.items), js(w.p.Reasoning)
	w.add(fmt.Sprintf(`{"id":%s,"type":"reasoning","summary":[]}`, id))
	w.event("response.reasoning_summary_part.added", `"item_id":%s,"output_index":%d,"summary_index":0,"part":{"type":"summary_text","text":""}`, id, at)
	w.s.pieces(w.p.Reasoning, w.p.Chunk, w.p.DelayMS, func(t string) {
		w.event("response.reasoning_summary_text.delta", `"item_id":%s,"output_index":%d,"summary_index":0,"delta":%s`, id, at, js(t))
	})
	w.event("response.reasoning_summary_text.done", `"item_id":%s,"output_index":%d,"summary_index":0,"text":%s`, id, at, text)
	w.event("response.reasoning_summary_part.done", `"item_id":%s,"output_index":%d,"summary_index":0,"part":{"type":"summary_text","text":%s}`, id, at, text)
	w.done(fmt.Sprintf(`{"id":%s,"type":"reasoning","encrypted_content":%s,"summary":[{"type":"summary_text","text":%s}]}`, id, js(signature(w.p, w.q)), text))
}

func (w *responsesWriter) message() {
	id, at, text := w.id("msg"), len(w.items), js(w.p.Text)
	w.add(fmt.Sprintf(`{"id":%s,"type":"message","status":"in_progress","content":[],"role":"assistant"}`, id))
	w.event("response.content_part.added", `"item_id":%s,"output_index":%d,"content_index":0,"part":{"type":"output_text","annotations":[],"text":""}`, id, at)
	w.s.pieces(w.p.Text, w.p.Chunk, w.p.DelayMS, func(t string) {
		w.event("response.output_text.delta", `"item_id":%s,"output_index":%d,"content_index":0,"delta":%s`, id, at, js(t))
	})
	part := fmt.Sprintf(`{"type":"output_text","annotations":[],"text":%s}`, text)
	w.event("response.output_text.done", `"item_id":%s,"output_index":%d,"content_index":0,"text":%s`, id, at, text)
	w.event("response.content_part.done", `"item_id":%s,"output_index":%d,"content_index":0,"part":%s`, id, at, part)
	w.done(fmt.Sprintf(`{"id":%s,"type":"message","status":"completed","content":[%s],"role":"assistant"}`, id, part))
}

func (w *responsesWriter) call(c *Call) {
	id, at := w.id("fc"), len(w.items)
	item := func(status, args string) string {
		return fmt.Sprintf(`{"id":%s,"type":"function_call","status":%s,"arguments":%s,"call_id":%s,"name":%s}`, id, js(status), js(args), js(c.ID), js(c.Name))
	}
	w.add(item("in_progress", ""))
	w.s.pieces(string(c.Args), w.p.ArgChunk, 0, func(t string) {
		w.event("response.function_call_arguments.delta", `"item_id":%s,"output_index":%d,"delta":%s`, id, at, js(t))
	})
	w.event("response.function_call_arguments.done", `"item_id":%s,"output_index":%d,"name":%s,"arguments":%s`, id, at, js(c.Name), js(string(c.Args)))
	w.done(item("completed", string(c.Args)))
}
