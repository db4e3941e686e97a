package wire

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"vibey/dialog"
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

// argsMost is how many bytes of arguments a parser gathers for one call: of a dialog's
// section the rest goes into a file, but for that a call must end.
const argsMost = 4 * dialog.SectionMost

var errLongArgs = errors.New("the arguments of a call are larger than 64 MiB")

// GrowText adds a piece to what a parser keeps of a text whose pieces it has passed on. It
// keeps one byte more than the text has in a dialog, where it is cut: then the hash of the
// response is not that of a later history, and no reasoning behind it goes back.
func GrowText(kept []byte, piece string) []byte {
	return append(kept, piece[:min(len(piece), dialog.SectionMost+1-min(len(kept), dialog.SectionMost+1))]...)
}

// GrowArgs adds a piece to a call's arguments.
func GrowArgs(args []byte, piece string) ([]byte, error) {
	if len(args)+len(piece) > argsMost {
		return args, errLongArgs
	}
	return append(args, piece...), nil
}
