package mcp

import (
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A session offers its server nothing, and hears that the list of tools has changed.
func TestOpen(t *testing.T) {
	ours, theirs := sdk.NewInMemoryTransports()
	s := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, nil)
	s.AddTool(&sdk.Tool{Name: "a", InputSchema: map[string]any{"type": "object"}}, nil)
	server, err := s.Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	heard := make(chan struct{}, 1)
	session, err := open(t.Context(), ours, func() {
		select {
		case heard <- struct{}{}:
		default:
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	l, err := session.ListTools(t.Context(), nil)
	if err != nil || len(l.Tools) != 1 {
		t.Fatal(l, err)
	}
	//lint:ignore SA1019 servers go on asking
	if _, err := server.ListRoots(t.Context(), nil); err == nil {
		t.Error("the server is told of folders")
	}
	// The session asks to be told in a goroutine of its own: what changes before that was
	// heard is told to nobody.
	for changed := time.NewTicker(10 * time.Millisecond); ; {
		select {
		case <-heard:
			return
		case <-changed.C:
			s.RemoveTools("a")
			s.AddTool(&sdk.Tool{Name: "a", InputSchema: map[string]any{"type": "object"}}, nil)
		}
	}
}
