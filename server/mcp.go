package server

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"vibey/dialog"
)

// rpcRequest is the body of POST /mcp: a message of JSON-RPC 2.0 as MCP has it.
type rpcRequest struct {
	JSONRPC string          `json:"jsonrpc"` // "2.0"
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params,omitempty"`
}

// rpcAnswer is the answer of POST /mcp.
type rpcAnswer struct {
	JSONRPC string          `json:"jsonrpc"` // "2.0"
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// mcpSlowest is how long a message of another program may take to be answered: waiting
// for a dialog takes ten minutes at most.
const mcpSlowest = 11 * time.Minute

// postMCP hands one message to the MCP server. It is read whole before, so that the size
// and type of a body are refused as everywhere.
func (s *server) postMCP(w http.ResponseWriter, r *http.Request) error {
	if s.MCP == nil {
		return noRoute(s, w, r)
	}
	if err := wantType(r, "application/json"); err != nil {
		return err
	}
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	switch text := bytes.TrimSpace(body); {
	case !utf8.Valid(text):
		return notUTF8
	case !json.Valid(text):
		return refuse(400, "bad-body", "The body is no JSON. Nothing was done. Send one message of JSON-RPC 2.0.")
	case text[0] != '{':
		return refuse(400, "bad-body", "The body is no JSON object. Nothing was done. Send one message of JSON-RPC 2.0; several in one body are not taken.")
	}
	unlimited(w)
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(mcpSlowest))
	r.Body = io.NopCloser(bytes.NewReader(body))
	a := &refusals{ResponseWriter: w}
	s.MCP.ServeHTTP(a, r)
	return a.inWords(body)
}

// refusals keeps an answer back that refuses a message in bare text.
type refusals struct {
	http.ResponseWriter
	status int // 0 while nothing is kept back
	text   bytes.Buffer
}

// Unwrap is for http.ResponseController.
func (a *refusals) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (a *refusals) WriteHeader(status int) {
	if kind, _, _ := mime.ParseMediaType(a.Header().Get("Content-Type")); status >= 400 && kind != "application/json" {
		a.status = status
		return
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (a *refusals) Write(b []byte) (int, error) {
	if a.status != 0 {
		return a.text.Write(b)
	}
	return a.ResponseWriter.Write(b)
}

// unknownMethod is how the library says that it has no such method.
const unknownMethod = "JSON RPC not handled"

// inWords sends what was kept back: a method that is not there as JSON-RPC answers it,
// anything else as a problem.
func (a *refusals) inWords(body []byte) error {
	if a.status == 0 {
		return nil
	}
	a.Header().Del("Content-Length")
	var asked rpcRequest
	said := strings.TrimSpace(a.text.String())
	if json.Unmarshal(body, &asked) == nil && len(asked.ID) > 0 && strings.Contains(said, unknownMethod) {
		return writeJSON(a.ResponseWriter, rpcAnswer{JSONRPC: "2.0", ID: asked.ID, Error: json.RawMessage(`{"code":-32601,"message":"there is no such method here"}`)})
	}
	return refuse(a.status, "bad-body", "This is no message that the MCP server takes: "+dialog.Cut(said, 300)+". Nothing was done. Send one message of JSON-RPC 2.0 as MCP has it, and accept application/json and text/event-stream.")
}
