package server

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// strangersMax is how many connections may be open over which no request with
// the token has come: half-open ones, slow ones, those that only load the
// window. One more, and the oldest of them is closed. So nobody without the
// token can use up the process's descriptors, which the files need too. A
// connection counts until its first header was read: with 256, 22 of 1,000
// windows were reset that came within a second on two busy cores.
const strangersMax = 2048

// lines knows the connections of strangers, the oldest first.
type lines struct {
	mu    sync.Mutex
	order list.List // of *line
	at    map[net.Conn]*list.Element
}

// line is one connection. It is known from its first request with the token on.
type line struct {
	conn  net.Conn
	known atomic.Bool
}

type lineKey struct{}

// watch makes srv tell of its connections.
func (ls *lines) watch(srv *http.Server) {
	ls.at = map[net.Conn]*list.Element{}
	srv.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, lineKey{}, ls.add(c))
	}
	srv.ConnState = func(c net.Conn, st http.ConnState) {
		if st == http.StateClosed || st == http.StateHijacked {
			ls.remove(c)
		}
	}
}

func (ls *lines) add(c net.Conn) *line {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l := &line{conn: c}
	ls.at[c] = ls.order.PushBack(l)
	for len(ls.at) > strangersMax {
		oldest := ls.order.Front()
		old := ls.order.Remove(oldest).(*line)
		delete(ls.at, old.conn)
		if !old.known.Load() {
			old.conn.Close() // the rest is told by its own goroutine
		}
	}
	return l
}

func (ls *lines) remove(c net.Conn) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if e := ls.at[c]; e != nil {
		ls.order.Remove(e)
		delete(ls.at, c)
	}
}

// recognize tells that the connection of r is no stranger's.
func recognize(r *http.Request) {
	if l, ok := r.Context().Value(lineKey{}).(*line); ok && !l.known.Load() {
		l.known.Store(true)
	}
}
