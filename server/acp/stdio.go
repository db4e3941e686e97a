package acp

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"sync"
	"time"
)

// lastAnswers is how long the end of the input waits for the answers to what was asked
// before it, as by a program that writes its questions into a pipe and closes it.
const lastAnswers = 300 * time.Millisecond

// stdio is stdin and stdout as one stream. Its Close leaves both open, since closing
// stdin would wait for a read of it.
type stdio struct {
	io.Reader
	io.Writer
	changed chan struct{} // has a token when a line was written

	mu     sync.Mutex
	open   int   // requests without an answer
	sizes  []int // of the updates that are not written yet
	unread int   // bytes of them
}

func newStdio(in io.Reader, out io.Writer) *stdio {
	return &stdio{Reader: in, Writer: out, changed: make(chan struct{}, 1)}
}

// asked counts a request of the other side.
func (s *stdio) asked() { s.count(1) }

func (s *stdio) count(n int) (open int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open += n
	return s.open
}

// unreadMost is how many bytes of updates may wait for a slow reader.
const unreadMost = 8 << 20

// room counts an update of that many bytes. It returns when what waits before it is
// little enough, or when ctx ends.
func (s *stdio) room(ctx context.Context, n int) {
	for {
		s.mu.Lock()
		free := s.unread < unreadMost
		if free {
			s.sizes, s.unread = append(s.sizes, n), s.unread+n
		}
		s.mu.Unlock()
		if free {
			return
		}
		select {
		case <-s.changed:
		case <-ctx.Done():
			return
		}
	}
}

// written counts a line that was written.
func (s *stdio) written(line []byte) {
	switch head := line[:min(len(line), 80)]; {
	case bytes.HasPrefix(head, update):
		s.mu.Lock()
		if len(s.sizes) > 0 {
			s.unread -= s.sizes[0]
			s.sizes = s.sizes[1:]
		}
		s.mu.Unlock()
	case !ours.Match(head):
		s.count(-1)
	}
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// Read implements io.Reader.
func (s *stdio) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if n == 0 && err == io.EOF {
		s.linger()
	}
	return n, err
}

// linger returns when nothing waits for an answer, or after lastAnswers.
func (s *stdio) linger() {
	late := time.NewTimer(lastAnswers)
	defer late.Stop()
	for s.count(0) > 0 {
		select {
		case <-s.changed:
		case <-late.C:
			return
		}
	}
}

// ours matches the beginning of a line that is no answer, and update is that of an update.
var (
	ours   = regexp.MustCompile(`^\{"jsonrpc":"2\.0",("id":[0-9]+,)?"method":`)
	update = []byte(`{"jsonrpc":"2.0","method":"session/update"`)
)

// Write implements io.Writer: each call has one whole line.
func (s *stdio) Write(line []byte) (int, error) {
	n, err := s.Writer.Write(line)
	s.written(line)
	return n, err
}

// Close implements io.Closer.
func (s *stdio) Close() error { return nil }
