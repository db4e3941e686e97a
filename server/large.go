package server

import (
	"container/list"
	"context"
	"sync"
	"time"
)

const (
	// largeMax is how many bytes of large frames all streams hold together while
	// they write them. One frame is always let through.
	largeMax = 64 << 20
	// patience is how long others wait for the client that takes longest to
	// accept a large frame, before its stream is cut. It may come again, and goes
	// on behind the last event that it has.
	patience = 2 * time.Second
)

// largeFrames is where streams take their turn that have a large frame to write:
// a dialog's section may have 16 MiB, and clients that read nothing may be many.
type largeFrames struct {
	most int64 // largeMax

	mu    sync.Mutex
	bytes int64
	in    list.List     // of *largeFrame, the one that is there longest in front
	left  chan struct{} // closed when somebody leaves; nil while nobody waits
}

type largeFrame struct {
	out   *sse
	since time.Time
	cut   bool
}

// enter waits until there is room for size bytes, ctx is over, or the client is
// gone. It keeps out's line open meanwhile, in which nothing is gathered. The
// caller must call leave once the frame is written.
func (l *largeFrames) enter(ctx context.Context, out *sse, size int64) (leave func()) {
	for {
		at, left, wait := l.try(out, size)
		if at != nil {
			return func() { l.leave(at, size) }
		}
		timer := time.NewTimer(min(wait, out.keepUp()))
		select {
		case <-left:
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			out.err = ctx.Err()
			return func() {}
		}
		timer.Stop()
		if out.err != nil {
			return func() {}
		}
	}
}

// try takes a place if there is room. Otherwise it cuts off those whose time is
// over, and returns what to wait for, and how long.
func (l *largeFrames) try(out *sse, size int64) (at *list.Element, left <-chan struct{}, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.bytes == 0 || l.bytes+size <= l.most {
		l.bytes += size
		return l.in.PushBack(&largeFrame{out: out, since: now}), nil, 0
	}
	wait = patience
	for e := l.in.Front(); e != nil; e = e.Next() {
		f := e.Value.(*largeFrame)
		if f.cut {
			continue
		}
		if rest := patience - now.Sub(f.since); rest > 0 {
			wait = rest
			break
		}
		f.cut = true
		f.out.cut()
	}
	if l.left == nil {
		l.left = make(chan struct{})
	}
	return nil, l.left, wait
}

func (l *largeFrames) leave(at *list.Element, size int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.in.Remove(at)
	l.bytes -= size
	if l.left != nil {
		close(l.left)
		l.left = nil
	}
}
