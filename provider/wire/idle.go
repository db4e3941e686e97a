package wire

import (
	"context"
	"errors"
	"io"
	"time"
)

// After its last event a stream has no more than a few bytes to say, and soon.
const (
	drainBytes = 16 << 10
	drainTime  = time.Second
)

var errIdle = errors.New("nothing came for the idle limit")

// watch ends a request when its peer is silent for too long. Time that the
// reader of the stream takes for itself does not count.
type watch struct {
	timer *time.Timer
	limit time.Duration
	body  io.Reader
}

// newWatch returns a context that is cancelled with errIdle after limit,
// unless the watch is paused, which it is not at first.
func newWatch(ctx context.Context, limit time.Duration) (context.Context, *watch, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watch{limit: limit, timer: time.AfterFunc(limit, func() { cancel(errIdle) })}
	return ctx, w, func() {
		w.timer.Stop()
		cancel(nil)
	}
}

// Read reads from the body, under the watch.
func (w *watch) Read(p []byte) (int, error) {
	w.timer.Reset(w.limit)
	n, err := w.body.Read(p)
	w.timer.Stop()
	return n, err
}

// drain reads the stream's end, so that its connection can be used again: a
// new one would cost the next round a handshake. Then it calls end.
func (w *watch) drain(end func()) {
	defer end()
	w.limit = drainTime
	io.CopyN(io.Discard, w, drainBytes)
}
