package server

import (
	"context"
	"net/http"
	"time"

	"vibey/server/turn"
)

const (
	// heartbeat is how long a stream is silent at most: proxies and browsers
	// take a longer silence for a lost line.
	heartbeat = 15 * time.Second
	// slowest is how long a client may take to accept what was written to it.
	slowest = 30 * time.Second
	// deadlineStep is how old a write deadline gets before it is moved on:
	// setting one for each token costs more than writing it.
	deadlineStep = 5 * time.Second
)

// source is what a stream reads from: a *turn.Sub.
type source interface {
	Next(ctx context.Context) (batch []turn.Event, ok bool)
	Close()
}

// stream answers with a dialog's events until they end or nobody listens. The
// turn behind them works on either way.
func (s *server) stream(w http.ResponseWriter, r *http.Request, from source) error {
	defer from.Close()
	out := openStream(w)
	ctx := r.Context()
	for ctx.Err() == nil && out.err == nil {
		// One context a heartbeat, not one a batch: tokens come often.
		beat, cancel := context.WithTimeout(ctx, heartbeat)
		wrote := s.relay(beat, out, from)
		late := beat.Err() != nil
		cancel()
		if !late {
			return nil // not the time is over, but the stream
		}
		if !wrote {
			out.comment()
		}
	}
	return nil
}

// relay writes batches, one flush each, until ctx is over, the source has
// ended, or the client is gone.
func (s *server) relay(ctx context.Context, out *sse, from source) (wrote bool) {
	for out.err == nil {
		batch, ok := from.Next(ctx)
		if !ok {
			break
		}
		for i := range batch {
			out.buf = s.appendFrame(out.buf, &batch[i])
		}
		out.flush()
		wrote = true
	}
	return wrote
}

// sse is a text/event-stream going out.
type sse struct {
	w        http.ResponseWriter
	ctl      *http.ResponseController
	buf      []byte
	deadline time.Time
	err      error // the client left, or is too slow
}

var (
	streamType = []string{eventStream}
	noBuffer   = []string{"no"}
)

// openStream sends the header. From here on an error can only be a frame.
func openStream(w http.ResponseWriter) *sse {
	unlimited(w)
	h := w.Header()
	h["Content-Type"] = streamType
	h["X-Accel-Buffering"] = noBuffer
	w.WriteHeader(http.StatusOK)
	out := &sse{w: w, ctl: http.NewResponseController(w)}
	return out
}

// unlimited takes the server's time limits off this request.
func unlimited(w http.ResponseWriter) {
	c := http.NewResponseController(w)
	c.SetReadDeadline(time.Time{}) // else the watch for a client that leaves would end with it
	c.SetWriteDeadline(time.Time{})
}

// flush sends what was gathered.
func (o *sse) flush() error {
	if o.err != nil {
		return o.err
	}
	if now := time.Now(); o.deadline.Sub(now) < slowest-deadlineStep {
		o.deadline = now.Add(slowest)
		o.ctl.SetWriteDeadline(o.deadline)
	}
	if _, o.err = o.w.Write(o.buf); o.err == nil {
		o.err = o.ctl.Flush()
	}
	o.buf = o.buf[:0]
	if cap(o.buf) > 1<<20 {
		o.buf = nil // a long dialog joined late; the rest is tokens
	}
	return o.err
}

// comment keeps a silent line open.
func (o *sse) comment() {
	o.buf = append(o.buf, ":\n\n"...)
	o.flush()
}
