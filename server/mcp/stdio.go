package mcp

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// lineMax is the size limit of a message on stdio, in bytes.
const lineMax = 16 << 20

// lastAnswers is how long the end of the input waits for what was asked before it, as
// by a program that writes its questions into a pipe and closes it.
const lastAnswers = time.Second

// Serve answers one client until in ends or ctx does. The error is nil then.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	answers := &locked{out: out}
	err := s.sdk.Run(ctx, stdio{sdk.IOTransport{Reader: io.NopCloser(newLines(in, answers)), Writer: writer{answers}, MaxLineLength: lineMax}})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// writer leaves stdout open, as io.NopCloser leaves stdin, whose closing would wait for a
// read of it.
type writer struct{ io.Writer }

func (writer) Close() error { return nil }

// stdio is the SDK's transport, whose end waits for the last answers.
type stdio struct{ over sdk.IOTransport }

// Connect implements sdk.Transport.
func (t stdio) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := t.over.Connect(ctx)
	return &counted{Connection: c, changed: make(chan struct{}, 1), closed: make(chan struct{})}, err
}

// counted is a connection that knows how many requests wait for an answer.
type counted struct {
	sdk.Connection
	changed chan struct{} // has a token when an answer was written

	open   atomic.Int64
	closed chan struct{}
	once   sync.Once
}

// Read implements sdk.Connection.
func (c *counted) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Request); ok && err == nil && r.ID.IsValid() {
		c.open.Add(1)
	}
	if errors.Is(err, io.EOF) {
		c.linger(ctx)
	}
	return m, err
}

// Write implements sdk.Connection.
func (c *counted) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if _, ok := m.(*jsonrpc.Response); ok {
		c.open.Add(-1)
		select {
		case c.changed <- struct{}{}:
		default:
		}
	}
	return err
}

// Close implements sdk.Connection.
func (c *counted) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Connection.Close()
}

// linger returns when nothing waits for an answer, or after lastAnswers.
func (c *counted) linger(ctx context.Context) {
	late := time.NewTimer(lastAnswers)
	defer late.Stop()
	for c.open.Load() > 0 {
		select {
		case <-c.changed:
		case <-late.C:
			return
		case <-c.closed:
			return
		case <-ctx.Done():
			return
		}
	}
}
