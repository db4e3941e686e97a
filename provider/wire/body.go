package wire

import (
	"bytes"
	"io"
	"strings"
)

// Body is a request's body in pieces, which are never copied together.
type Body [][]byte

// Len is the body's length in bytes.
func (b Body) Len() (n int64) {
	for _, p := range b {
		n += int64(len(p))
	}
	return n
}

// Open returns the bytes to read. It may be called again for another try.
func (b Body) Open() io.ReadCloser { return &bodyReader{rest: b} }

// bodyReader reads a Body. One Read takes from as many pieces as there is room for:
// net/http sends what a Read returns, and a request of 18 small pieces was as many
// packets (an io.MultiReader returns one piece at a time).
type bodyReader struct {
	rest Body
	at   int // how much of the first piece was read
}

func (r *bodyReader) Read(p []byte) (n int, err error) {
	for len(r.rest) > 0 && n < len(p) {
		more := copy(p[n:], r.rest[0][r.at:])
		n, r.at = n+more, r.at+more
		if r.at == len(r.rest[0]) {
			r.rest, r.at = r.rest[1:], 0
		}
	}
	if len(r.rest) == 0 {
		err = io.EOF
	}
	return n, err
}

func (r *bodyReader) Close() error { return nil }

// Bytes is the whole body in one piece, for tests and for explaining.
func (b Body) Bytes() []byte { return bytes.Join(b, nil) }

func blank(s string) bool { return strings.TrimSpace(s) == "" }
