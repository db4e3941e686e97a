package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vibey/tools/caught"
)

// Config is what a Manager is made from; zero values mean the defaults.
type Config struct {
	Servers []Server
	Getenv  func(string) string // where the servers' keys are
	Log     *slog.Logger        // nil logs nothing
	Limits  Limits
}

// Limits are how long things take at most; what is zero is the default.
type Limits struct {
	Start time.Duration // until a server is connected and has listed its tools
	List  time.Duration // for listing them again
	Call  time.Duration // of one call
	Idle  time.Duration // until a connection that nobody uses ends
}

// Manager holds the connections to the servers. A nil one has no servers. It is safe for
// concurrent use.
type Manager struct {
	c    Config
	http *http.Transport // to servers at an address

	mu    sync.Mutex
	conns map[connKey]*conn
	all   map[*conn]connKey // those too that are over, and still end
}

// connKey is what connections are apart by.
type connKey struct {
	project, server string
	network         bool
	deed, home      string // what its process may write; "" over HTTP
}

// keyOf is where a server runs. One that gets a key or the network has a HOME of its own:
// what it keeps there of these, no command finds, and no command leaves there what it
// would run with them.
func keyOf(at Place, s *Server) (connKey, error) {
	key := connKey{project: at.Project, server: s.Name}
	if s.Command == "" {
		return key, nil
	}
	key.network, key.deed = at.Network, at.Deed
	var err error
	key.home, err = at.Home(s.Name, len(s.Keys) > 0 || at.Network)
	return key, err
}

// New returns a manager that has no connection yet.
func New(c Config) *Manager {
	c.Limits.Start = cmp.Or(c.Limits.Start, startLimit)
	c.Limits.List = cmp.Or(c.Limits.List, listLimit)
	c.Limits.Call = cmp.Or(c.Limits.Call, callLimit)
	c.Limits.Idle = cmp.Or(c.Limits.Idle, idleLimit)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(true) // as to providers: a stalled call stalls nothing else
	if c.Getenv == nil {
		c.Getenv = func(string) string { return "" }
	}
	return &Manager{c: c, http: t, conns: map[connKey]*conn{}, all: map[*conn]connKey{}}
}

// Names lists the servers that a human has named.
func (m *Manager) Names() (names []string) {
	if m == nil {
		return nil
	}
	for _, s := range m.c.Servers {
		names = append(names, s.Name)
	}
	return names
}

// Local reports whether a server is a process of this machine.
func (m *Manager) Local(server string) bool {
	s := m.find(server)
	return s != nil && s.Command != ""
}

// Secrets returns the keys that servers get, for masking.
func (m *Manager) Secrets() (keys []string) {
	if m == nil {
		return nil
	}
	for _, s := range m.c.Servers {
		for _, name := range s.Keys {
			if k := m.c.Getenv(name); k != "" {
				keys = append(keys, k)
			}
		}
	}
	return keys
}

func (m *Manager) find(server string) *Server {
	if m == nil {
		return nil
	}
	i := slices.IndexFunc(m.c.Servers, func(s Server) bool { return s.Name == server })
	if i < 0 {
		return nil
	}
	return &m.c.Servers[i]
}

// List returns the tools of a server as it lists them now. An error is ErrNoServer, the
// end of ctx, or a *Fault. A server that is not connected when ctx ends goes on being
// connected, for the next one who asks.
func (m *Manager) List(ctx context.Context, at Place, server string) (Listing, error) {
	c, err := m.connected(ctx, at, server)
	if err != nil {
		return Listing{}, err
	}
	defer c.finish()
	l, err := c.current(ctx)
	if _, ok := errors.AsType[*Fault](err); ok {
		c.end()
	}
	return l, err
}

// Call calls a tool with args, one JSON object. An error is ErrNoServer, ErrGone, the end
// of ctx, a *Refused or a *Fault. Where ctx ends during the call, the server is told that
// it is canceled, and is ended soon after, unless another call is under way on the same
// connection. A call is never made twice.
func (m *Manager) Call(ctx context.Context, at Place, server, tool, args string) (Reply, error) {
	c, err := m.connected(ctx, at, server)
	if err != nil {
		return Reply{}, err
	}
	defer c.finish()
	l, err := c.current(ctx)
	if _, ok := errors.AsType[*Fault](err); ok {
		c.end()
	}
	if err != nil {
		return Reply{}, err
	}
	if !l.has(tool) {
		return Reply{Listed: l}, ErrGone
	}
	result, err := c.call(ctx, tool, args)
	if _, ok := errors.AsType[*Refused](err); ok {
		// Perhaps its list has changed, and the notification comes later or never.
		c.changed()
		if now, err := c.current(ctx); err == nil {
			l = now
		}
		if !l.has(tool) {
			err = ErrGone
		}
	}
	if f, ok := errors.AsType[*Fault](err); ok {
		f.Sent = true
		c.end()
	}
	if err != nil {
		return Reply{Listed: l}, err
	}
	return replyOf(result, l), nil
}

// connected returns a connection on which a call has been counted in.
func (m *Manager) connected(ctx context.Context, at Place, server string) (*conn, error) {
	s := m.find(server)
	if s == nil {
		return nil, ErrNoServer
	}
	key, err := keyOf(at, s)
	if err != nil {
		return nil, fault("it was not started: %v", err)
	}
	for range 3 {
		c := m.get(at, s, key)
		select {
		case <-c.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if c.err != nil {
			return nil, c.err
		}
		if c.alive() && c.begin() {
			return c, nil
		}
	}
	return nil, fault("it ends again and again")
}

// get returns the connection that stands or is being made, or begins one.
func (m *Manager) get(at Place, s *Server, key connKey) *conn {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.conns[key]; c != nil && c.alive() {
		return c
	}
	m.leave(key)
	ctx, stop := context.WithCancel(context.Background())
	c := &conn{server: s, limits: m.c.Limits, log: m.c.Log, stop: stop, ready: make(chan struct{}), ended: make(chan struct{})}
	c.idle = time.AfterFunc(m.c.Limits.Start+m.c.Limits.Idle, func() {
		caught.Logged(m.c.Log, "ending an idle MCP server", c.end)
	})
	m.conns[key], m.all[c] = c, key
	caught.Go(m.c.Log, "following an MCP server", func() {
		c.run(ctx, func() (sdk.Transport, *pipes, error) { return m.over(at, s, key.home, &c.flood) })
		c.idle.Stop()
		stop()
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.all, c)
		if m.conns[key] == c {
			delete(m.conns, key)
		}
	})
	return c
}

// leave ends the connections of that server whose deed or HOME is another one than now:
// what they may write is no longer the project's. A call on one of them ends first. The
// caller must hold m.mu.
func (m *Manager) leave(now connKey) {
	for key, c := range m.conns {
		was := key
		was.deed, was.home = now.deed, now.home
		if key != now && was == now {
			caught.Go(m.c.Log, "ending an MCP server of another deed", c.end)
		}
	}
}

// over is the way to a server, whose HOME is home. What comes of it is counted in f.
func (m *Manager) over(at Place, s *Server, home string, f *flood) (sdk.Transport, *pipes, error) {
	var env []string
	for _, name := range s.Keys {
		k := m.c.Getenv(name)
		if k == "" {
			return nil, nil, fmt.Errorf("the variable %s, which has its key, is not set where this program was started", name)
		}
		env = append(env, name+"="+k)
	}
	if s.Command == "" {
		key := ""
		if len(s.Keys) > 0 {
			key = m.c.Getenv(s.Keys[0])
		}
		return overHTTP(m.http, s.URL, key, f), nil, nil
	}
	process, err := at.Start(s.Command, home, env)
	if err != nil {
		return nil, nil, err
	}
	p := newPipes(process, f)
	return p.transport(), p, nil
}

// Close ends the connections of a project, or all where project is "". It returns when
// no process of them runs any more.
func (m *Manager) Close(project string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	var ending []*conn
	for c, key := range m.all {
		if project == "" || key.project == project {
			ending = append(ending, c)
		}
	}
	m.mu.Unlock()
	var done sync.WaitGroup
	for _, c := range ending {
		done.Add(1)
		caught.Go(m.c.Log, "ending an MCP server", func() { defer done.Done(); c.close() })
	}
	done.Wait()
}
