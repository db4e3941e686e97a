package mcp

import (
	"testing"

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
	session, err := open(t.Context(), ours, func() { heard <- struct{}{} })
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
	s.RemoveTools("a")
	<-heard
}
