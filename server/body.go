package server

import (
	"bytes"
	"container/list"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"vibey/dialog/jsontext"
)

// bodyMax is the size limit of a request's body, in bytes. A larger one is refused unread.
const bodyMax = 16 << 20

// notUTF8 refuses a body of other bytes.
var notUTF8 = refuse(400, "not-utf8", "The body is not UTF-8. Nothing was done. Encode it as UTF-8 and send it again.")

// readJSON reads a request's body, one JSON object, into the struct that into
// points at. Where its media type, size, encoding, or the name or type of a field
// is wrong, it returns a problem that names which.
func readJSON(w http.ResponseWriter, r *http.Request, into any) error {
	if err := wantType(r, "application/json"); err != nil {
		return err
	}
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	if !utf8.Valid(body) {
		return notUTF8
	}
	if jsontext.LoneSurrogate(body) {
		return refuse(400, "not-utf8", `The body has half of a character (a \u escape of a lone surrogate). Nothing was done, since the text could not be kept as it is.`)
	}
	return decodeObject(body, into)
}

// wantType checks the Content-Type, which also keeps plain HTML forms out.
func wantType(r *http.Request, want string) error {
	typ, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := strings.ToLower(params["charset"])
	if err != nil || typ != want || charset != "" && charset != "utf-8" {
		return refuse(415, "wrong-type", fmt.Sprintf("The body's Content-Type is %q, and %s is wanted here. Nothing was done.", excerpt(r.Header.Get("Content-Type")), want))
	}
	if e := r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return refuse(415, "wrong-type", "The body is compressed. Nothing was done. Send it plain.")
	}
	return nil
}

// tooLarge refuses the body of r. A snapshot can't be sent in parts, and has another way.
func tooLarge(r *http.Request) error {
	if wantType(r, zipType) == nil {
		return refuse(http.StatusRequestEntityTooLarge, "too-large", "This snapshot is larger than 16 MiB, the most that a request may have. It was not read, and nothing was done. On the computer where this server runs, `vibey import FILE NAME` takes it.")
	}
	return refuse(http.StatusRequestEntityTooLarge, "too-large", "The body is larger than 16 MiB. It was not read, and nothing was done. Send less at once.")
}

// readBody reads a body whose length, if it was sent, route.run has checked.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if a, ok := w.(*answer); ok {
		w = a.ResponseWriter // net/http's own, through which MaxBytesReader closes the connection
	}
	var buf bytes.Buffer
	if r.ContentLength > 0 {
		buf.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	_, err := buf.ReadFrom(http.MaxBytesReader(w, r.Body, bodyMax))
	switch _, large := errors.AsType[*http.MaxBytesError](err); {
	case large:
		return nil, tooLarge(r)
	case err != nil:
		return nil, refuse(400, "bad-body", "The body broke off before its end. Nothing was done. Send it again.")
	}
	return buf.Bytes(), nil
}

func badBody(format string, args ...any) error {
	return refuse(400, "bad-body", fmt.Sprintf(format, args...)+" Nothing was done.")
}

func badField(format string, args ...any) error {
	return refuse(400, "bad-field", fmt.Sprintf(format, args...)+" Nothing was done.")
}

// decodeObject reads a body into a request's struct, and returns in words for a
// person what is wrong with it. Whether a field may be absent is for the handler.
func decodeObject(body []byte, into any) error {
	err := jsontext.Decode(body, into)
	f, ok := errors.AsType[*jsontext.FieldError](err)
	switch {
	case err == nil:
		return nil
	case err == jsontext.ErrNotObject:
		return badBody("The body is JSON, but not an object.")
	case err == jsontext.ErrTrailing:
		return badBody("Something follows the JSON object.")
	case !ok:
		return badBody("The body is not JSON: %v.", excerpt(strings.TrimPrefix(err.Error(), "json: ")))
	case f.Fault == jsontext.Twice:
		return badField("The field %q stands there twice; send it once.", f.Name)
	case f.Fault == jsontext.Type:
		return badField("The field %q has the wrong type: %s is wanted.", f.Name, strings.TrimPrefix(f.Must, "be "))
	case f.Name == "decisions" || f.Name == "authorizations":
		return badField("The field %q is of an older form. Send \"control\" instead: text with a line for each decision, such as \"<id> approve sha256:<hex>\" or \"<id> deny\".", f.Name)
	case f.Fault == jsontext.Unknown:
		return badField("There is no field %q here. Known are: %s.", excerpt(f.Name), strings.ReplaceAll(strings.Join(f.Known, ", "), "?", ""))
	}
	return badField("The field %q must %s.", f.Name, f.Must)
}

// excerpt returns what a client sent, short enough for a message.
func excerpt(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

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
