package mcp

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// flood counts what comes of a server, so that a connection ends on which more came than
// any call asks for.
type flood struct {
	since atomic.Int64           // bytes since the last call or list began
	much  atomic.Pointer[string] // in words, what was too much; nil: nothing was
}

// errFlood is why no more is read.
var errFlood = errors.New("it wrote too much")

// begin lets a call or list ask for as much as one may.
func (f *flood) begin() { f.since.Store(0) }

// add counts n bytes. It returns errFlood once they are too many.
func (f *flood) add(n int) error {
	if f.since.Add(int64(n)) > floodMost {
		return f.over("it wrote more than %d MiB that no call asked for", floodMost>>20)
	}
	return nil
}

func (f *flood) over(format string, a ...any) error {
	text := fmt.Sprintf(format, a...)
	f.much.CompareAndSwap(nil, &text)
	return errFlood
}

// told says what was too much, or "".
func (f *flood) told() string {
	if text := f.much.Load(); text != nil {
		return *text
	}
	return ""
}

// body is an answer over HTTP. It fails where it has more bytes than most, or where the
// server sends too much in all.
type body struct {
	io.ReadCloser
	flood      *flood
	read, most int64
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.read += int64(n); b.read > b.most {
		return 0, b.flood.over("an answer of it has more than %d MiB", b.most>>20)
	}
	if over := b.flood.add(n); over != nil {
		return 0, over
	}
	return n, err
}
