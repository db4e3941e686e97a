package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"vibey/client"
	"vibey/server"
	"vibey/tools/caught"
)

type serveCmd struct {
	programFlags
	Addr        string   `help:"Where to listen. Elsewhere than on this computer only if you say so here." default:"127.0.0.1:3001" env:"VIBEY_ADDR" placeholder:"HOST:PORT"`
	PreviewAddr string   `name:"preview-addr" help:"Where the window's frames find the pages of the deed (default: any free port beside --addr)." placeholder:"HOST:PORT"`
	AllowHost   []string `name:"allow-host" help:"Another name under which browsers reach this server; repeatable." placeholder:"NAME[:PORT]"`
	Debug       bool     `help:"One line in the log for each request."`
}

// The time that a stop takes at most is under two seconds: turns are closed in
// their files first, then what is still being answered.
const (
	closeTurns   = 1500 * time.Millisecond
	closeAnswers = 200 * time.Millisecond
)

// Run serves until it is told to stop.
func (c *serveCmd) Run(to streams) error {
	level := slog.LevelInfo
	if c.Debug {
		level = slog.LevelDebug
	}
	if _, picked := c.split(); picked != "" {
		return unable{fmt.Errorf("--provider %s: a provider is defined as NAME=API,BASE_URL[,KEY_ENV]; which one a dialog asks is chosen in the window", picked)}
	}
	stopped, stop := untilStopped()
	defer stop()
	h, err := wire("serve", c.programFlags, to.err, level)
	if err != nil {
		return err
	}
	defer h.end()
	l, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return unable{listenError("--addr", c.Addr, err)}
	}
	defer l.Close()
	pages, err := c.listenForPages(l.Addr())
	if err != nil {
		return err
	}
	defer pages.Close()
	if err := h.welcome(stopped, c.Dir); err != nil {
		h.log.Warn("the welcome project could not be made; everything else works", "err", err)
	}
	srv, previews := c.servers(h, l.Addr(), pages.Addr())
	if a, ok := l.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() {
		h.log.Warn("others on the network can reach this server, and can read what goes to and fro; put a proxy with TLS before it", "addr", l.Addr().String())
	}
	url, err := h.announce(l.Addr())
	if err != nil {
		return unable{err}
	}
	defer h.retract(l.Addr())
	fmt.Fprintf(to.out, "vibey: %s\n", url)
	if isTerminal(to.out) {
		fmt.Fprintln(to.err, "Open that address in a browser. It lets one browser in, once; `vibey login"+c.givenState()+"` prints another. Ctrl+C stops.")
	}
	failed := make(chan error, 2)
	go func() { failed <- srv.Serve(l) }() // it accepts; what panics in an answer, server/run.go catches
	go func() { failed <- previews.Serve(pages) }()
	c.tidy(h)
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-stopped.Done():
		stop() // a second signal ends at once
	}
	previews.Close() // it only reads: nothing is lost
	h.close(srv)
	return nil
}

// tidy begins, beside the serving, what a start has to do besides: done before, it took
// half of the time until the window had its first answer.
func (c *serveCmd) tidy(h *program) {
	h.look()
	caught.Go(h.log, "removing what a killed program was about to remove", h.store.Sweep)
	caught.Go(h.log, "freeing the repositories of a killed program", func() { h.runner.FreeRepositories(c.Dir) })
	caught.Go(h.log, "telling what commands run behind", func() {
		if why := h.sandbox.Why(); why != "" { // it waits
			h.log.Warn("commands run behind weaker walls", "sandbox", string(h.sandbox.Level()), "why", why)
		}
	})
}

// listenForPages listens for the preview origin: where --preview-addr says, else on
// the window's host, so that who reaches the one reaches the other.
func (c *serveCmd) listenForPages(window net.Addr) (net.Listener, error) {
	at := c.PreviewAddr
	if at == "" {
		host, _, err := net.SplitHostPort(window.String())
		if err != nil {
			return nil, unable{err}
		}
		at = net.JoinHostPort(host, "0")
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		return nil, unable{listenError("--preview-addr", at, err)}
	}
	return l, nil
}

// servers are the HTTP skin over the program at one address, and at another one the
// pages of deeds that it frames.
func (c *serveCmd) servers(h *program, at, pages net.Addr) (srv, previews *http.Server) {
	shown := server.NewPreviews(server.PreviewsConfig{Store: h.store, At: pages, Window: at, AllowHosts: c.AllowHost, Log: h.log})
	srv, previews = server.HTTP(c.handler(h, at, shown)), server.HTTP(shown)
	srv.ErrorLog = slog.NewLogLogger(h.log.Handler(), slog.LevelDebug)
	previews.ErrorLog = srv.ErrorLog
	return srv, previews
}

func (c *serveCmd) handler(h *program, at net.Addr, previews *server.Previews) http.Handler {
	// Made for the first that asks: its tools' schemas were a quarter of what a start
	// did before it could answer.
	programs := sync.OnceValue(func() http.Handler { return h.mcpServer("").Handler() })
	return server.New(server.Config{
		Store: h.store, Turns: h.runner, Providers: h.providers, SetKey: h.providers.SetKey, Client: client.FS(),
		Version: version(), Health: func() server.Health { return h.health(c.Dir) }, Token: h.token, Key: h.key,
		Login:      func(code string) (string, bool) { return h.token, h.state.redeem(code, time.Now()) },
		MCP:        http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { programs().ServeHTTP(w, r) }),
		AllowHosts: append(slices.Clone(c.AllowHost), at.String()), Previews: previews, Log: h.log,
	})
}

// health returns what GET /health answers if the projects are in dir.
func (h *program) health(dir string) server.Health {
	now := server.Health{Sandbox: string(h.sandbox.Level()), Why: h.sandbox.Why(), Remedy: h.sandbox.Remedy(), Layers: h.sandbox.LayersBy() != "", LayersBy: string(h.sandbox.LayersBy())}
	if !h.disks() {
		now.Durable = new(bool)
	}
	if name, id := h.firstVisit(dir); id != "" {
		now.Welcome = &server.Welcome{Project: name, DialogID: id}
	}
	return now
}

// close ends what runs: turns are closed in their files as interrupted.
func (h *program) close(srv *http.Server) {
	h.closeTurns()
	ctx, cancel := context.WithTimeout(context.Background(), closeAnswers)
	defer cancel()
	if srv.Shutdown(ctx) != nil {
		srv.Close()
	}
}

// closeTurns ends the turns that run, each closed in its file as interrupted.
func (h *program) closeTurns() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTurns)
	defer cancel()
	if err := h.runner.Shutdown(ctx); err != nil {
		h.log.Warn("a dialog could not be closed in time; it is repaired when it is opened next", "err", err)
	}
}

// listenError says why the server can't listen where a flag says, and what to do.
func listenError(flag, addr string, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%s is taken by another program, perhaps another vibey: stop that one, or choose another port with %s 127.0.0.1:0 (any that is free)", addr, flag)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("%s may not be used by this user: choose a port above 1023", addr)
	}
	return fmt.Errorf("listen on %s: %w", addr, err)
}

// browserURL is the address under which a browser on this computer finds the server.
func browserURL(at string) string {
	host, port, err := net.SplitHostPort(at)
	if err != nil {
		return "http://" + at + "/"
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(strings.ToLower(host), port) + "/"
}
