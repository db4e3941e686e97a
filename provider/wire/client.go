package wire

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"time"

	"vibey/provider"
)

// Bearer is the header that carries a key as most servers want it.
func Bearer(c provider.Config) http.Header {
	h := http.Header{}
	if key := c.Secret(); key != "" {
		h["Authorization"] = []string{"Bearer " + key}
	}
	return h
}

// DefaultClient is what adapters use that were given no client: one pool for all.
var DefaultClient = NewClient()

// NewClient returns a client for many long streams.
//
// It speaks HTTP/1.1 only: with one connection a stream, closing it cancels
// just that request, a stalled peer stalls nothing else, and 1,000 dialogs meet
// no limit on streams in a connection. There is no timeout for the whole or for
// the header: the idle limit watches both.
func NewClient() *http.Client {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Client{
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			Protocols:           protocols,
			TLSHandshakeTimeout: 10 * time.Second,
			MaxIdleConns:        0, // no limit in all
			MaxIdleConnsPerHost: 1024,
			IdleConnTimeout:     90 * time.Second,
			WriteBufferSize:     16 << 10, // a history of 1 MB in 64 writes, not 256
			DisableCompression:  true,     // a compressed stream comes in lumps
		},
	}
}

// A request is tried at most four times, and no try begins later than 10 s
// after the first. Longer waits are told, so that a human decides on them.
const (
	maxTries  = 4
	maxTrying = 10 * time.Second
	firstWait = 500 * time.Millisecond
)

// again reports whether a failure before any content may pass by itself, and
// after how long to try. tries counts those made, since is the time since the
// first began.
func again(e *provider.Error, tries int, since time.Duration) (time.Duration, bool) {
	switch e.Kind {
	case provider.KindRateLimit, provider.KindBusy, provider.KindNetwork, provider.KindCut, provider.KindMalformed:
	default:
		return 0, false
	}
	if tries >= maxTries || e.Kind == provider.KindMalformed && e.Status != 0 {
		return 0, false
	}
	wait := firstWait << (tries - 1)
	wait = wait/2 + rand.N(wait/2)
	if e.RetryAfter > 0 {
		// A little later than asked, so that not all who were told the same come at once.
		wait = e.RetryAfter + rand.N(100*time.Millisecond)
	}
	return wait, since+wait <= maxTrying
}

// Sleep waits, or returns why ctx ended.
func Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

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
