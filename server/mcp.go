package server

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"time"
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
	unlimited(w)
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(mcpSlowest))
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.MCP.ServeHTTP(w, r)
	return nil
}
