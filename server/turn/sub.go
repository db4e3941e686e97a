package turn

import (
	"context"
	"sync"

	"vibey/dialog"
)

// Sub is one watcher of a dialog, with a queue of his own: a slow one holds up
// neither the turn nor another watcher.
type Sub struct {
	live *Live // nil for a dialog that does not run
	wake chan struct{}

	mu    sync.Mutex
	queue []Event
	skip  bool // until the User section, which must be first
	over  bool // nothing follows what is queued
}

// Next waits for events and returns all that are there. ok is false when the
// stream has ended and everything was read, or ctx is over.
func (s *Sub) Next(ctx context.Context) (batch []Event, ok bool) {
	for {
		s.mu.Lock()
		batch, s.queue = s.queue, nil
		over := s.over
		s.mu.Unlock()
		if len(batch) > 0 {
			return batch, true
		}
		if over {
			return nil, false
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return nil, false
		}
	}
}

// Close leaves; the turn works on.
func (s *Sub) Close() {
	if s.live == nil {
		return
	}
	s.live.mu.Lock()
	delete(s.live.subs, s)
	s.live.mu.Unlock()
}

// push queues an event. The caller holds the hub's lock.
func (s *Sub) push(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.skip {
		if e.Type == SectionEvent && e.Section.Role != dialog.User {
			return
		}
		s.skip = false
	}
	n := len(s.queue)
	switch {
	case e.Type == ChunkEvent && n > 0 && s.queue[n-1].Type == ChunkEvent:
		s.queue[n-1].Content += e.Content
		s.queue[n-1].Pos = e.Pos
	case n >= queueMax:
		s.restart()
	default:
		s.queue = append(s.queue, e)
	}
	s.nudge()
}

// restart replaces a queue that nobody reads by a reset and what the dialog
// holds now; the event that did not fit is part of that.
func (s *Sub) restart() {
	l := s.live
	s.queue = append([]Event{{Type: ResetEvent, DialogID: l.key.id, Filename: l.filename}},
		missing(l.sections, l.ends, l.open.String(), nil, l.key.id, l.filename)...)
	if l.last != nil {
		s.queue = append(s.queue, *l.last)
	}
}

func (s *Sub) finish() {
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	s.nudge()
}

func (s *Sub) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
