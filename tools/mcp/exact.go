package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"vibey/dialog/jsontext"
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
	b, err := jsontext.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
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
	schema, about := told["inputSchema"], told["description"]
	switch {
	case about != nil && !isText(about):
		wrong = "its description is no text"
	case jsontext.Deeper(schema, schemaDepth):
		wrong = fmt.Sprintf("its input schema is nested more than %d levels deep", schemaDepth)
	case schema != nil && json.Unmarshal(schema, new(any)) != nil:
		wrong = "its input schema has a number that can't be read"
	}
	if wrong != "" {
		var name string
		json.Unmarshal(told["name"], &name)
		return nil, fmt.Sprintf("the tool %q is left out: %s", clip(name, 60), wrong)
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
	b := &exactReader{from: bufio.NewReaderSize(resp.Body, 32<<10), stream: stream}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{b, resp.Body}
	resp.ContentLength = -1
	resp.Header.Del("Content-Length")
}

// exactReader reads the data of an event, or all where it is no stream, before it gives any
// of it on.
type exactReader struct {
	from   *bufio.Reader
	stream bool
	data   [][]byte // of the event: its message may stand in several lines
	ready  []byte
	err    error
}

func (r *exactReader) Read(p []byte) (int, error) {
	for len(r.ready) == 0 && r.err == nil {
		if r.stream {
			r.line()
		} else {
			var all []byte
			all, r.err = io.ReadAll(r.from)
			r.ready, r.err = exactMessage(all), cmp.Or(r.err, io.EOF)
		}
	}
	if len(r.ready) == 0 {
		return 0, r.err
	}
	n := copy(p, r.ready)
	r.ready = r.ready[n:]
	return n, nil
}

// line reads a line of a stream. Behind the last one of an event its message is ready.
func (r *exactReader) line() {
	var line []byte
	line, r.err = r.from.ReadBytes('\n')
	piece, isData := bytes.CutPrefix(line, []byte("data:"))
	if isData {
		r.data, line = append(r.data, bytes.TrimSpace(piece)), nil
	}
	if over := !isData && len(bytes.TrimSpace(line)) == 0; r.data != nil && (over || r.err != nil) {
		for part := range bytes.Lines(exactMessage(bytes.Join(r.data, []byte("\n")))) {
			r.ready = append(append(append(r.ready, "data: "...), bytes.TrimRight(part, "\n")...), '\n')
		}
		r.data = nil
	}
	r.ready = append(r.ready, line...)
}
