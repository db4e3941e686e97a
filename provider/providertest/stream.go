package providertest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"unicode/utf8"
)

// errOver ends the writing of a stream from wherever it stands.
var errOver = errors.New("the stream is over")

// stream writes the events of one response, and strikes with the fault if there is one.
type stream struct {
	w     http.ResponseWriter
	rc    *http.ResponseController
	r     *http.Request
	api   string
	fault *Fault
	sent  int
}

// end is deferred: it takes errOver for what it is.
func (s *stream) end() {
	if x := recover(); x != nil && x != errOver {
		panic(x)
	}
}

// event sends one event. name may be empty, data is a format for args.
func (s *stream) event(name, format string, args ...any) {
	data := fmt.Sprintf(format, args...)
	if f := s.fault; f != nil && s.sent >= f.After {
		data = s.strike(f, data)
	}
	s.sent++
	s.write(name, data)
}

func (s *stream) write(name, data string) {
	if name != "" {
		io.WriteString(s.w, "event: "+name+"\n")
	}
	io.WriteString(s.w, "data: "+data+"\n\n")
	if s.rc.Flush() != nil {
		panic(errOver)
	}
}

// strike does what the fault says. It returns what to send instead, if anything.
func (s *stream) strike(f *Fault, data string) string {
	switch f.Kind {
	case "cut":
		s.rc.Flush()
		panic(http.ErrAbortHandler)
	case "stall":
		s.rc.Flush()
		<-s.r.Context().Done()
	case "malformed":
		s.fault = nil
		return data[:len(data)/2]
	case "error":
		s.failed(f)
	}
	panic(errOver)
}

// failed sends the API's error event.
func (s *stream) failed(f *Fault) {
	switch s.api {
	case "messages":
		s.write("error", fmt.Sprintf(`{"type":"error","error":{"type":%s,"message":%s}}`, js(f.kind()), js(f.words())))
	case "responses":
		s.write("response.failed", fmt.Sprintf(`{"type":"response.failed","sequence_number":%d,"response":{"id":"resp_mock","object":"response","status":"failed","error":{"code":%s,"message":%s},"output":[],"usage":null}}`, s.sent, js(f.kind()), js(f.words())))
	default:
		s.write("", fmt.Sprintf(`{"error":{"message":%s,"type":%s,"code":null}}`, js(f.words()), js(f.kind())))
	}
}

// pieces calls each with the parts of text, of at most n bytes unless one
// letter has more, and waits ms before each.
func (s *stream) pieces(text string, n, ms int, each func(piece string)) {
	for text != "" {
		k := min(n, len(text))
		if n <= 0 {
			k = len(text)
		}
		for k < len(text) && !utf8.RuneStart(text[k]) {
			k++
		}
		if !pause(s.r, ms) {
			panic(errOver)
		}
		each(text[:k])
		text = text[k:]
	}
}

func js(s string) string { b, _ := json.Marshal(s); return string(b) }

// messages plays a reply in Anthropic's format.
func (s *stream) messages(p *Reply, q request) {
	u := p.Usage
	s.event("message_start", `{"type":"message_start","message":{"id":"msg_mock_%d","type":"message","role":"assistant","model":%s,"content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":1}}}`,
		q.responses+1, js(q.model), u.In-u.Cached-u.Written, u.Written, u.Cached)
	i := 0
	block := func(start string, fill func(delta func(format string, args ...any))) {
		s.event("content_block_start", `{"type":"content_block_start","index":%d,"content_block":%s}`, i, start)
		fill(func(format string, args ...any) {
			s.event("content_block_delta", `{"type":"content_block_delta","index":%d,"delta":%s}`, i, fmt.Sprintf(format, args...))
		})
		s.event("content_block_stop", `{"type":"content_block_stop","index":%d}`, i)
		i++
	}
	if p.Reasoning != "" {
		block(`{"type":"thinking","thinking":"","signature":""}`, func(delta func(string, ...any)) {
			s.pieces(p.Reasoning, p.Chunk, p.DelayMS, func(t string) { delta(`{"type":"thinking_delta","thinking":%s}`, js(t)) })
			delta(`{"type":"signature_delta","signature":%s}`, js(signature(p, q)))
		})
	}
	if p.Text != "" {
		block(`{"type":"text","text":""}`, func(delta func(string, ...any)) {
			s.pieces(p.Text, p.Chunk, p.DelayMS, func(t string) { delta(`{"type":"text_delta","text":%s}`, js(t)) })
		})
	}
	for _, c := range p.Calls {
		block(fmt.Sprintf(`{"type":"tool_use","id":%s,"name":%s,"input":{}}`, js(c.ID), js(c.Name)), func(delta func(string, ...any)) {
			s.pieces(string(c.Args), p.ArgChunk, 0, func(t string) { delta(`{"type":"input_json_delta","partial_json":%s}`, js(t)) })
		})
	}
	stop := "end_turn"
	if len(p.Calls) > 0 {
		stop = "tool_use"
	}
	s.event("message_delta", `{"type":"message_delta","delta":{"stop_reason":%s,"stop_sequence":null},"usage":{"output_tokens":%d}}`, js(cmp.Or(p.Stop, stop)), u.Out)
	s.event("message_stop", `{"type":"message_stop"}`)
}

// chat plays a reply in the format of Chat Completions.
func (s *stream) chat(p *Reply, q request) {
	head := fmt.Sprintf(`"id":"chatcmpl-mock-%d","object":"chat.completion.chunk","created":1760000000,"model":%s`, q.responses+1, js(q.model))
	delta := func(format string, args ...any) {
		s.event("", `{%s,"choices":[{"index":0,"delta":%s,"finish_reason":null}]}`, head, fmt.Sprintf(format, args...))
	}
	delta(`{"role":"assistant","content":""}`)
	s.pieces(p.Reasoning, p.Chunk, p.DelayMS, func(t string) { delta(`{"reasoning_content":%s}`, js(t)) })
	s.pieces(p.Text, p.Chunk, p.DelayMS, func(t string) { delta(`{"content":%s}`, js(t)) })
	for i, c := range p.Calls {
		delta(`{"tool_calls":[{"index":%d,"id":%s,"type":"function","function":{"name":%s,"arguments":""}}]}`, i, js(c.ID), js(c.Name))
		s.pieces(string(c.Args), p.ArgChunk, 0, func(t string) {
			delta(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, i, js(t))
		})
	}
	stop := "stop"
	if len(p.Calls) > 0 {
		stop = "tool_calls"
	}
	s.event("", `{%s,"choices":[{"index":0,"delta":{},"finish_reason":%s}]}`, head, js(cmp.Or(p.Stop, stop)))
	u := p.Usage
	s.event("", `{%s,"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d},"completion_tokens_details":{"reasoning_tokens":%d}}}`,
		head, u.In, u.Out, u.In+u.Out, u.Cached, u.Reasoning)
	s.event("", "[DONE]")
}
