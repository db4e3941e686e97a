package wire

import (
	"bytes"
	"io"
	"net"
	"slices"
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

// Open returns the bytes to read. It may be called again for another try. One Read takes
// from as many pieces as there is room for: net/http sends what a Read returns, and a
// request of 18 small pieces was as many packets (an io.MultiReader returns one piece at a
// time).
func (b Body) Open() io.ReadCloser {
	rest := net.Buffers(slices.Clone(b)) // which it cuts as it reads
	return io.NopCloser(&rest)
}

// Bytes is the whole body in one piece, for tests and for explaining.
func (b Body) Bytes() []byte { return bytes.Join(b, nil) }

func blank(s string) bool { return strings.TrimSpace(s) == "" }
