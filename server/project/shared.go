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
	mu   sync.Mutex    // guards next, and busy until it is made
	next *reading[T]   // nil if none is asked for that has not begun
	busy chan struct{} // full while one is made
	rest time.Time     // before which the next does not begin; of the one who filled busy
}

type reading[T any] struct {
	done  chan struct{}
	value T
	err   error
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
	if s.busy == nil {
		s.busy = make(chan struct{}, 1)
	}
	r := s.next
	joins := r != nil
	if !joins {
		r = &reading[T]{done: make(chan struct{}), err: errBroken}
		s.next = r
	}
	s.mu.Unlock()
	if joins {
		<-r.done
		return r.value, r.err
	}
	s.busy <- struct{}{} // when the one before is over
	defer func() { <-s.busy }()
	time.Sleep(time.Until(s.rest))
	s.mu.Lock()
	s.next = nil // others could join it until now
	s.mu.Unlock()
	defer close(r.done)
	begin := time.Now()
	r.value, r.err = read()
	s.rest = time.Now().Add(min(restTimes*time.Since(begin), restMost))
	return r.value, r.err
}
