package project

import (
	"errors"
	"sync"
	"time"
)

// shared lets many callers share one costly reading of something that changes. Each gets
// a reading that began after it asked, so what it was before does not count. Its zero
// value is ready for use.
type shared[T any] struct {
	mu   sync.Mutex
	last *reading[T] // nil if none was asked for yet
}

type reading[T any] struct {
	after *reading[T] // the one before, until this begins
	begun bool        // guarded by shared.mu
	done  chan struct{}
	value T
	err   error
	rest  time.Time // before which the next does not begin
}

// A reading is followed by a pause of restTimes its duration, restMost at most: whatever
// the number of callers, they cost a twentieth of a processor. One that comes alone
// waits for nothing.
const (
	restTimes = 19
	restMost  = 50 * time.Millisecond
)

// errBroken is what those get who share a reading that panicked.
var errBroken = errors.New("a fault of this program broke the reading off")

// get returns what read returns. The callers that share it must not change it.
func (s *shared[T]) get(read func() (T, error)) (T, error) {
	s.mu.Lock()
	r := s.last
	joins := r != nil && !r.begun
	if !joins {
		r = &reading[T]{after: r, done: make(chan struct{}), err: errBroken}
		s.last = r
	}
	s.mu.Unlock()
	if joins {
		<-r.done
	} else {
		s.do(r, read)
	}
	return r.value, r.err
}

// do makes the reading r when that before it is over. Others may join r until it begins.
func (s *shared[T]) do(r *reading[T], read func() (T, error)) {
	if r.after != nil {
		<-r.after.done
		time.Sleep(time.Until(r.after.rest))
	}
	s.mu.Lock()
	r.begun, r.after = true, nil
	s.mu.Unlock()
	defer close(r.done)
	begin := time.Now()
	r.value, r.err = read()
	r.rest = time.Now().Add(min(restTimes*time.Since(begin), restMost))
}
