package server

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// anonymousMax is how many connections may be open over which no request with the
// token has come: half-open ones, slow ones, those that only load the window. At
// one more, the oldest of them is closed, so that clients without the token can't
// use up the process's descriptors, which the files need too. A connection counts
// until its first header was read: with 256, 22 of 1,000 windows were reset that
// came within a second on two busy cores.
const anonymousMax = 2048

// connLimiter closes the oldest connection without a token if there are more
// than anonymousMax.
type connLimiter struct {
	mu    sync.Mutex
	order list.List // of *conn, the oldest first
	at    map[net.Conn]*list.Element
}

// conn is one connection. It may be authenticated while it is still in the list.
type conn struct {
	net.Conn
	authenticated atomic.Bool
}

type connKey struct{}

// watch makes srv report its connections. It is called once, before srv serves.
func (l *connLimiter) watch(srv *http.Server) {
	l.at = map[net.Conn]*list.Element{}
	srv.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, l.add(c))
	}
	srv.ConnState = func(c net.Conn, st http.ConnState) {
		if st == http.StateClosed || st == http.StateHijacked {
			l.remove(c)
		}
	}
}

// add lists a new connection, and drops the oldest if that is one too many. An
// authenticated one is dropped without being closed: it is not counted any more.
func (l *connLimiter) add(c net.Conn) *conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	added := &conn{Conn: c}
	l.at[c] = l.order.PushBack(added)
	for len(l.at) > anonymousMax {
		oldest := l.order.Remove(l.order.Front()).(*conn)
		delete(l.at, oldest.Conn)
		if !oldest.authenticated.Load() {
			oldest.Close() // net/http notices, and ends its goroutine
		}
	}
	return added
}

func (l *connLimiter) remove(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.at[c]; e != nil {
		l.order.Remove(e)
		delete(l.at, c)
	}
}

// authenticated marks the connection of r, which came with the token.
func authenticated(r *http.Request) {
	if c, ok := r.Context().Value(connKey{}).(*conn); ok && !c.authenticated.Load() {
		c.authenticated.Store(true)
	}
}
