// Package hub shows a dialog to its watchers. A Hub holds the whole sections, the
// open text and the latest events once, however many watch; a watcher (Sub) is a
// position in it, so that a slow one costs neither the turn nor the others anything.
// The feeder writes to disk before it publishes:
//
//	h := hub.New(hub.Key{Project: "p", Dialog: id}, &room)
//	h.Show(d, size, filename)          // sections, as the file has them
//	h.Publish(hub.Event{Type: hub.ChunkEvent, Content: "a word"})
//	sub, ok := h.Join(nil)
//	for batch, ok := sub.Next(ctx); ok; batch, ok = sub.Next(ctx) { … }
package hub

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"vibey/dialog"
)

// Key names a dialog among those of all projects.
type Key struct{ Project, Dialog string }

// Hub is one dialog as its watchers see it. A turn feeds the hub of the
// Dialog that it runs; for another dialog, one is fed from its file.
type Hub struct {
	key  Key
	room *Room

	mu       sync.Mutex
	filename string
	d        *dialog.Dialog
	sections []dialog.Section // of d, as far as they are on disk
	ends     []int64          // the file's size behind each of them
	gen      int              // how often they were read anew: then all positions are others
	open     strings.Builder  // the open response's text so far
	log      []entry          // what happened since base that some watcher has not seen
	base     int              // how many entries there were before those of log
	held     int64            // bytes of text in log
	last     bool             // the last entry of log ends the stream
	over     bool             // nothing follows
	dropped  *Event           // what Drop leaves
	subs     map[*Sub]struct{}
	unseen   func() // called when the last watcher has left; may be nil
}

// entry is one thing that happened: an event, or the section at a place.
type entry struct {
	section int // -1 for an event
	event   Event
}

// Bounds of what a Hub keeps for slow watchers. One that falls behind begins anew,
// so that a watcher that reads nothing does not make the server hold more.
const (
	logMax  = 1024     // entries
	textMax = 1 << 20  // bytes of answers that have ended, the last one included
	textAll = 16 << 20 // bytes that all hubs of a Room share, but
	textMin = 64 << 10 // each may have so many
)

// Room counts what the logs of all hubs hold that share it. The zero value is
// ready.
type Room struct{ dialogs, bytes atomic.Int64 }

// share is how many bytes of text one log may hold.
func (r *Room) share() int64 {
	return min(textMax, max(textMin, textAll/max(1, r.dialogs.Load())))
}

// New returns a hub that shows nothing yet.
func New(key Key, all *Room) *Hub {
	return &Hub{key: key, room: all, subs: make(map[*Sub]struct{})}
}

// Key is the dialog that h shows.
func (h *Hub) Key() Key { return h.key }

// OnUnseen has f called whenever the last watcher has left. It is set before the
// first one comes.
func (h *Hub) OnUnseen(f func()) { h.unseen = f }

// whole is the file's size behind the last whole section.
func (h *Hub) whole() int64 {
	if len(h.ends) == 0 {
		return 0
	}
	return h.ends[len(h.ends)-1]
}

// Dialog is what h shows by now, nil after Drop.
func (h *Hub) Dialog() *dialog.Dialog {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.d
}

// Show takes over the dialog as it stands on disk by now, in a file of that
// size and name. Where d is the one of the last time, watchers are told of the
// sections that came; another one was read anew because the file was edited, and
// all watchers begin anew.
func (h *Hub) Show(d *dialog.Dialog, size int64, filename string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.filename = filename
	if d != h.d {
		h.anew(d, sectionEnds(d, 0, size))
		return
	}
	h.grow(d, append(h.ends, sectionEnds(d, len(h.sections), size)...))
}

// Adopt is Show for a dialog that another process writes: d is parsed anew each
// time, and open is what the open response shows. What it has in common with
// the last time stays where it is.
func (h *Hub) Adopt(d *dialog.Dialog, size int64, filename, open string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.dropped != nil {
		return // Drop does not wait for the feeder
	}
	h.filename = filename
	ends := sectionEnds(d, 0, size)
	if h.d == nil || wholeAt(ends, h.whole()) != len(h.sections) || len(ends) == len(h.ends) && !strings.HasPrefix(open, h.open.String()) {
		h.anew(d, ends)
	} else {
		h.grow(d, ends)
	}
	if more := open[min(len(open), h.open.Len()):]; more != "" {
		h.open.WriteString(more)
		h.wake()
	}
}

// anew takes over a dialog that has nothing in common with the one before.
func (h *Hub) anew(d *dialog.Dialog, ends []int64) {
	h.gen++
	h.last = false
	h.d, h.sections, h.ends = d, d.Sections[:len(d.Sections):len(d.Sections)], ends
	h.open = strings.Builder{}
	h.forget(len(h.log))
	h.wake()
}

// grow takes over the sections that follow those that are there. They hold what
// was open; its text stays for watchers that have seen only a part of it.
func (h *Hub) grow(d *dialog.Dialog, ends []int64) {
	first := len(h.sections)
	h.trim()
	if len(d.Sections) > first {
		h.keepOpen()
	}
	h.d, h.sections, h.ends = d, d.Sections[:len(d.Sections):len(d.Sections)], ends
	for i := first; i < len(h.sections); i++ {
		h.add(entry{section: i})
	}
	h.wake()
}

// keepOpen moves the open text into the log, for watchers that have seen only a
// part of it: what follows comes behind it.
func (h *Hub) keepOpen() {
	if h.open.Len() > 0 {
		h.add(entry{-1, Event{Type: ChunkEvent, Content: h.open.String(), Pos: h.pos(), DialogID: h.key.Dialog, Filename: h.filename}})
		h.open = strings.Builder{}
	}
}

// pos is how far the dialog has come.
func (h *Hub) pos() Pos { return Pos{h.whole(), int64(h.open.Len())} }

// Publish passes an event to all watchers. The caller has written it to disk before.
func (h *Hub) Publish(e Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if e.Type == ChunkEvent {
		h.open.WriteString(e.Content)
		h.wake()
		return
	}
	e.DialogID, e.Filename, e.Pos = h.key.Dialog, h.filename, h.pos()
	h.trim()
	if h.last = e.Ends(); h.last {
		h.keepOpen() // it was shown before
	}
	h.add(entry{-1, e})
	h.wake()
}

func (h *Hub) add(e entry) {
	h.log = append(h.log, e)
	h.hold(int64(len(e.event.Content)))
}

// trim drops what all watchers have seen, and what has no room. It is called before
// something is added, so that a watcher that is not slow has a whole round to read
// it.
func (h *Hub) trim() {
	seen := h.base + len(h.log)
	for s := range h.subs {
		seen = min(seen, s.next)
	}
	h.forget(max(0, seen-h.base))
	for len(h.log) > logMax || h.held > h.room.share() {
		h.forget((len(h.log) + 1) / 2)
	}
}

// forget takes the first n entries out of the log.
func (h *Hub) forget(n int) {
	if n == 0 {
		return
	}
	for i := range h.log[:n] {
		h.hold(-int64(len(h.log[i].event.Content)))
	}
	h.log, h.base = append([]entry(nil), h.log[n:]...), h.base+n
}

func (h *Hub) hold(n int64) {
	was := h.held
	h.held += n
	h.room.bytes.Add(n)
	if was == 0 && h.held > 0 {
		h.room.dialogs.Add(1)
	} else if was > 0 && h.held == 0 {
		h.room.dialogs.Add(-1)
	}
}

// wake signals to all watchers that there is something to read.
func (h *Hub) wake() {
	for s := range h.subs {
		s.nudge()
	}
}

// Close ends all streams when they are read to their end.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	h.wake()
	h.empty()
}

// empty drops the log of a stream that is over and has no watcher.
func (h *Hub) empty() {
	if h.over && len(h.subs) == 0 {
		h.forget(len(h.log))
	}
}

// Drop frees all that h holds: its watchers get e, which ends their streams.
func (h *Hub) Drop(e Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e.DialogID, e.Filename = h.key.Dialog, h.filename
	h.dropped, h.over = &e, true
	h.d, h.sections, h.ends, h.open = nil, nil, nil, strings.Builder{}
	h.forget(len(h.log))
	h.wake()
}

// Watch adds a watcher that has seen the first known sections and gets all that
// follow. fromUser leaves out what comes before the first User section.
func (h *Hub) Watch(fromUser bool, known int) *Sub {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sub(&Sub{skip: fromUser, gen: h.gen, at: known})
}

// Join adds a watcher that has read up to last, nil for nothing: it gets what is
// missing, then what comes. A position that is none of this text gets a reset
// and everything. ok is false where the turn is over.
func (h *Hub) Join(last *Pos) (*Sub, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return nil, false
	}
	s := &Sub{gen: h.gen}
	if last != nil {
		s.at = wholeAt(h.ends, last.Whole)
		switch {
		case s.at < 0 || s.at == len(h.sections) && last.Open > int64(h.open.Len()):
			s.gen = -1 // no reading has it: the watcher begins anew
		case s.at == len(h.sections):
			s.opened = int(last.Open)
		}
	}
	return h.sub(s), true
}

func (h *Hub) sub(s *Sub) *Sub {
	s.hub, s.wake = h, make(chan struct{}, 1)
	s.upTo, s.next = len(h.sections), h.now(s)
	h.subs[s] = struct{}{}
	s.nudge()
	return s
}

// EndWith makes a watcher's stream end with e instead of the log's last event.
func (h *Hub) EndWith(s *Sub, e *Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.end = e
	s.next = h.now(s)
}

// GoOn takes back an end that s, which has read nothing yet, would be shown first: the
// dialog goes on behind it.
func (h *Hub) GoOn(s *Sub) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := s.next - h.base; 0 <= i && i < len(h.log) && h.log[i].event.Ends() {
		s.next++
		h.last = h.last && i+1 < len(h.log)
	}
}

// now is the number of the entry that comes next for a new watcher: the one that
// ended the stream, if it has no end of its own.
func (h *Hub) now(s *Sub) int {
	n := h.base + len(h.log)
	if h.last && s.end == nil {
		n--
	}
	return n
}

// wholeAt is how many sections a file of that size holds whole, or -1 where the
// size is between.
func wholeAt(ends []int64, size int64) int {
	if size == 0 {
		return 0
	}
	if i, whole := slices.BinarySearch(ends, size); whole {
		return i + 1
	}
	return -1
}

// sectionEnds are the places behind each section of d from first on in its file of that
// size. Those that were appended after d was parsed are counted back from its end.
func sectionEnds(d *dialog.Dialog, first int, size int64) []int64 {
	ends := make([]int64, len(d.Sections)-first)
	for k := range slices.Backward(ends) {
		i := first + k
		if d.Appended(i) {
			ends[k] = size
			size -= int64(len(d.Encode(d.Sections[i])))
			continue
		}
		ends[k] = int64(d.End(i))
	}
	return ends
}

// Watched reports whether h has a watcher.
func (h *Hub) Watched() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.subs) > 0
}
