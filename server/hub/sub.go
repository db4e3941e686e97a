package hub

import (
	"context"

	"vibey/dialog"
)

// Sub is one watcher of a dialog: a position in its hub. A slow one holds up
// neither the turn nor another watcher, and keeps nothing but its position; one
// that the hub has gone past begins anew with a reset.
type Sub struct {
	hub  *Hub
	wake chan struct{}

	// The rest is guarded by hub.mu.
	skip   bool // until the User section, which must be first
	gen    int  // the reading of the dialog that the places are of
	at     int  // the next section of those that were there at first,
	upTo   int  // which are so many; then
	next   int  // the next entry of the log, and at its end
	opened int  // bytes of the open response's text that were read

	end   *Event // what the stream ends with, made for this watcher; nil where the log tells it
	ended bool
}

// batchMax is how many events are read at a time. They are made as they are
// read, from what all watchers share.
const batchMax = 64

// Next waits for events and returns some of those that are there. ok is false
// when the stream has ended and everything was read, or ctx is over.
func (s *Sub) Next(ctx context.Context) (batch []Event, ok bool) {
	for {
		batch, over := s.read()
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

// Each calls f with the events until the stream ends or ctx does. It returns the last one.
func (s *Sub) Each(ctx context.Context, f func(Event)) (last Event) {
	for batch, ok := s.Next(ctx); ok; batch, ok = s.Next(ctx) {
		for _, last = range batch {
			f(last)
		}
	}
	return last
}

// Close leaves; the turn works on.
func (s *Sub) Close() {
	h := s.hub
	h.mu.Lock()
	delete(h.subs, s)
	h.empty()
	unseen := len(h.subs) == 0 && h.unseen != nil
	h.mu.Unlock()
	if unseen {
		h.unseen()
	}
}

// read takes the next events. over is true where nothing is left and nothing comes.
func (s *Sub) read() (batch []Event, over bool) {
	h := s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.ended {
		return nil, true
	}
	if h.dropped != nil {
		if s.gen != dropped {
			s.gen, batch = dropped, append(batch, *h.dropped)
		}
		return batch, true
	}
	if s.gen != h.gen || s.next < h.base {
		s.gen, s.at, s.upTo, s.next, s.opened, s.skip = h.gen, 0, len(h.sections), h.now(s), 0, false
		batch = append(batch, Event{Type: ResetEvent, DialogID: h.key.Dialog, Filename: h.filename})
	}
	for ; s.at < s.upTo && len(batch) < batchMax; s.at++ {
		batch = s.give(batch, h.sectionEvent(s.at))
	}
	for ; s.at == s.upTo && s.next < h.base+len(h.log) && len(batch) < batchMax && !s.ended; s.next++ {
		e := h.log[s.next-h.base]
		switch {
		case e.section >= 0:
			e.event = h.sectionEvent(e.section)
		case e.event.Type == ChunkEvent:
			e.event.Content, s.opened = e.event.Content[s.opened:], 0
			if e.event.Content == "" {
				continue
			}
		}
		batch = s.give(batch, e.event)
		s.ended = e.event.Ends() // the log may go on behind it, for others
	}
	if s.ended {
		return batch, true
	}
	if s.at < s.upTo || s.next < h.base+len(h.log) {
		return batch, false
	}
	if n := h.open.Len(); n > s.opened {
		batch = s.give(batch, Event{Type: ChunkEvent, Pos: h.pos(), DialogID: h.key.Dialog, Filename: h.filename, Content: h.open.String()[s.opened:]})
		s.opened = n
	}
	if s.end != nil {
		s.end.Pos, s.ended = h.pos(), true
		batch = append(batch, *s.end)
	}
	return batch, h.over || s.ended
}

// dropped is the gen of a watcher that has got the event of Drop.
const dropped = -2

func (h *Hub) sectionEvent(i int) Event {
	return Event{Type: SectionEvent, Pos: Pos{Whole: h.ends[i]}, DialogID: h.key.Dialog, Filename: h.filename, Section: &h.sections[i]}
}

// give adds an event to a batch, unless what is left out at first comes still.
func (s *Sub) give(batch []Event, e Event) []Event {
	if s.skip && e.Type == SectionEvent && e.Section.Role != dialog.User {
		return batch
	}
	s.skip = false
	return append(batch, e)
}

func (s *Sub) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
