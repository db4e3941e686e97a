package server

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"vibey/server/hub"
	"vibey/tools/caught"
)

const (
	// heartbeat is the longest silence of a stream. Proxies and browsers take a
	// longer one for a lost connection.
	heartbeat = 15 * time.Second
	// liveBeat is that of the live stream. The window shows within 2 s that the server
	// is silent, so it must hear of one that only has nothing to say.
	liveBeat = time.Second
	// slowest is how long a client may take to accept one write.
	slowest = 30 * time.Second
	// deadlineStep is how old a write deadline gets before it is renewed: to set
	// one for each token costs more than to write it.
	deadlineStep = 5 * time.Second
)

// source is where a stream reads events: a *hub.Sub.
type source interface {
	Next(ctx context.Context) (batch []hub.Event, ok bool)
	Close()
}

// stream answers with a dialog's events until they end or the client leaves. The
// turn behind them goes on either way.
func (s *server) stream(w http.ResponseWriter, r *http.Request, from source) error {
	defer from.Close()
	out := openStream(w)
	guard := caught.Guard(s.Log)
	if err := guard("a stream", func() error { s.play(r.Context(), out, from); return nil }); err != nil {
		out.buf = s.appendFrame(out.buf[:0], &hub.Event{Type: hub.ErrorEvent, Kind: "internal",
			Message: "The server made a mistake in showing this dialog, which has the details in its log under " + caught.Of(err).ID + ". The dialog itself is not touched by it; open it again."})
		out.flush()
	}
	return nil
}

func (s *server) play(ctx context.Context, out *sse, from source) {
	for ctx.Err() == nil && out.err == nil {
		// One context for each heartbeat, not for each batch: tokens come often.
		beat, cancel := context.WithTimeout(ctx, out.keepUp())
		s.relay(ctx, beat, out, from)
		late := beat.Err() != nil
		cancel()
		if !late {
			return // the stream has ended
		}
	}
}

// flushSize is how many bytes are gathered before they are sent, also within a
// batch. For a client that takes nothing the server holds little more.
const flushSize = 64 << 10

// relay writes batches, one flush each if they are small, until beat is over, the
// source has ended, or the client is gone. A frame that waits for room waits until ctx
// ends, also beyond beat, and keeps the connection open meanwhile.
func (s *server) relay(ctx, beat context.Context, out *sse, from source) {
	for out.err == nil {
		batch, ok := from.Next(beat)
		if !ok {
			return
		}
		for i := range batch {
			s.frame(ctx, out, &batch[i])
			batch[i] = hub.Event{} // its text is in the buffer now
		}
		out.flush()
	}
}

// frame puts an event into out's buffer, and flushes it from flushSize on. A large
// frame waits until there is room for it among those of all streams.
func (s *server) frame(ctx context.Context, out *sse, e *hub.Event) {
	if size := framedSize(e); size > flushSize {
		out.flush()
		leave := s.large.enter(ctx, out, size)
		defer leave()
	}
	out.buf = s.appendFrame(out.buf, e)
	if len(out.buf) >= flushSize {
		out.flush()
	}
}

// appendFrame appends an event as one frame: its position as id, its type, and
// its JSON.
func (s *server) appendFrame(b []byte, e *hub.Event) []byte {
	b = strconv.AppendInt(append(b, "id: "...), e.Pos.Whole, 10)
	b = strconv.AppendInt(append(b, '+'), e.Pos.Open, 10)
	b = append(append(b, "\nevent: "...), e.Type...)
	b = AppendEvent(append(b, "\ndata: "...), e, s.html)
	return append(b, "\n\n"...)
}

// framed is how many bytes of a frame one byte of a section's text may become: it
// is there as text and as HTML.
const framed = 3

// framedSize returns about how many bytes the frame of e has.
func framedSize(e *hub.Event) int64 {
	size := int64(len(e.Content))
	if e.Section != nil {
		for i := range e.Section.Payloads {
			size += framed * int64(len(e.Section.Payloads[i].Text))
		}
	}
	return size
}

// sse is one text/event-stream that is being written.
type sse struct {
	w        http.ResponseWriter
	ctl      *http.ResponseController
	buf      []byte
	deadline time.Time
	wrote    time.Time     // of the last write
	beat     time.Duration // the longest silence
	off      atomic.Bool   // set by cut
	err      error         // of the first write that failed; none follows
}

var (
	streamType = []string{eventStream}
	noBuffer   = []string{"no"}
)

// openStream sends the header. After it an error can only be sent as a frame.
func openStream(w http.ResponseWriter) *sse {
	unlimited(w)
	h := w.Header()
	h["Content-Type"] = streamType
	h["X-Accel-Buffering"] = noBuffer
	w.WriteHeader(http.StatusOK)
	return &sse{w: w, ctl: http.NewResponseController(w), wrote: time.Now(), beat: heartbeat}
}

// unlimited removes the server's time limits from this request.
func unlimited(w http.ResponseWriter) {
	c := http.NewResponseController(w)
	c.SetReadDeadline(time.Time{}) // net/http stops looking for a client that leaves at the deadline
	c.SetWriteDeadline(time.Time{})
}

// flush sends the buffer.
func (o *sse) flush() error {
	if o.err != nil || len(o.buf) == 0 {
		return o.err
	}
	now := time.Now()
	if o.wrote = now; o.deadline.Sub(now) < slowest-deadlineStep {
		o.deadline = now.Add(slowest)
		o.ctl.SetWriteDeadline(o.deadline)
	}
	if o.off.Load() {
		o.err = errCut
		return o.err
	}
	if _, o.err = o.w.Write(o.buf); o.err == nil {
		o.err = o.ctl.Flush()
	}
	o.buf = o.buf[:0]
	if cap(o.buf) > 2*flushSize {
		o.buf = nil // a large section; the rest is tokens
	}
	return o.err
}

var errCut = errors.New("the client took nothing while others waited")

// cut ends the stream of a client that takes nothing: the write under way fails, or
// the next one. It may be called while another goroutine writes.
func (o *sse) cut() {
	o.off.Store(true)
	o.ctl.SetWriteDeadline(time.Unix(1, 0))
}

// keepUp writes a comment if one is due, and returns the time until the next.
func (o *sse) keepUp() time.Duration {
	if rest := o.beat - time.Since(o.wrote); rest > 0 {
		return rest
	}
	o.comment()
	return o.beat
}

// comment keeps a silent connection open.
func (o *sse) comment() {
	o.buf = append(o.buf, ":\n\n"...)
	o.flush()
}
