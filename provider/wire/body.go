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
func (b Body) Open() io.ReadCloser {
	rest := make([]io.Reader, len(b))
	for i, p := range b {
		rest[i] = bytes.NewReader(p)
	}
	return io.NopCloser(io.MultiReader(rest...))
}

// Bytes is the whole body in one piece, for tests and for explaining.
func (b Body) Bytes() []byte { return bytes.Join(b, nil) }

func blank(s string) bool { return strings.TrimSpace(s) == "" }
