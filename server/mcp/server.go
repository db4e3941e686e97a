// Package mcp is Vibey as an MCP server: the projects as tools of another program,
// which reads docs and dialogs, starts dialogs and sends prompts. It can ask and never
// decide: no tool takes a decision, and its prompts are sections "By: mcp", whose words
// are no human's (turn.Program).
//
//	s := mcp.New(mcp.Config{Store: store, Turns: runner, …})
//	err := s.Serve(ctx, os.Stdin, os.Stdout) // vibey mcp
//	handler := s.Handler()                   // POST /mcp, behind the server's guard
//
// The SDK speaks the protocol; this package decides what a tool answers. It keeps
// nothing between two calls: each is answered from the projects' files.
package mcp

import (
	"context"
	"log/slog"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vibey/server/project"
	"vibey/server/turn"
	"vibey/tools/caught"
)

// Config is what New needs, all of it.
type Config struct {
	Store *project.Store
	Turns *turn.Runner
	// First returns the provider of a dialog for which none was named, "" for none.
	First func() string
	// Clean masks secrets in what is sent.
	Clean   func(text string) string
	Version string
	Log     *slog.Logger
}

// Server answers the tools. It is safe for concurrent use.
type Server struct {
	Config
	sdk *sdk.Server
}

// instructions tell a model, once, what the tools are for.
const instructions = "Vibey keeps projects of markdown: docs say what is to be made, dialogs are what agents thought, said and did. " +
	"Read with list_projects, list_docs, read_doc, list_dialogs, read_dialog and search. " +
	"Ask with start_dialog or send_prompt, then follow with wait_dialog. " +
	"What an agent asks permission for is decided by a human in Vibey, never here."

// New returns the server with its tools.
func New(c Config) *Server {
	s := &Server{Config: c}
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "vibey", Title: "Vibey", Version: c.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}, // the list of tools never changes
	})
	s.addReading()
	s.addAsking()
	return s
}

// Handler answers POST by streamable HTTP. Each request stands for itself: there is no
// session, so that a restart between two of them changes nothing. The caller has
// checked token, Host and origin, and the size of the body.
func (s *Server) Handler() http.Handler {
	h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true,
		DisableLocalhostProtection: true, // the guard knows all names of this server
		MaxRequestBodyBytes:        -1,   // it was read before
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestKey{}, r.Context())))
	})
}

// requestKey is the key under which a call's context holds that of its HTTP request. The
// SDK's own does not end when the client leaves.
type requestKey struct{}

// requestContext returns a context that ends when the client leaves.
func requestContext(ctx context.Context) context.Context {
	if r, ok := ctx.Value(requestKey{}).(context.Context); ok {
		return r
	}
	return ctx
}

// tool is one tool's name and text for a model, and how it is answered.
type tool[In, Out any] struct {
	name, text string
	asks       bool // it starts something; all others only read
	answer     func(ctx context.Context, in In) (Out, error)
}

// add gives the server a tool. A failed call is a result that says so in words. The SDK
// runs it in a goroutine of its own, so a panic ends here.
func add[In, Out any](s *Server, t tool[In, Out]) {
	no := false
	d := &sdk.Tool{Name: t.name, Description: t.text, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: !t.asks, DestructiveHint: &no, OpenWorldHint: &t.asks}}
	sdk.AddTool(s.sdk, d, func(ctx context.Context, _ *sdk.CallToolRequest, in In) (_ *sdk.CallToolResult, out Out, err error) {
		err = caught.Do(func() error {
			out, err = t.answer(ctx, in)
			return err
		})
		if err != nil {
			return nil, out, s.inWords(t.name, err)
		}
		return nil, out, nil
	})
}
