package turn

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"vibey/dialog"
)

// Live is one dialog as all those see it who watch it: what is whole, what is
// open, and what happened of late. It holds each text once, however many watch;
// a watcher (Sub) is a position in it. A turn feeds the Live of the dialog that
// it runs; for another dialog, join.go feeds one from the file.
type Live struct {
	key      liveKey
	cancel   context.CancelCauseFunc // of what feeds it
	finished chan struct{}
	room     *room

	mu       sync.Mutex
	filename string
	d        *dialog.Dialog
	sections []dialog.Section // of d, as far as they are on disk
	ends     []int64          // the file's size behind each of them
	gen      int              // how often they were read anew: then all places are others
	open     strings.Builder  // the open response's text so far
	log      []entry          // what happened since base that somebody has not seen
	base     int              // how many entries there were before those of log
	held     int64            // bytes of text in log
	last     bool             // the last entry of log ends the stream
	over     bool             // nothing follows
	dropped  *Event           // all that is left of one that was let go of
	subs     map[*Sub]struct{}
	unseen   func() // called when the last watcher has left; may be nil
}

// entry is one thing that happened: an event, or the section at a place.
type entry struct {
	section int // -1 for an event
	event   Event
}

// What a Live keeps for watchers who are slow. One who falls behind it begins
// anew, so that nobody who reads nothing makes the server hold more.
const (
	logMax  = 1024     // entries
	textMax = 1 << 20  // bytes of answers that have ended, and the last one
	textMin = 64 << 10 // that much, where many dialogs have slow watchers;
	textAll = 16 << 20 // else they share so many bytes
)

// room counts what the logs of all dialogs hold.
type room struct{ dialogs, bytes atomic.Int64 }

// share is how many bytes of text one log may hold.
func (r *room) share() int64 {
	return min(textMax, max(textMin, textAll/max(1, r.dialogs.Load())))
}

func newLive(key liveKey, cancel context.CancelCauseFunc, all *room) *Live {
	return &Live{key: key, cancel: cancel, finished: make(chan struct{}), room: all, subs: make(map[*Sub]struct{})}
}

// wait returns when the turn is closed in its file.
func (l *Live) wait(ctx context.Context) error {
	select {
	case <-l.finished:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// whole is the file's size behind the last whole section.
func (l *Live) whole() int64 {
	if len(l.ends) == 0 {
		return 0
	}
	return l.ends[len(l.ends)-1]
}

// dialog is what l shows by now, nil where it was let go of.
func (l *Live) dialog() *dialog.Dialog {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.d
}

// show takes over the dialog as it stands on disk by now, in a file of that
// size and name. Where d is the one of the last time, watchers are told of the
// sections that came; another one was read anew because somebody edited the
// file, and all watchers begin anew.
func (l *Live) show(d *dialog.Dialog, size int64, filename string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.filename = filename
	if d != l.d {
		l.anew(d, sectionEnds(d, size))
		return
	}
	first := len(l.sections)
	ends := make([]int64, len(d.Sections)-first)
	for i := len(ends) - 1; i >= 0; i-- {
		ends[i] = size
		size -= int64(len(d.Encode(d.Sections[first+i])))
	}
	l.grow(d, append(l.ends, ends...))
}

// adopt is show for a dialog that another process writes: d is parsed anew each
// time, and open is what the open response shows. What it has in common with
// the last time stays where it is.
func (l *Live) adopt(d *dialog.Dialog, size int64, filename, open string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dropped != nil {
		return // whoever lets go of l does not wait for the one who feeds it
	}
	l.filename = filename
	ends := sectionEnds(d, size)
	if l.d == nil || place(ends, l.whole()) != len(l.sections) || len(ends) == len(l.ends) && !strings.HasPrefix(open, l.open.String()) {
		l.anew(d, ends)
	} else {
		l.grow(d, ends)
	}
	if more := open[min(len(open), l.open.Len()):]; more != "" {
		l.open.WriteString(more)
		l.wake()
	}
}

// anew takes over a dialog that has nothing in common with the one before.
func (l *Live) anew(d *dialog.Dialog, ends []int64) {
	l.gen++
	l.last = false
	l.d, l.sections, l.ends = d, d.Sections[:len(d.Sections):len(d.Sections)], ends
	l.open = strings.Builder{}
	l.forget(len(l.log))
	l.wake()
}

// grow takes over the sections that follow those that are there. They hold what
// was open; its text stays for those who have seen only a part of it.
func (l *Live) grow(d *dialog.Dialog, ends []int64) {
	first := len(l.sections)
	l.trim()
	if n := len(d.Sections); n > first && l.open.Len() > 0 {
		l.add(entry{-1, Event{Type: ChunkEvent, Content: l.open.String(), Pos: l.pos(), DialogID: l.key.id, Filename: l.filename}})
		l.open = strings.Builder{}
	}
	l.d, l.sections, l.ends = d, d.Sections[:len(d.Sections):len(d.Sections)], ends
	for i := first; i < len(l.sections); i++ {
		l.add(entry{section: i})
	}
	l.wake()
}

// pos is how far the dialog has come.
func (l *Live) pos() Pos { return Pos{l.whole(), int64(l.open.Len())} }

// publish tells all watchers; the caller has written it to disk before.
func (l *Live) publish(e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.Type == ChunkEvent {
		l.open.WriteString(e.Content)
		l.wake()
		return
	}
	e.DialogID, e.Filename, e.Pos = l.key.id, l.filename, l.pos()
	l.trim()
	l.last = e.Ends()
	l.add(entry{-1, e})
	l.wake()
}

func (l *Live) add(e entry) {
	l.log = append(l.log, e)
	l.hold(int64(len(e.event.Content)))
}

// trim lets go of what all watchers have seen, and of what has no room. It
// comes before something is added, so that a watcher who is not slow has all of
// a round to read it.
func (l *Live) trim() {
	seen := l.base + len(l.log)
	for s := range l.subs {
		seen = min(seen, s.next)
	}
	l.forget(max(0, seen-l.base))
	for len(l.log) > logMax || l.held > l.room.share() {
		l.forget((len(l.log) + 1) / 2)
	}
}

// forget takes the first n entries out of the log.
func (l *Live) forget(n int) {
	if n == 0 {
		return
	}
	for i := range l.log[:n] {
		l.hold(-int64(len(l.log[i].event.Content)))
	}
	l.log, l.base = append([]entry(nil), l.log[n:]...), l.base+n
}

func (l *Live) hold(n int64) {
	was := l.held
	l.held += n
	l.room.bytes.Add(n)
	if was == 0 && l.held > 0 {
		l.room.dialogs.Add(1)
	} else if was > 0 && l.held == 0 {
		l.room.dialogs.Add(-1)
	}
}

// wake tells all watchers that there is something to read.
func (l *Live) wake() {
	for s := range l.subs {
		s.nudge()
	}
}

// close ends all streams when they are read to their end.
func (l *Live) close() {
	l.mu.Lock()
	l.over = true
	l.wake()
	l.empty()
	l.mu.Unlock()
	close(l.finished)
}

// empty lets go of the log of a stream that is over and that nobody reads.
func (l *Live) empty() {
	if l.over && len(l.subs) == 0 {
		l.forget(len(l.log))
	}
}

// drop lets go of all that l holds: its watchers get e, which ends their streams.
func (l *Live) drop(e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.DialogID, e.Filename = l.key.id, l.filename
	l.dropped, l.over = &e, true
	l.d, l.sections, l.ends, l.open = nil, nil, nil, strings.Builder{}
	l.forget(len(l.log))
	l.wake()
}

// watch adds a watcher who has seen the first known sections and will see all
// that follows. fromUser leaves out what comes before the first User section.
func (l *Live) watch(fromUser bool, known int) *Sub {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sub(&Sub{skip: fromUser, gen: l.gen, at: known})
}

// join adds a watcher who has what last tells, nil for nothing: he gets what is
// missing, then what comes. A position that is none of this text gets a reset
// and everything. ok is false where the turn is over.
func (l *Live) join(last *Pos) (*Sub, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return nil, false
	}
	s := &Sub{gen: l.gen}
	if last != nil {
		s.at = place(l.ends, last.Whole)
		switch {
		case s.at < 0 || s.at == len(l.sections) && last.Open > int64(l.open.Len()):
			s.gen = -1 // of no reading: it begins anew
		case s.at == len(l.sections):
			s.opened = int(last.Open)
		}
	}
	return l.sub(s), true
}

func (l *Live) sub(s *Sub) *Sub {
	s.live, s.wake = l, make(chan struct{}, 1)
	s.upTo, s.next = len(l.sections), l.now(s)
	l.subs[s] = struct{}{}
	s.nudge()
	return s
}

// endWith makes a watcher's stream end with e, and not with what the log tells.
func (l *Live) endWith(s *Sub, e *Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.end = e
	s.next = l.now(s)
}

// now is the number of the entry that comes next for a new watcher: the one that
// ended the stream, if he has no end of his own.
func (l *Live) now(s *Sub) int {
	n := l.base + len(l.log)
	if l.last && s.end == nil {
		n--
	}
	return n
}

// place is how many sections a file of that size holds whole, or -1 where the
// size is between.
func place(ends []int64, size int64) int {
	if size == 0 {
		return 0
	}
	for i := len(ends) - 1; i >= 0; i-- {
		if ends[i] == size {
			return i + 1
		}
	}
	return -1
}

// sectionEnds are the places behind each section of d in its file of that size.
// Those that were appended after d was parsed are counted back from its end.
func sectionEnds(d *dialog.Dialog, size int64) []int64 {
	ends := make([]int64, len(d.Sections))
	for i := len(ends) - 1; i >= 0; i-- {
		if d.Appended(i) {
			ends[i] = size
			size -= int64(len(d.Encode(d.Sections[i])))
			continue
		}
		ends[i] = int64(d.End(i))
	}
	return ends
}
