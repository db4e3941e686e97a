package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Server is a program that goes on running for a project, behind the same walls
// as its commands.
type Server struct {
	Project string
	For     string // Spec.For
	Port    int    // in the program's own network
	Preview string // host:port on this machine's loopback, where browsers find it

	kind   kind
	pipes  *pipes          // see Pipe; nil for what listens at a port
	ctx    context.Context // ends when it is stopped, or has ended: what is relayed to it is closed
	cancel context.CancelFunc
	ended  chan struct{}
	output *capture
	final  Outcome // once ended is closed

	dial  atomic.Pointer[func() (net.Conn, error)] // how to connect to it, nil until it is reached
	conns atomic.Int32                             // that are relayed to it now
}

// kind is what a program that goes on running is for: see Serve, Browse and Pipe. A command
// meets none but servers.
type kind int

const (
	aServer kind = iota
	aBrowser
	atPipes
)

// kinds are how many of each kind a project may run at once, and what says that there are so many.
var kinds = [...]struct {
	most int
	full string
}{
	aServer:  {8, "%d servers run already, the most that a project may have. Stop one with stop_server first"},
	aBrowser: {2, "%d browsers of this project run already, the most at once. Try again once one of them has ended"},
	atPipes:  {16, "%d programs run for this project already, the most at once. Try again once one of them has ended"},
}

// serverList is the servers that a Runner has started.
type serverList struct {
	guard func(what string, f func() error) error // see Config

	mu   sync.Mutex
	list []*Server
}

// running returns the servers that a command of that project may reach, by port.
func (l *serverList) running(s Spec) map[int]*Server {
	if l == nil || s.Tried { // a request could change them
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	found := map[int]*Server{}
	for _, srv := range l.list {
		if srv.Project == s.project() && srv.kind == aServer && srv != s.serve && srv.Running() {
			found[srv.Port] = srv
		}
	}
	return found
}

// ErrNetwork is why a server was not started where commands have no network of
// their own: what lets it listen would open a port of this machine.
var ErrNetwork = errors.New("at this sandbox level a server needs the network of this machine, which no human has allowed")

// PortError is a port that a server of the same project has. For is that server's Spec.For.
type PortError struct {
	Port int
	For  string
}

func (e *PortError) Error() string {
	return fmt.Sprintf("a server of this project runs on port %d already", e.Port)
}

// Serve starts a server for the project of s, and returns once it was started;
// whether it answers is another question (see Dial). Another one of the same
// project and port is a *PortError, and at a level without its own network so is a
// port that is taken on this machine; without s.Network it is ErrNetwork there.
func (r *Runner) Serve(s Spec, port int) (*Server, error) { return r.serve(s, port, aServer) }

// Browse is Serve for a browser, which is driven through its port. It is none of the
// project's servers: commands cannot connect to it, and Servers leaves it out. StopServers
// ends it too.
func (r *Runner) Browse(s Spec, port int) (*Server, error) { return r.serve(s, port, aBrowser) }

func (r *Runner) serve(s Spec, port int, kind kind) (*Server, error) {
	if (r.Level() == Landlock || r.Level() == Container) && !s.Network {
		return nil, ErrNetwork
	}
	ctx, cancel := context.WithCancel(context.Background())
	srv := &Server{
		Project: s.project(), For: s.For, Port: port, kind: kind,
		ctx: ctx, cancel: cancel, ended: make(chan struct{}), output: newCapture(min(r.config.Output, maxLog)),
	}
	if other := r.servers.running(s)[port]; other != nil && kind == aServer { // before a look at the machine's ports, which finds it too
		return nil, &PortError{port, other.For}
	}
	if r.Level() != Bwrap || s.Network { // it has no network of its own
		srv.reach(func() (net.Conn, error) { return dialLoopback(port) })
		if c, err := dialLoopback(port); err == nil {
			c.Close()
			return nil, fmt.Errorf("port %d is taken by another program of this machine. Choose another port", port)
		}
	}
	preview, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("no port for the preview: %w", err)
	}
	srv.Preview = preview.Addr().String()
	if err := r.servers.add(srv); err != nil {
		preview.Close()
		return nil, err
	}
	if err := r.start(s, srv); err != nil {
		preview.Close()
		return nil, err
	}
	srv.relay(ctx, preview, greeting)
	return srv, nil
}

// start runs a server that is on the list, and returns once its process runs.
func (r *Runner) start(s Spec, srv *Server) error {
	s.serve = srv
	begun := make(chan error, 1)
	go func() {
		defer r.servers.remove(srv)
		defer srv.cancel()
		defer close(srv.ended)
		if err := r.config.Guard("a server", func() error { srv.final = r.run(srv.ctx, s, 0, func() { begun <- nil }); return nil }); err != nil {
			srv.final = Outcome{Err: err}
		}
		begun <- srv.final.Err
	}()
	err := <-begun
	if err != nil {
		<-srv.ended
	}
	return err
}

// add refuses what would stand in the way of another server of the project.
func (l *serverList) add(srv *Server) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, other := range l.list {
		if other.Project != srv.Project || other.kind != srv.kind || !other.Running() {
			continue
		}
		if n++; srv.kind == aServer && other.Port == srv.Port {
			return &PortError{srv.Port, other.For}
		}
	}
	if k := kinds[srv.kind]; n >= k.most {
		return fmt.Errorf(k.full, n)
	}
	l.list = append(l.list, srv)
	return nil
}

func (l *serverList) remove(srv *Server) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = slices.DeleteFunc(l.list, func(s *Server) bool { return s == srv })
}

// Servers returns the servers of a project that run, by port.
func (r *Runner) Servers(project string) []*Server {
	running := r.servers.running(Spec{Dir: project})
	return slices.SortedFunc(maps.Values(running), func(a, b *Server) int { return cmp.Compare(a.Port, b.Port) })
}

// StopServers ends the servers of a project, or of all where project is "", and
// what was prepared for its commands. It returns when nothing of them is left
// running.
func (r *Runner) StopServers(project string) {
	r.spares.end(project)
	r.servers.mu.Lock()
	list := slices.Clone(r.servers.list)
	r.servers.mu.Unlock()
	var all sync.WaitGroup
	for _, s := range list {
		if project == "" || s.Project == project {
			all.Go(func() { s.Stop() }) // it waits, and can't panic
		}
	}
	all.Wait()
}

// Dial connects to the server's port, from within its network.
func (s *Server) Dial() (net.Conn, error) {
	if !s.Running() {
		return nil, errors.New("the server has ended")
	}
	dial := s.dial.Load()
	if dial == nil { // its own network is not there yet, and this machine's loopback is another one
		return nil, errors.New("the server has not started yet")
	}
	return (*dial)()
}

// reach sets how to connect to the server.
func (s *Server) reach(dial func() (net.Conn, error)) { s.dial.Store(&dial) }

func dialLoopback(port int) (net.Conn, error) {
	var err error
	for _, host := range []string{"127.0.0.1", "::1"} {
		var c net.Conn
		if c, err = net.DialTimeout("tcp", net.JoinHostPort(host, strconv.Itoa(port)), time.Second); err == nil {
			return c, nil
		}
	}
	return nil, err
}

// Running reports whether the server has not ended.
func (s *Server) Running() bool {
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// Ended is closed when the server has ended, by itself or not.
func (s *Server) Ended() <-chan struct{} { return s.ended }

// Outcome tells how the server ended; it waits until it has.
func (s *Server) Outcome() Outcome { <-s.ended; return s.final }

// Output is what the server wrote until now, stdout and stderr in the order in
// which they came, as head and tail.
func (s *Server) Output() Output { return s.output.output(maxLog) }

// maxLog is how many bytes are kept of what a server wrote.
const maxLog = 256 << 10

// Stop ends the server and all that it started, and waits for that.
func (s *Server) Stop() Outcome {
	s.cancel()
	return s.Outcome()
}

// maxConns is how many connections to one server may be open through its relays.
// A server need not close what its clients have left.
const maxConns = 512

// relay connects what comes to the listener with the server until ctx ends, which is s.ctx
// or made from it. If greet is not nil it decides whether a connection is let in, and
// returns what it has read from it. The goroutines that relay and join begin need no
// recover: they accept, dial, copy and close, and none of that panics.
func (s *Server) relay(ctx context.Context, l net.Listener, greet func(net.Conn) ([]byte, bool)) {
	go func() {
		defer closeWith(ctx, l)()
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.join(ctx, c, greet)
		}
	}()
}

// closeWith closes c once ctx ends, or when the func that it returns is called.
func closeWith(ctx context.Context, c io.Closer) (now func()) {
	stop := context.AfterFunc(ctx, func() { c.Close() })
	return func() { stop(); c.Close() }
}

// join passes bytes both ways between a connection and the server.
func (s *Server) join(ctx context.Context, c net.Conn, greet func(net.Conn) ([]byte, bool)) {
	defer closeWith(ctx, c)()
	defer s.conns.Add(-1)
	if s.conns.Add(1) > maxConns {
		return
	}
	var greeted []byte
	if greet != nil {
		var ok bool
		if greeted, ok = greet(c); !ok {
			return
		}
	}
	to, err := s.Dial()
	if err != nil {
		return
	}
	defer closeWith(ctx, to)()
	done := make(chan struct{})
	go func() {
		if _, err := to.Write(greeted); err == nil {
			io.Copy(to, c)
		}
		closeWrite(to)
		close(done)
	}()
	io.Copy(c, to)
	closeWrite(c)
	<-done
}

func closeWrite(c net.Conn) {
	if t, ok := c.(*net.TCPConn); ok {
		t.CloseWrite()
	}
}
