package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"vibey/provider/providertest"
)

// A line that is no message is answered by an error, and what comes behind it counts.
func TestBadLines(t *testing.T) {
	s := newShop(t, providertest.Script{})
	bad := []string{
		"garbage", "null", "5", "[]", `{"id":1,"method":"ping"}`, `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe", strings.Repeat("[", 100_000), `[{"jsonrpc":"2.0","id":7,"method":"ping"}]`, `{"jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `{"jsonrpc":"2.0","id":1e300,"method":"ping"}`, strings.Repeat(" ", lineMax+1), `{"jsonrpc":"2.0","id":1,"method":5}`,
	}
	var in, out bytes.Buffer
	in.WriteString(`{"jsonrpc":"2.0","id":"begin","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n")
	in.WriteString(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n\n")
	for _, line := range bad {
		in.WriteString(line + "\n")
	}
	in.WriteString(`{"jsonrpc":"2.0","id":"last","method":"ping"}`) // without an end of its line
	if err := s.Serve(context.Background(), &in, &out); err != nil {
		t.Fatal(err)
	}
	errors, answers := 0, map[string]bool{}
	for d := json.NewDecoder(&out); ; {
		var m struct {
			ID    any
			Error *struct {
				Code    int
				Message string
			}
			Result json.RawMessage
		}
		if err := d.Decode(&m); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if m.Error != nil && m.ID == nil && (m.Error.Code == -32700 || m.Error.Code == -32600) && strings.Contains(m.Error.Message, "passed over") {
			errors++
		} else if id, ok := m.ID.(string); ok && m.Error == nil && m.Result != nil {
			answers[id] = true
		} else {
			t.Errorf("%+v", m)
		}
	}
	if errors != len(bad) || !answers["begin"] || !answers["last"] {
		t.Errorf("%d errors of %d, answers %v", errors, len(bad), answers)
	}
}
