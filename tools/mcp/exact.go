package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The SDK reads a structured result into Go values, in which a number is a float64: of
// 9007199254740993 the last digit is another one then. So it is given to the SDK as an
// object with one member, exactKey, whose value is the text.
const (
	structuredKey = "structuredContent"
	exactKey      = "vibey/exact"
	exactDepth    = 1000 // how deep it may be nested: what is deeper the SDK refuses, as it came
)

// exact returns a result with its structured content as text, or as it came where it has
// none, or is no result that the SDK takes.
func exact(result []byte) []byte {
	if !bytes.Contains(result, []byte(`"`+structuredKey+`"`)) || deep(result) {
		return result
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(result, &members) != nil || members[structuredKey] == nil {
		return result
	}
	text, err := json.Marshal(map[string]string{exactKey: string(members[structuredKey])})
	if err != nil {
		return result
	}
	members[structuredKey] = text
	if b, err := json.Marshal(members); err == nil {
		return b
	}
	return result
}

// exactMessage is exact for a whole message.
func exactMessage(message []byte) []byte {
	if !bytes.Contains(message, []byte(`"`+structuredKey+`"`)) || deep(message) {
		return message
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(message, &members) != nil || members["result"] == nil {
		return message
	}
	members["result"] = exact(members["result"])
	if b, err := json.Marshal(members); err == nil {
		return b
	}
	return message
}

// deep reports whether JSON is nested deeper than exactDepth.
func deep(text []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > exactDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// structuredOf is the text of a result's structured content, "" for none.
func structuredOf(content any) string {
	if content == nil {
		return ""
	}
	if m, ok := content.(map[string]any); ok && len(m) == 1 {
		if text, ok := m[exactKey].(string); ok {
			return text
		}
	}
	b, err := json.Marshal(content)
	if err != nil {
		return ""
	}
	return string(b)
}

// exactTransport is a transport over pipes whose results are exact.
type exactTransport struct{ sdk.Transport }

func (t exactTransport) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return exactConn{c}, nil
}

type exactConn struct{ sdk.Connection }

func (c exactConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Response); ok && err == nil {
		r.Result = exact(r.Result)
	}
	return m, err
}

// exactBody makes the results in an answer over HTTP exact. In a stream of events each
// message stands in one line; one that has several goes as it came.
func exactBody(resp *http.Response, stream bool) {
	b := &exactReader{from: resp.Body, stream: stream}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{b, resp.Body}
	resp.ContentLength = -1
	resp.Header.Del("Content-Length")
}

// exactReader reads a line, or all where it is no stream, before it gives any of it on.
type exactReader struct {
	from   io.Reader
	stream bool
	chunk  []byte // read, and not yet a whole line
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
			if i := bytes.LastIndexByte(r.chunk[searched:], '\n'); r.stream && i >= 0 {
				whole = searched + i + 1
			}
		}
		if whole > 0 {
			r.give(r.chunk[:whole])
			r.chunk = append(r.chunk[:0], r.chunk[whole:]...)
		}
	}
}

// give makes whole lines ready, or a whole answer.
func (r *exactReader) give(text []byte) {
	if !r.stream {
		r.ready = append(r.ready, exactMessage(text)...)
		return
	}
	for line := range bytes.Lines(text) {
		r.ready = append(r.ready, exactLine(line)...)
	}
}

// exactLine is exact for a line of a stream of events.
func exactLine(line []byte) []byte {
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok {
		return line
	}
	end := data[len(bytes.TrimRight(data, "\r\n")):]
	return append(append([]byte("data: "), exactMessage(bytes.TrimSpace(data))...), end...)
}
