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
	return &sdk.IOTransport{Reader: &readEnd{pipes: p}, Writer: writeEnd{p}, MaxLineLength: exactMost}
}

// readEnd is read by one goroutine.
type readEnd struct {
	*pipes
	ready []byte // messages that are not read yet
	err   error  // of the process's output, behind them
}

func (r *readEnd) Read(b []byte) (int, error) {
	var some [32 << 10]byte
	for len(r.ready) == 0 && r.err == nil {
		n, err := r.process.Read(some[:])
		if over := r.flood.add(n); over != nil {
			return 0, over
		}
		ready, long := r.strays.take(some[:n])
		switch r.ready, r.err = ready, err; {
		case long:
			r.err = r.flood.over("a message of it has more than %d MiB", frameMost>>20)
		case err != nil:
			r.ready = append(r.ready, r.strays.rest()...)
		}
	}
	if len(r.ready) == 0 {
		return 0, r.err
	}
	n := copy(b, r.ready)
	r.ready = r.ready[n:]
	return n, nil
}

func (r *readEnd) Close() error { return r.process.Close() }

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
