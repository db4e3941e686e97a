package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vibey/tools/caught"
)

// conn is one connection to a server.
type conn struct {
	server *Server
	limits Limits
	log    *slog.Logger

	stop    context.CancelFunc // ends the connecting
	ready   chan struct{}      // closed once the connection stands, or err says why it does not
	err     *Fault
	session *sdk.ClientSession
	pipes   *pipes // nil over HTTP
	flood   flood
	ended   chan struct{} // closed once the session is over

	mu    sync.Mutex
	list  Listing
	stale bool // the server said that its list is another one
	calls int  // under way
	over  bool // nothing more is called on it
	idle  *time.Timer
}

// run connects, and returns once the session is over.
func (c *conn) run(ctx context.Context, over func() (sdk.Transport, *pipes, error)) {
	defer close(c.ended)
	c.dial(ctx, over)
	if c.session != nil {
		c.session.Wait()
		c.settle()
		c.kill()
	}
}

// dial begins the session, and lists the tools.
func (c *conn) dial(ctx context.Context, over func() (sdk.Transport, *pipes, error)) {
	defer close(c.ready)
	ctx, cancel := context.WithTimeout(ctx, c.limits.Start)
	defer cancel()
	t, p, err := over()
	if err != nil {
		c.err = fault("it was not started: %v", err)
	} else {
		c.pipes = p
		if c.session, err = c.opened(ctx, t); err == nil {
			c.list, err = listTools(ctx, c.server.Name, c.session)
		}
		if err != nil {
			c.err = c.why(ctx, err)
		}
	}
	if c.err != nil {
		c.mu.Lock()
		c.over = true
		c.mu.Unlock()
		c.shut()
	}
}

// open begins a session over a transport. It offers a server nothing: no folders, no
// model, no question to the human. changed is called when the server says that its list
// of tools has changed.
func open(ctx context.Context, over sdk.Transport, changed func()) (*sdk.ClientSession, error) {
	client := sdk.NewClient(&sdk.Implementation{Name: "vibey", Version: "1"}, &sdk.ClientOptions{
		Capabilities:           &sdk.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { changed() },
		MultiRoundTrip:         &sdk.MultiRoundTripOptions{Disabled: true},
	})
	return client.Connect(ctx, over, nil)
}

// opened is open, which may wait for a server that reads nothing longer than ctx.
func (c *conn) opened(ctx context.Context, t sdk.Transport) (*sdk.ClientSession, error) {
	got := begin(c.log, "connecting to an MCP server", func() (*sdk.ClientSession, error) { return open(ctx, t, c.changed) })
	select {
	case r := <-got:
		return r.value, r.err
	case <-ctx.Done():
	}
	c.kill()
	r := <-got
	if r.value != nil {
		r.value.Close()
	}
	return nil, ctx.Err()
}

// result is what a func of begin has returned.
type result[T any] struct {
	value T
	err   error
}

// begin runs f in a goroutine, for it may wait longer than its context for a server that
// reads nothing. A panic of f is its error.
func begin[T any](log *slog.Logger, what string, f func() (T, error)) <-chan result[T] {
	got := make(chan result[T], 1)
	caught.Go(log, what, func() {
		var r result[T]
		r.err = caught.Do(func() (err error) { r.value, err = f(); return err })
		got <- r
	})
	return got
}

func (c *conn) changed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stale = true
}

// why is the fault that err is, with what the process said last.
func (c *conn) why(ctx context.Context, err error) *Fault {
	var text string
	switch much := c.flood.told(); {
	case much != "":
		text = much
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		text = "it did not answer in time"
	case err == nil, errors.Is(err, io.EOF), errors.Is(err, sdk.ErrConnectionClosed):
		text = "it ended"
		c.settle()
	default:
		text = clip(words(err), wordsRead)
	}
	f := &Fault{Err: text}
	if c.pipes != nil {
		f.Said = clip(strings.TrimSpace(c.pipes.process.Last()), wordsRead)
		if said := c.pipes.strays.said(); said != "" {
			f.Said = strings.TrimSpace(f.Said + "\nwhat it wrote first that is no message: " + said)
		}
	}
	return f
}

// aboutMethod is what the SDK writes before an error of a request.
var aboutMethod = regexp.MustCompile(`^calling "([^"]+)": (?:sending "[^"]+": )?`)

// words says in words of the protocol what went wrong with a request. The SDK's own name
// types of Go, which mean nothing to who reads of a server's fault.
func words(err error) string {
	text, what := err.Error(), "a request"
	if m := aboutMethod.FindStringSubmatch(text); m != nil {
		text, what = text[len(m[0]):], m[1]
	}
	has := func(s string) bool { return strings.Contains(text, s) }
	switch refused, _ := errors.AsType[*jsonrpc.Error](err); {
	case refused != nil && refused.Message != "":
		return "it refused " + what + ": " + refused.Message
	case has("nesting depth"), has("max depth"):
		return "its answer to " + what + " is nested too deep"
	case has("unmarshal"), has("Go value"), has("Go struct"), has("invalid character"), has("unexpected end of JSON"):
		return "its answer to " + what + " is none that the protocol has"
	}
	return what + " failed: " + text
}

// settle waits a moment for the process to end by itself, where its input or output is
// closed: how it did says more than that it did.
func (c *conn) settle() {
	if c.pipes == nil {
		return
	}
	select {
	case <-c.pipes.process.Ended():
	case <-time.After(endGrace):
	}
}

// current returns the tools as the server lists them now. An error is the end of ctx,
// which is no failure of the server, or a *Fault.
func (c *conn) current(parent context.Context) (Listing, error) {
	c.mu.Lock()
	l, stale := c.list, c.stale
	c.stale = false
	c.mu.Unlock()
	if !stale {
		return l, nil
	}
	ctx, cancel := context.WithTimeout(parent, c.limits.List)
	defer cancel()
	c.flood.begin()
	l, err := listTools(ctx, c.server.Name, c.session)
	if err != nil {
		c.changed()
		if parent.Err() != nil {
			return Listing{}, parent.Err()
		}
		return Listing{}, c.why(ctx, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = l
	return l, nil
}

// call calls a tool. With an error that is a *Fault the connection is over.
func (c *conn) call(parent context.Context, tool, args string) (*sdk.CallToolResult, error) {
	ctx, cancel := context.WithTimeout(parent, c.limits.Call)
	defer cancel()
	c.flood.begin()
	got := begin(c.log, "a call of an MCP server", func() (*sdk.CallToolResult, error) {
		return c.session.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	})
	var a result[*sdk.CallToolResult]
	select {
	case a = <-got:
	case <-ctx.Done():
		a.err = ctx.Err()
	}
	switch {
	case a.err == nil && a.value.InputRequests != nil:
		return nil, &Refused{"it asks for input, which no agent gives"}
	case a.err == nil:
		return a.value, nil
	case parent.Err() != nil:
		c.abandon()
		return nil, parent.Err()
	case ctx.Err() != nil:
		f := fault("it did not answer within %v", c.limits.Call)
		c.abandon()
		return nil, f
	}
	if refused, ok := errors.AsType[*jsonrpc.Error](a.err); ok && c.flood.told() == "" && !errors.Is(a.err, sdk.ErrConnectionClosed) && refused.Code != rejected && refused.Code != unknown {
		return nil, &Refused{clip(refused.Message, wordsRead)}
	}
	f := c.why(ctx, a.err)
	c.end()
	return nil, f
}

// The codes of errors that are the transport's, and none of the server's answers.
const (
	rejected = -32005
	unknown  = -32001
)

// abandon ends a connection on which a call was canceled, once the server was told.
func (c *conn) abandon() {
	if c.pipes == nil {
		return // nothing of it runs here
	}
	select {
	case <-c.pipes.told:
	case <-time.After(cancelGrace):
	}
	c.end()
}

// begin counts a call in; false where nothing more is called on this connection.
func (c *conn) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return false
	}
	c.calls++
	c.idle.Stop()
	return true
}

// finish counts it out. The last one ends a connection that is over, and waits for that.
func (c *conn) finish() {
	c.mu.Lock()
	c.calls--
	last := c.over && c.calls == 0
	if !c.over && c.calls == 0 {
		c.idle.Reset(c.limits.Idle)
	}
	c.mu.Unlock()
	if last {
		c.close()
	}
}

// end lets nothing more begin on the connection. It is closed with the last call on it.
func (c *conn) end() {
	c.mu.Lock()
	c.over = true
	none := c.calls == 0
	c.mu.Unlock()
	if none {
		c.close()
	}
}

// close ends the connection, whatever is under way on it, and waits until no process of
// it runs.
func (c *conn) close() {
	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
	c.idle.Stop()
	c.stop()
	<-c.ready
	c.shut()
}

// shut ends the server's input, and soon after its process.
func (c *conn) shut() {
	if c.pipes != nil {
		c.pipes.process.CloseWrite()
		c.settle()
		c.kill()
	}
	if c.session != nil && c.pipes != nil {
		c.session.Close()
	} else if c.session != nil { // it says goodbye to the server, which may not listen
		caught.Go(c.log, "leaving an MCP server", func() { c.session.Close() })
	}
}

// kill ends the process.
func (c *conn) kill() {
	if c.pipes != nil {
		c.pipes.process.Stop()
		c.pipes.process.Close()
	}
}

// alive reports whether more can be called on the connection.
func (c *conn) alive() bool {
	c.mu.Lock()
	over := c.over
	c.mu.Unlock()
	select {
	case <-c.ended:
		return false
	default:
		return !over
	}
}
