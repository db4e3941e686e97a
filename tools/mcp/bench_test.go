package mcp

import (
	"encoding/json"
	"io"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A call by the SDK alone, and by a Manager: what bounds and cancellation take.
func BenchmarkCall(b *testing.B) {
	pl, m := newPlace(b, Limits{}, "honest")
	args := json.RawMessage(`{"text":"hello"}`)
	b.Run("sdk", func(b *testing.B) {
		p, err := pl.start("honest", "", nil)
		if err != nil {
			b.Fatal(err)
		}
		defer p.Stop()
		session, err := open(b.Context(), &sdk.IOTransport{Reader: p.(*process).out.(io.ReadCloser), Writer: p.(*process).WriteCloser}, func() {})
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := session.CallTool(b.Context(), &sdk.CallToolParams{Name: "echo", Arguments: args}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("manager", func(b *testing.B) {
		for b.Loop() {
			if _, err := m.Call(b.Context(), pl.at(false), "honest", "echo", string(args)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
