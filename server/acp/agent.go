// Package acp is Vibey as an agent of the Agent Client Protocol, version 1: an editor
// drives it over stdin and stdout. A session is a dialog of a project, its id the
// dialog's; it can be gone on with in the browser and back. Permissions are asked in the
// editor. An answer to our own question is its human's, and becomes an Authorization by
// the same request that the window makes; nothing else that an editor sends grants.
//
//	a := acp.New(acp.Config{Store: store, Turns: runner, …})
//	err := a.Serve(ctx, os.Stdin, os.Stdout) // vibey acp
//
// The connection and the messages are provider/acp's. A session is in its
// dialog's file; memory holds only what was sent to this editor, and the mode that was
// chosen since the last message.
package acp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"vibey/provider"
	protocol "vibey/provider/acp"
	"vibey/server/project"
	"vibey/server/turn"
	"vibey/tools/caught"
)

// Config is what New needs: all but Model and Project.
type Config struct {
	Store *project.Store
	Turns *turn.Runner
	// Providers lists those that can be asked; Provider returns one of them.
	Providers func() []string
	Provider  func(name string) (provider.Provider, bool)
	// First returns the provider of a new session, "" for none. Model is the session's
	// model, "" for the provider's first one.
	First func() string
	Model string
	// Project is where all sessions are; "" finds it by the folder that the editor has open.
	Project string
	// Drawn returns a text with its hidden characters drawn, for one who decides on it.
	Drawn   func(text string) string
	Version string
	Log     *slog.Logger
}

// Agent serves one editor.
type Agent struct {
	Config
	conn *protocol.Conn
	ctx  context.Context // ends with the connection

	making sync.Mutex // one project at a time is found or made

	met atomic.Bool // initialize was answered

	mu       sync.Mutex
	sessions map[string]*session
}

// New returns an agent for one connection.
func New(c Config) *Agent {
	return &Agent{Config: c, sessions: map[string]*session{}}
}

// Serve answers the editor until in ends or ctx does; the error is nil then. Turns that
// run are left to the caller, who ends them by turn.Runner.Shutdown.
func (a *Agent) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a.ctx = ctx
	a.conn = protocol.NewConn(stdio{in, out}, protocol.Config{
		Handle: a.handle,
		Stray:  func(_ []byte, why string) { a.Log.Warn("a line of the editor was passed over", "why", why) },
		Linger: 300 * time.Millisecond,
		Log:    a.Log,
	})
	ended := make(chan error, 1)
	caught.Go(a.Log, "serving an editor", func() {
		err := errors.New("the connection was ended by a fault that stands in the log")
		defer func() { ended <- err }()
		err = a.conn.Serve()
	})
	select {
	case err := <-ended:
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	case <-ctx.Done():
		return nil
	}
}

// stdio is stdin and stdout as one stream. Its Close leaves both open, since closing
// stdin would wait for a read of it.
type stdio struct {
	io.Reader
	io.Writer
}

// Close implements io.Closer.
func (stdio) Close() error { return nil }

// handle answers one message. What takes time goes on in a goroutine of its own; what
// decides the order of messages is done here.
func (a *Agent) handle(r *protocol.Request) {
	if r.Method != protocol.MethodInitialize && !a.met.Load() {
		r.Fail(protocol.Errorf(protocol.CodeInvalidRequest, "say initialize first"))
		return
	}
	switch r.Method {
	case protocol.MethodInitialize:
		respond(a, r, a.initialize)
	case protocol.MethodNew:
		later(a, r, a.newSession)
	case protocol.MethodLoad:
		a.load(r)
	case protocol.MethodResume:
		later(a, r, a.resumeSession)
	case protocol.MethodList:
		later(a, r, a.listSessions)
	case protocol.MethodSetMode:
		respond(a, r, a.setMode)
	case protocol.MethodPrompt:
		a.prompt(r)
	case protocol.MethodCancel:
		a.cancel(r)
	default:
		r.Fail(protocol.Errorf(protocol.CodeUnknownMethod, "there is no method %q here", r.Method))
	}
}

// respond answers a request at once.
func respond[P any](a *Agent, r *protocol.Request, answer func(context.Context, P) (any, error)) {
	var params P
	if err := r.Decode(&params); err != nil {
		r.Fail(err)
		return
	}
	result, err := caughtOf(a, r.Method, func() (any, error) { return answer(r.Context(), params) })
	if err != nil {
		r.Fail(a.inWords(r.Method, err))
		return
	}
	r.Reply(result)
}

// later is respond in a goroutine of its own.
func later[P any](a *Agent, r *protocol.Request, answer func(context.Context, P) (any, error)) {
	caught.Go(a.Log, r.Method, func() { respond(a, r, answer) })
}

// caughtOf calls do; its panic is an error, so that the request is answered.
func caughtOf(a *Agent, what string, do func() (any, error)) (result any, err error) {
	err = caught.Do(func() error { result, err = do(); return err })
	if p := caught.Of(err); p != nil {
		p.Log(a.Log, what)
	}
	return result, err
}

// initialize answers what can be asked of us. There is one version of the protocol here:
// an editor that has none in common leaves.
func (a *Agent) initialize(context.Context, protocol.InitializeParams) (any, error) {
	a.met.Store(true)
	return protocol.InitializeResult{
		ProtocolVersion: protocol.Version,
		AgentCapabilities: protocol.AgentCapabilities{
			LoadSession:         true,
			PromptCapabilities:  protocol.PromptCapabilities{Image: true, EmbeddedContext: true},
			SessionCapabilities: protocol.SessionCapabilities{List: &struct{}{}, Resume: &struct{}{}},
		},
		AgentInfo:   &protocol.Implementation{Name: "vibey", Title: "Vibey", Version: a.Version},
		AuthMethods: []struct{}{},
	}, nil
}
