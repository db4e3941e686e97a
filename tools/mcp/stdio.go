package mcp

import (
	"bytes"
	"errors"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// pipes are those of a server's process, as the session uses them.
type pipes struct {
	process Process
	since   atomic.Int64  // bytes that came since the last call
	flooded atomic.Bool   // they were too many
	told    chan struct{} // gets a value when a notification that a call is canceled is written
}

func newPipes(p Process) *pipes { return &pipes{process: p, told: make(chan struct{}, 1)} }

// transport is what the session reads and writes.
func (p *pipes) transport() sdk.Transport {
	return &sdk.IOTransport{Reader: readEnd{p}, Writer: writeEnd{p}, MaxLineLength: frameMost}
}

// errFlood ends a connection on which more came than any call asks for.
var errFlood = errors.New("it wrote too much")

type readEnd struct{ *pipes }

func (r readEnd) Read(b []byte) (int, error) {
	n, err := r.process.Read(b)
	if r.since.Add(int64(n)) > floodMost {
		r.flooded.Store(true)
		return 0, errFlood
	}
	return n, err
}

func (r readEnd) Close() error { return r.process.Close() }

type writeEnd struct{ *pipes }

func (w writeEnd) Write(b []byte) (int, error) {
	n, err := w.process.Write(b)
	if bytes.Contains(b, []byte(`"notifications/cancelled"`)) {
		select {
		case w.told <- struct{}{}:
		default:
		}
	}
	return n, err
}

func (w writeEnd) Close() error { return w.process.CloseWrite() }
