// Package server is the HTTP skin: it decodes, calls, encodes, and lets nobody
// in without a token. It holds no state of its own; what it tells is read from
// the project's files, or is being written to them.
//
//	h := server.New(server.Config{Store: store, Turns: runner, Token: token, …})
//	err := server.HTTP(h).Serve(listener)
//
// A request passes the door (guard.go), the table of routes (routes.go), one
// handler, and where that errs, the one place that makes a status of an error
// (errors.go).
package server

import (
	"context"
	"io/fs"
	"log/slog"
	"net/http"
	"time"

	"vibey/provider"
	"vibey/server/markdown"
	"vibey/server/project"
	"vibey/server/turn"
)

// Config is what the server stands on. Store, Turns, Token and Login must be there.
type Config struct {
	Store *project.Store
	Turns *turn.Runner
	// Providers are those that the window offers.
	Providers Providers
	// SetKey keeps a provider's key that was typed into the window. An error of
	// kind fs.ErrNotExist is an unknown provider.
	SetKey func(provider, key string) error
	// Client is the built window: index.html, vibey-client.js, assets/. Without
	// an index.html, GET / says how to build it.
	Client fs.FS
	// Version is the program's, SandboxLevel what contains commands right now.
	Version      string
	SandboxLevel func() string
	// Token is what every request but the open ones must bear. At most 128 bytes.
	Token string
	// Key is the install key. What it bears out in a project that is restored is
	// void there; without one nothing is.
	Key []byte
	// Login trades a one-time code for the token.
	Login func(code string) (token string, ok bool)
	// AllowHosts are names of this server beyond the loopback's: "vibey.lan"
	// with any port, "vibey.lan:8443" with that one.
	AllowHosts []string
	Log        *slog.Logger // one line a request at debug; nil: none
}

// Providers are the configured places where models answer.
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
	large  largeFrames
}

// New returns the whole server as one handler, the door in front.
func New(c Config) http.Handler {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &server{Config: c, routes: routes(), html: markdown.New(c.Log).HTML, large: largeFrames{most: largeMax}}
	s.static = newStatic(c.Client)
	return newGuard(&s.Config, s.routes, s.router())
}

// HTTP is an http.Server for h with the limits that h counts on. Reading a
// request and writing an answer have time limits; streams set their own.
// Connections of those who have no token are limited in number.
func HTTP(h http.Handler) *http.Server {
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		WriteTimeout:      2 * time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	new(lines).watch(srv)
	return srv
}

// detached is r's context for work that goes on when the window is closed: it
// is never cancelled.
func detached(r *http.Request) context.Context { return context.WithoutCancel(r.Context()) }
