package turn

import (
	"context"
	"strings"
	"sync"

	"vibey/dialog"
)

// queueMax is how many events a watcher may lag behind before he is made to
// begin anew. Pieces of text are joined while they wait, so that only a watcher
// who reads nothing at all gets there.
const queueMax = 4096

// Live is a running turn as others see it: what is whole, what is open, and
// who watches. It is the hub: the turn publishes, watchers have queues.
type Live struct {
	key      liveKey
	cancel   context.CancelCauseFunc
	finished chan struct{}

	mu       sync.Mutex
	filename string
	d        *dialog.Dialog   // whose sections they are
	sections []dialog.Section // the dialog's, as far as they are on disk
	ends     []int64          // the file's size behind each of them
	open     strings.Builder  // the open response's text so far
	last     *Event           // the event that ended the stream
	subs     map[*Sub]struct{}
}

func newLive(key liveKey, cancel context.CancelCauseFunc) *Live {
	return &Live{key: key, cancel: cancel, finished: make(chan struct{}), subs: make(map[*Sub]struct{})}
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

// show takes over the dialog as it stands on disk by now, in a file of that
// size and name. Where d is the one of the last time, watchers are told of the
// sections that came; another one was read anew because somebody edited the
// file, and all watchers begin anew.
func (l *Live) show(d *dialog.Dialog, size int64, filename string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.filename = filename
	switch {
	case l.d == nil:
		l.take(d, size)
	case d != l.d:
		l.take(d, size)
		l.open.Reset()
		for s := range l.subs {
			s.mu.Lock()
			s.restart()
			s.mu.Unlock()
			s.nudge()
		}
	case len(d.Sections) > len(l.sections):
		l.grow(d, size)
	}
}

func (l *Live) take(d *dialog.Dialog, size int64) {
	l.d = d
	l.sections = d.Sections[:len(d.Sections):len(d.Sections)]
	l.ends = sectionEnds(d, size)
}

// grow tells all watchers of the sections that were appended.
func (l *Live) grow(d *dialog.Dialog, size int64) {
	first := len(l.sections)
	l.sections = d.Sections[:len(d.Sections):len(d.Sections)]
	ends := make([]int64, len(l.sections)-first)
	for i := len(ends) - 1; i >= 0; i-- {
		ends[i] = size
		size -= int64(len(d.Encode(l.sections[first+i])))
	}
	l.ends = append(l.ends, ends...)
	l.open.Reset()
	for i := first; i < len(l.sections); i++ {
		l.tell(Event{Type: SectionEvent, Pos: Pos{Whole: l.ends[i]}, DialogID: l.key.id, Filename: l.filename, Section: &l.sections[i]})
	}
}

// publish tells all watchers; the caller has written it to disk before.
func (l *Live) publish(e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.DialogID, e.Filename = l.key.id, l.filename
	if e.Type == ChunkEvent {
		l.open.WriteString(e.Content)
	}
	e.Pos = Pos{l.whole(), int64(l.open.Len())}
	if e.Ends() {
		l.last = &e
	}
	l.tell(e)
}

func (l *Live) tell(e Event) {
	for s := range l.subs {
		s.push(e)
	}
}

// close ends all streams. The file is closed by then.
func (l *Live) close() {
	l.mu.Lock()
	for s := range l.subs {
		s.finish()
	}
	l.subs = nil
	l.mu.Unlock()
	close(l.finished)
}

// watch adds a watcher who has seen the first known sections and will see all
// that follows; ok is false where the turn is over.
func (l *Live) watch(fromUser bool, known int) (*Sub, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var first []Event
	if known < len(l.sections) {
		at := Pos{}
		if known > 0 {
			at.Whole = l.ends[known-1]
		}
		first = missing(l.sections, l.ends, "", &at, l.key.id, l.filename)
	}
	return l.add(fromUser, first)
}

func (l *Live) add(fromUser bool, first []Event) (*Sub, bool) {
	if l.subs == nil {
		return nil, false
	}
	s := &Sub{live: l, wake: make(chan struct{}, 1), skip: fromUser, queue: first}
	l.subs[s] = struct{}{}
	if len(first) > 0 {
		s.wake <- struct{}{}
	}
	return s, true
}

// join adds a watcher who has what last tells, nil for nothing: he gets what
// is missing, then what comes.
func (l *Live) join(last *Pos) (*Sub, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := missing(l.sections, l.ends, l.open.String(), last, l.key.id, l.filename)
	if l.last != nil {
		first = append(first, *l.last)
	}
	return l.add(false, first)
}

// missing is what a watcher at that position lacks. A position that is none of
// this text gets a reset and everything.
func missing(secs []dialog.Section, ends []int64, open string, last *Pos, id, filename string) []Event {
	from, opened := 0, int64(0)
	var out []Event
	if last != nil {
		from = place(ends, last.Whole)
		switch {
		case from < 0 || from == len(secs) && last.Open > int64(len(open)):
			from = 0
			out = append(out, Event{Type: ResetEvent, DialogID: id, Filename: filename})
		case from == len(secs):
			opened = last.Open
		}
	}
	for i := from; i < len(secs); i++ {
		out = append(out, Event{Type: SectionEvent, Pos: Pos{Whole: ends[i]}, DialogID: id, Filename: filename, Section: &secs[i]})
	}
	if int64(len(open)) > opened {
		pos := Pos{Open: int64(len(open))}
		if len(ends) > 0 {
			pos.Whole = ends[len(ends)-1]
		}
		out = append(out, Event{Type: ChunkEvent, Pos: pos, DialogID: id, Filename: filename, Content: open[opened:]})
	}
	return out
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
