package server

import (
	"container/list"
	"context"
	"sync"
	"time"
)

const (
	// largeMax is how many bytes of large frames all streams together may hold
	// while they write them. One frame is always admitted.
	largeMax = 64 << 20
	// patience is how long a client may take to accept a large frame while others
	// wait. Then its stream is cut. The client may connect again, and goes on behind
	// the last event that it has.
	patience = 2 * time.Second
)

// largeFrames limits the memory of large frames that are being written: a dialog's
// section may have 16 MiB, and many clients may read nothing.
type largeFrames struct {
	most int64 // largeMax

	mu    sync.Mutex
	bytes int64
	in    list.List     // of *largeFrame, the oldest first
	left  chan struct{} // closed when a frame leaves; nil while none waits
}

type largeFrame struct {
	out   *sse
	since time.Time
	cut   bool
}

// enter waits until there is room for size bytes, ctx is over, or the client is
// gone. It writes heartbeats to out meanwhile, whose buffer must be empty. The
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

// try admits a frame if there is room, and returns its element. Otherwise it cuts
// the streams whose patience is over, and returns what to wait for, and how long.
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
