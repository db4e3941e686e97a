package mcp

import (
	"vibey/dialog/jsontext"

	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// The SDK reads a whole result into Go values: of a number 9007199254740993 the last digit
// is another one then, and one piece of a type that it does not know loses all others. So
// the result of a call is given to it as one member, exactKey of structuredContent, whose
// value is the text (read in reply.go). Of a list of tools it is given those that it can
// read, and under leftKey of _meta what is left out. That is done before the SDK reads the
// message, which it refuses whole where a part is nested too deep for it.
const (
	exactKey = "vibey/exact"
	leftKey  = "vibey/left"
	// exactMost is how many bytes a message has then: in a text, each quote has two.
	exactMost = 2*frameMost + 4<<10
)

// exact returns the result of a call or a list so; any other, and what is no object, as it
// came.
func exact(result []byte) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(result, &members) != nil {
		return result
	}
	switch {
	case members == nil:
		return []byte(`"null"`) // which the SDK refuses; null it takes for an object
	case members["content"] != nil || members["structuredContent"] != nil || members["isError"] != nil:
		delete(members, "isError")
		delete(members, "_meta")
		members["content"] = json.RawMessage("[]")
		members["structuredContent"] = encoded(map[string]string{exactKey: string(result)})
	case members["tools"] != nil:
		var tools []json.RawMessage
		if json.Unmarshal(members["tools"], &tools) != nil {
			return result
		}
		tools, left := readable(tools)
		if next := members["nextCursor"]; next != nil && !isText(next) {
			delete(members, "nextCursor")
			left = append(left, "its list goes on at a place that is no text; what follows is left out")
		}
		members["tools"], members["_meta"] = encoded(tools), encoded(map[string][]string{leftKey: left})
	default:
		return result
	}
	return encoded(members)
}

// exactMessage is exact for a whole message. Most of a flood are no results, and are not
// read here.
func exactMessage(message []byte) []byte {
	var members map[string]json.RawMessage
	if !bytes.Contains(message, []byte(`"result"`)) || json.Unmarshal(message, &members) != nil || members["result"] == nil { // a null is there
		return message
	}
	members["result"] = exact(members["result"])
	return encoded(members)
}

// encoded is JSON that can't fail: of texts and of what was JSON before.
func encoded(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // of one byte it makes six
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func isText(raw json.RawMessage) bool {
	var s string
	return json.Unmarshal(raw, &s) == nil // null too
}

// exactOf is the text of a call's result; ok is false where the result is none that exact
// knows.
func exactOf(structured any) (text string, ok bool) {
	if m, is := structured.(map[string]any); is && len(m) == 1 {
		text, ok = m[exactKey].(string)
	}
	return text, ok
}

// leftOf is what exact has left out of a page of tools.
func leftOf(meta map[string]any) (left []string) {
	sentences, _ := meta[leftKey].([]any)
	for _, s := range sentences {
		if text, ok := s.(string); ok {
			left = append(left, text)
		}
	}
	return left
}

// readable returns the tools that the SDK can read, and a sentence for each other one, up
// to as many as are told. What a tool has beside what is told of it is dropped.
func readable(tools []json.RawMessage) (kept []json.RawMessage, left []string) {
	for _, raw := range tools {
		t, wrong := readableTool(raw)
		if wrong == "" {
			kept = append(kept, encoded(t))
		} else if len(left) <= leftMost {
			left = append(left, wrong)
		}
	}
	return append([]json.RawMessage{}, kept...), left
}

func readableTool(raw json.RawMessage) (t map[string]json.RawMessage, wrong string) {
	var told map[string]json.RawMessage
	if json.Unmarshal(raw, &told) != nil {
		return nil, "a tool that is no object is left out"
	}
	if name := told["name"]; name != nil && !isText(name) {
		return nil, fmt.Sprintf("a tool is left out: its name, %q, is no text", clip(string(name), 60))
	}
	if about := told["description"]; about != nil && !isText(about) {
		var name string
		json.Unmarshal(told["name"], &name)
		return nil, fmt.Sprintf("the tool %q is left out: its description is no text", clip(name, 60))
	}
	if jsontext.Deeper(told["inputSchema"], schemaDepth) {
		var name string
		json.Unmarshal(told["name"], &name)
		return nil, fmt.Sprintf("the tool %q is left out: its input schema is nested more than %d levels deep", clip(name, 60), schemaDepth)
	}
	if schema := told["inputSchema"]; schema != nil && json.Unmarshal(schema, new(any)) != nil {
		var name string
		json.Unmarshal(told["name"], &name)
		return nil, fmt.Sprintf("the tool %q is left out: its input schema has a number that can't be read", clip(name, 60))
	}
	t = map[string]json.RawMessage{}
	for _, key := range []string{"name", "description", "inputSchema", "title"} {
		if told[key] != nil && (key != "title" || isText(told[key])) {
			t[key] = told[key]
		}
	}
	var says struct {
		Title        string `json:"title"`
		ReadOnlyHint bool   `json:"readOnlyHint"`
	}
	if json.Unmarshal(told["annotations"], &says) == nil {
		t["annotations"] = encoded(says)
	}
	return t, ""
}

// exactBody makes the results in an answer over HTTP exact.
func exactBody(resp *http.Response, stream bool) {
	b := &exactReader{from: resp.Body, stream: stream}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{b, resp.Body}
	resp.ContentLength = -1
	resp.Header.Del("Content-Length")
}

// exactReader reads an event, or all where it is no stream, before it gives any of it on.
type exactReader struct {
	from   io.Reader
	stream bool
	chunk  []byte // read, and not yet a whole event
	ready  []byte
	err    error
}

func (r *exactReader) Read(p []byte) (int, error) {
	if r.fill(); len(r.ready) == 0 {
		return 0, r.err
	}
	n := copy(p, r.ready)
	r.ready = r.ready[n:]
	return n, nil
}

// fill reads until there is something to give on, or the end.
func (r *exactReader) fill() {
	var b [32 << 10]byte
	for len(r.ready) == 0 && r.err == nil {
		n, err := r.from.Read(b[:])
		searched := len(r.chunk)
		r.chunk, r.err = append(r.chunk, b[:n]...), err
		whole := len(r.chunk)
		if err == nil {
			whole = 0
			if r.stream {
				whole = lastEvent(r.chunk, searched)
			}
		}
		if whole > 0 {
			r.give(r.chunk[:whole])
			r.chunk = append(r.chunk[:0], r.chunk[whole:]...)
		}
	}
}

// lastEvent is where the last whole event of a stream ends, behind a blank line; 0 for none.
// Up to searched there is none.
func lastEvent(chunk []byte, searched int) int {
	from := max(0, searched-2)
	end := 0
	for _, blank := range []string{"\n\n", "\n\r\n"} {
		if i := bytes.LastIndex(chunk[from:], []byte(blank)); i >= 0 {
			end = max(end, from+i+len(blank))
		}
	}
	return end
}

// give makes whole events ready, or a whole answer.
func (r *exactReader) give(text []byte) {
	if !r.stream {
		r.ready = append(r.ready, exactMessage(text)...)
		return
	}
	var data [][]byte // of the event: its message may stand in several lines
	for line := range bytes.Lines(text) {
		if piece, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(data, bytes.TrimSpace(piece))
			continue
		}
		if len(bytes.TrimSpace(line)) == 0 {
			r.tell(data)
			data = nil
		}
		r.ready = append(r.ready, line...)
	}
	r.tell(data)
}

// tell makes the message of an event ready.
func (r *exactReader) tell(data [][]byte) {
	if data == nil {
		return
	}
	for line := range bytes.Lines(exactMessage(bytes.Join(data, []byte("\n")))) {
		r.ready = append(append(append(r.ready, "data: "...), bytes.TrimRight(line, "\n")...), '\n')
	}
}
