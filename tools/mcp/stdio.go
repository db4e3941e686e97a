package mcp

import (
	"bytes"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// pipes are those of a server's process, as the session uses them.
type pipes struct {
	process Process
	flood   *flood
	told    chan struct{} // gets a value when a notification that a call is canceled is written
	strays  strays
}

func newPipes(p Process, f *flood) *pipes {
	return &pipes{process: p, flood: f, told: make(chan struct{}, 1)}
}

// transport is what the session reads and writes.
func (p *pipes) transport() sdk.Transport {
	return exactTransport{&sdk.IOTransport{Reader: readEnd{p}, Writer: writeEnd{p}, MaxLineLength: frameMost}}
}

type readEnd struct{ *pipes }

func (r readEnd) Read(b []byte) (int, error) {
	for {
		n, err := r.process.Read(b)
		if over := r.flood.add(n); over != nil {
			return 0, over
		}
		if n = r.strays.leave(b[:n]); n > 0 || err != nil || len(b) == 0 {
			return n, err
		}
	}
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
