// Package server is the HTTP skin: it decodes requests that carry the token, calls
// the rooms below, and encodes their answers. It holds no state of its own: its
// answers are read from the project's files.
//
//	h := server.New(server.Config{Store: store, Turns: runner, Token: token, …})
//	err := server.HTTP(h).Serve(listener)
//
// A request goes through the guard (guard.go), the table of routes (routes.go) and
// one handler. errors.go alone makes a status of an error, stream.go writes events.
package server

import (
	"io/fs"
	"log/slog"
	"net/http"
	"time"

	"vibey/provider"
	"vibey/server/markdown"
	"vibey/server/project"
	"vibey/server/turn"
)

// Config is what New needs. Store, Turns, Token, Login and Health must be set.
type Config struct {
	Store *project.Store
	Turns *turn.Runner
	// Providers are those that GET /models lists.
	Providers Providers
	// SetKey stores a provider's key that was typed into the window. It returns
	// fs.ErrNotExist for an unknown provider. Without it POST /keys is 404.
	SetKey func(provider, key string) error
	// Client is the built window: index.html, vibey-client.js, assets/. Without
	// an index.html, GET / says how to build it.
	Client  fs.FS
	Version string // the program's
	// Health returns what GET /health answers, without the version.
	Health func() Health
	// Token is the bearer token of every request but the open ones, 1 to 128 bytes.
	Token string
	// Key is the install key, with which a restored project's seals are found and
	// made void; without one none are.
	Key []byte
	// Login returns the token for a one-time code; ok is false for a wrong one.
	Login func(code string) (token string, ok bool)
	// AllowHosts are names of this server beyond the loopback's: "vibey.lan"
	// with any port, "vibey.lan:8443" with that one.
	AllowHosts []string
	// MCP answers POST /mcp: a message of another program. It may take ten minutes. nil:
	// there is none, and the route is 404.
	MCP http.Handler
	// Previews is the preview origin, which the window frames. nil: there is none.
	Previews *Previews
	Log      *slog.Logger // gets one line a request at debug; nil: none
}

// Providers are the configured providers.
type Providers interface {
	// Names lists them in the order in which they are offered.
	Names() []string
	Provider(name string) (provider.Provider, bool)
}

type server struct {
	Config
	routes []route
	static static
	html   func(markdown string) string
	draft  func(markdown string) string // html of a text that grows
	large  largeFrames
}

// New returns the whole server as one handler, the guard in front.
func New(c Config) http.Handler {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	md := markdown.New(c.Log)
	s := &server{Config: c, routes: routes(), html: md.HTML, draft: md.Draft, large: largeFrames{most: largeMax}}
	s.static = newStatic(c.Client)
	return newGuard(&s.Config, s.routes, s.router())
}

// HTTP returns an http.Server for h, a handler of New or NewPreviews. Reading a request and
// writing an answer have time limits; streams set their own. The number of
// connections without the token is limited.
func HTTP(h http.Handler) *http.Server {
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		WriteTimeout:      2 * time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	new(connLimiter).watch(srv)
	return srv
}
