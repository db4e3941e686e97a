package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"vibey/dialog/jsontext"
	"vibey/tools/caught"
)

// Bounds of a connection. The other side decides how much it sends, and how much of
// what it is sent it reads.
const (
	maxLine    = 16 << 20 // bytes of one message
	maxQueued  = 64 << 20 // bytes that wait to be read by the other side
	maxAsked   = 1000     // requests of the other side that wait for an answer
	maxStrays  = 1000     // lines that are no message
	cancelCall = "$/cancel_request"
)

// Why a connection ended.
var (
	ErrClosed  = errors.New("the connection is closed")
	ErrLine    = errors.New("a message is longer than 16 MiB")
	ErrStrays  = errors.New("too many lines are no JSON-RPC message")
	ErrNotRead = errors.New("the other side does not read what it is sent")
)

// Config says what is done with what the other side sends.
type Config struct {
	// Handle is called for each incoming request and notification, one at a time, in
	// the order in which they came; nothing is read meanwhile. It must not wait for
	// an answer of the other side: an answer is read by the same goroutine. It may
	// leave a request to be answered later, from any goroutine.
	Handle func(*Request)
	// Stray is told of each line that is no message, or that answers nothing; it must
	// not keep line. Nil ignores them.
	Stray func(line []byte, why string)
	// Linger is how long the end of the input waits for the answers to what was asked
	// before it, as by a program that writes its questions into a pipe and closes it.
	Linger time.Duration
	Log    *slog.Logger // nil discards
}

// Conn is one side of a JSON-RPC 2.0 connection whose messages are lines. Both sides
// may send requests and notifications. Its methods may be called from several
// goroutines.
type Conn struct {
	c  Config
	rw io.ReadWriteCloser

	mu     sync.Mutex
	last   int64               // the id given last
	calls  map[string]*call    // ours that wait for an answer, by id as it is written
	asked  map[string]*Request // theirs that wait for an answer
	strays int
	out    []outgoing
	queued int   // bytes of them, and of those being written
	err    error // why it ended, nil while it lives

	wake chan struct{} // has room for one: out has lines, or the connection ended
	done chan struct{} // closed when it ended
}

// outgoing is a line to be written, or a mark that is closed when all before it is.
type outgoing struct {
	line    []byte
	written chan struct{}
}

// call is a request of ours.
type call struct{ done func(json.RawMessage, error) }

// NewConn returns a connection. Nothing is read or written before Serve.
func NewConn(rw io.ReadWriteCloser, c Config) *Conn {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Stray == nil {
		c.Stray = func([]byte, string) {}
	}
	return &Conn{
		c: c, rw: rw, calls: map[string]*call{}, asked: map[string]*Request{},
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
}

// Serve reads messages until the connection ends, and returns why: io.EOF where the
// other side ended it between two messages, ErrClosed after Close. When it returns,
// the calls that waited for an answer have failed with that error.
func (c *Conn) Serve() error {
	defer c.fail()
	defer c.end(ErrClosed) // also where Handle panics
	caught.Go(c.c.Log, "writing to an agent connection", c.write)
	in := newLines(c.rw)
	for {
		line, err := in.next()
		if err == io.EOF {
			c.linger()
		}
		if err == nil {
			err = c.take(line)
		}
		if err != nil {
			c.end(err)
			return c.Err()
		}
	}
}

// linger returns when all that was asked is answered and written, or after Config.Linger.
func (c *Conn) linger() {
	ctx, cancel := context.WithTimeout(context.Background(), c.c.Linger)
	defer cancel()
	c.mu.Lock()
	asked := slices.Collect(maps.Values(c.asked))
	c.mu.Unlock()
	for _, r := range asked {
		select {
		case <-r.answered:
		case <-c.done:
		case <-ctx.Done():
		}
	}
	c.Flush(ctx)
}

// Err returns why the connection ended, nil while it lives.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close ends the connection. What was not written yet is dropped.
func (c *Conn) Close() error {
	c.end(ErrClosed)
	return nil
}

// end ends the connection, once: the first reason counts.
func (c *Conn) end(why error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = why
	asked := c.asked
	c.asked, c.out = nil, nil
	close(c.done)
	c.mu.Unlock()
	c.rw.Close()
	c.signal()
	for _, r := range asked {
		r.cancel(why)
	}
}

// fail answers the calls that still wait, when nothing is read any more.
func (c *Conn) fail() {
	c.mu.Lock()
	calls := c.calls
	c.calls = nil
	c.mu.Unlock()
	for _, call := range calls {
		call.done(nil, c.Err())
	}
}

// take handles one line. Its error ends the connection.
func (c *Conn) take(line []byte) error {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	if !utf8.Valid(line) {
		line = bytes.ToValidUTF8(line, []byte("\uFFFD")) // what is kept as received must be text
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		return c.stray(line, "it is no JSON-RPC message: "+err.Error())
	}
	switch {
	case m.Method == cancelCall && m.ID == nil:
		c.cancelAsked(m.Params)
		return nil
	case m.Method != "":
		return c.ask(m)
	case m.ID != nil:
		return c.answered(line, m)
	}
	return c.stray(line, "it has neither a method nor an id")
}

func (c *Conn) stray(line []byte, why string) error {
	if c.strays++; c.strays > maxStrays { // of Serve's goroutine alone
		return ErrStrays
	}
	c.c.Stray(line, why)
	return nil
}

// ask hands a request or notification of the other side to the handler.
func (c *Conn) ask(m message) error {
	r := &Request{Method: m.Method, Params: m.Params, id: m.ID, c: c, answered: make(chan struct{})}
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	if m.ID != nil {
		c.mu.Lock()
		full := len(c.asked) >= maxAsked
		twice := c.asked[string(m.ID)] != nil
		if c.asked != nil && !full && !twice {
			c.asked[string(m.ID)] = r
		}
		c.mu.Unlock()
		switch {
		case full:
			return c.send(response{JSONRPC: version2, ID: m.ID, Error: Errorf(CodeInternal, "%d requests wait for an answer already", maxAsked)})
		case twice:
			return c.send(response{JSONRPC: version2, ID: m.ID, Error: Errorf(CodeInvalidRequest, "a request with this id waits for an answer already")})
		}
	}
	c.c.Handle(r)
	return nil
}

// cancelAsked ends the context of a request that the other side gives up. It is
// answered all the same.
func (c *Conn) cancelAsked(params json.RawMessage) {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	c.mu.Lock()
	r := c.asked[string(p.RequestID)]
	c.mu.Unlock()
	if r != nil {
		r.cancel(context.Canceled)
	}
}

// answered completes a call of ours.
func (c *Conn) answered(line []byte, m message) error {
	c.mu.Lock()
	call := c.calls[string(m.ID)]
	delete(c.calls, string(m.ID))
	c.mu.Unlock()
	switch {
	case call == nil:
		return c.stray(line, "it answers no request that waits")
	case m.Error != nil:
		call.done(nil, m.Error)
	default:
		call.done(m.Result, nil)
	}
	return nil
}

// Begin sends a request. done is called once by Serve, with the answer: a result, an
// *Error of the other side, or why the connection ended. It is called in the order of
// arrival between the messages that Handle gets, and under the same conditions. The id
// is for Cancel. Where Begin returns an error, done is not called.
func (c *Conn) Begin(method string, params any, done func(result json.RawMessage, err error)) (id string, err error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return "", c.err
	}
	c.last++
	id = strconv.FormatInt(c.last, 10)
	c.calls[id] = &call{done}
	c.mu.Unlock()
	err = c.send(request{JSONRPC: version2, ID: json.RawMessage(id), Method: method, Params: params})
	if err != nil {
		c.mu.Lock()
		waits := c.calls[id] != nil
		delete(c.calls, id)
		c.mu.Unlock()
		if !waits {
			return id, nil // Serve has ended meanwhile: done has the error, or gets it
		}
	}
	return id, err
}

// Cancel gives up a request: its answer is dropped, and the other side is told.
func (c *Conn) Cancel(id string) {
	c.mu.Lock()
	call := c.calls[id]
	if call != nil {
		call.done = func(json.RawMessage, error) {}
	}
	c.mu.Unlock()
	if call != nil {
		c.Notify(cancelCall, map[string]json.RawMessage{"requestId": json.RawMessage(id)})
	}
}

// Call sends a request and waits for its answer, which it decodes into result unless
// that is nil. It must not be called within Handle. Errors: an *Error of the other
// side, the context's cause, or why the connection ended.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	type answer struct {
		result json.RawMessage
		err    error
	}
	got := make(chan answer, 1)
	id, err := c.Begin(method, params, func(result json.RawMessage, err error) { got <- answer{result, err} })
	if err != nil {
		return err
	}
	var a answer
	select {
	case a = <-got:
	case <-ctx.Done():
		c.Cancel(id)
		return context.Cause(ctx)
	case <-c.done:
		select {
		case a = <-got: // it came before the end
		default:
			return c.Err()
		}
	}
	if a.err != nil || result == nil {
		return a.err
	}
	return decode(method, a.result, result)
}

// decode reads an answer. One of null, which some send for an empty object, leaves
// result as it is.
func decode(method string, raw json.RawMessage, result any) error {
	if len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return fmt.Errorf("the answer to %s can't be read: %w", method, err)
	}
	return nil
}

// Notify sends a notification.
func (c *Conn) Notify(method string, params any) error {
	return c.send(request{JSONRPC: version2, Method: method, Params: params})
}

// send queues a message. It does not wait for the other side to read it.
func (c *Conn) send(m any) error {
	line, err := jsontext.Marshal(m)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return c.err
	}
	full := c.queued > maxQueued
	if !full {
		c.out = append(c.out, outgoing{line: line})
		c.queued += len(line)
	}
	c.mu.Unlock()
	if full {
		c.end(ErrNotRead)
		return ErrNotRead
	}
	c.signal()
	return nil
}

// Room returns when at most most bytes wait to be written, or ctx or the connection ends.
func (c *Conn) Room(ctx context.Context, most int) {
	c.mu.Lock()
	full := c.queued > most
	c.mu.Unlock()
	if full {
		c.Flush(ctx)
	}
}

// Flush waits until what was sent is written, or ctx or the connection ends.
func (c *Conn) Flush(ctx context.Context) {
	written := make(chan struct{})
	c.mu.Lock()
	if c.err == nil {
		c.out = append(c.out, outgoing{written: written})
	}
	c.mu.Unlock()
	c.signal()
	select {
	case <-written:
	case <-c.done:
	case <-ctx.Done():
	}
}

// signal wakes the writer.
func (c *Conn) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// write writes what is queued until the connection ends.
func (c *Conn) write() {
	defer c.end(ErrClosed)
	for range c.wake {
		c.mu.Lock()
		out, ended := c.out, c.err != nil
		c.out = nil
		c.mu.Unlock()
		if ended {
			return
		}
		for _, o := range out {
			if o.written != nil {
				close(o.written)
				continue
			}
			if _, err := c.rw.Write(o.line); err != nil {
				c.end(fmt.Errorf("write to the other side: %w", err))
				return
			}
			c.mu.Lock()
			c.queued -= len(o.line)
			c.mu.Unlock()
		}
	}
}
