package view

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"vibey/dialog"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/tools/caught"
)

// readings are the watched dialogs that this process does not run, each read and
// parsed once for all its watchers.
type readings struct {
	ctx   context.Context // ends what follows files
	log   *slog.Logger
	room  *hub.Room
	slots chan struct{}                                                               // one entry for each file being read, which is held twice until it is compared
	end   func(p *project.Project, t project.DialogText, d *dialog.Dialog) *hub.Event // Reader.endOf

	mu       sync.Mutex
	underway map[hub.Key]chan struct{} // the dialogs that are being read
	all      []*reading                // the oldest first
	bytes    int                       // of all their texts
	most     int                       // readingsMost
}

// reading is one reading of a dialog, and the hub that shows it.
type reading struct {
	*hub.Hub
	text   project.DialogText
	cancel context.CancelFunc // of the goroutine that follows the file, nil for none
	again  bool               // it looks once more before it ends, for a watcher that came meanwhile
}

// Bounds of what watchers cost that read nothing: beyond readingsMost bytes of dialogs
// the streams of the oldest reading end. readers files are read at a time.
const (
	readingsMost = 256 << 20
	readers      = 4
)

// join watches a dialog as its files are now. What the stream ends with is made
// without the lock and not as one of the readers: it may read many files, and other
// dialogs do not wait for that.
func (x *readings) join(ctx context.Context, p *project.Project, id string, last *hub.Pos) (*hub.Sub, error) {
	s, sub, end, err := x.watch(ctx, p, id, last)
	if err != nil {
		return nil, err
	}
	handed := false
	defer func() {
		if !handed {
			sub.Close()
		}
	}()
	if e := end(); e != nil {
		s.EndWith(sub, e)
	} else {
		x.follow(p, s, sub)
	}
	handed = true
	return sub, nil
}

// watch finds the reading of a dialog as its files are now, or makes it, and
// adds a watcher. end makes the event that its stream ends with, or nil.
func (x *readings) watch(ctx context.Context, p *project.Project, id string, last *hub.Pos) (s *reading, sub *hub.Sub, end func() *hub.Event, err error) {
	key := hub.Key{Project: p.Name(), Dialog: id}
	for {
		s, sub, t, d, others := x.unchanged(p, key, last)
		if s != nil {
			return s, sub, func() *hub.Event { return x.end(p, t, d) }, nil
		}
		if others == nil {
			break
		}
		select {
		case <-others:
		case <-ctx.Done():
			return nil, nil, nil, ctx.Err()
		}
	}
	defer x.done(key)
	select {
	case x.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, nil, ctx.Err()
	}
	defer func() { <-x.slots }()
	t, err := p.ReadDialog(id)
	if err != nil {
		return nil, nil, nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	s, sub, d := x.joined(key, last, func(of project.DialogText) bool { return of.Same(&t) })
	if s == nil {
		s = x.add(key, t)
		sub, d, _ = s.joined(last)
		x.makeRoom(s)
	}
	return s, sub, func() *hub.Event { return x.end(p, t, d) }, nil
}

// unchanged adds a watcher to a reading whose files did not change since. t is their text
// and d its dialog, which s may have dropped by then. If there is no such reading, and
// another caller is reading the dialog, it returns a channel that is closed when that is
// done; if there is no such caller either, the channel is nil, and the caller must read
// the dialog and then call done.
func (x *readings) unchanged(p *project.Project, key hub.Key, last *hub.Pos) (s *reading, sub *hub.Sub, t project.DialogText, d *dialog.Dialog, others <-chan struct{}) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if s, sub, d := x.joined(key, last, p.Unchanged); s != nil {
		return s, sub, s.text, d, nil
	}
	if now, ok := x.underway[key]; ok {
		return nil, nil, t, nil, now
	}
	x.underway[key] = make(chan struct{})
	return nil, nil, t, nil, nil
}

// done wakes the callers that wait for a dialog to be read.
func (x *readings) done(key hub.Key) {
	x.mu.Lock()
	defer x.mu.Unlock()
	close(x.underway[key])
	delete(x.underway, key)
}

// joined adds a watcher to the newest reading of a dialog whose text is still as it is now,
// if there is one. The caller must hold x.mu.
func (x *readings) joined(key hub.Key, last *hub.Pos, same func(project.DialogText) bool) (*reading, *hub.Sub, *dialog.Dialog) {
	for _, s := range slices.Backward(x.all) {
		if s.Key() == key && same(s.text) {
			if sub, d, ok := s.joined(last); ok {
				return s, sub, d
			}
		}
	}
	return nil, nil, nil
}

// joined adds a watcher, and returns the dialog that it is shown, which is read first: one
// that can be joined after that had not been dropped.
func (s *reading) joined(last *hub.Pos) (*hub.Sub, *dialog.Dialog, bool) {
	d := s.Dialog()
	sub, ok := s.Join(last)
	return sub, d, ok
}

// makeRoom drops the oldest readings, but not keep, while all hold too much. None makes
// room for one that is too large alone. The caller must hold x.mu.
func (x *readings) makeRoom(keep *reading) {
	for x.bytes > x.most && len(keep.text.Text) <= x.most {
		oldest := x.all[0]
		if oldest == keep {
			oldest = x.all[1] // another there is, for keep alone is not too large
		}
		oldest.Drop(hub.Event{Type: hub.ErrorEvent, Kind: "slow", Message: "Nothing was read of this dialog's stream for long, and others wait. The dialog is as it was; open it again."})
		x.remove(oldest)
	}
}

// add makes the hub of one reading. The caller must hold x.mu.
func (x *readings) add(key hub.Key, t project.DialogText) *reading {
	s := &reading{Hub: hub.New(key, x.room), text: t}
	s.OnUnseen(func() { x.leave(s) })
	s.Adopt(t.Parse(), t.Size, t.Filename, openText(t.Open))
	x.all = append(x.all, s)
	x.bytes += len(t.Text)
	return s
}

// follow has a goroutine follow the file of a reading, if none does, for a watcher that has
// read nothing yet: the dialog is being written, whatever end the reading has had. A
// reading that was dropped is not followed.
func (x *readings) follow(p *project.Project, s *reading, sub *hub.Sub) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !slices.Contains(x.all, s) {
		return
	}
	s.GoOn(sub)
	if s.again = s.cancel != nil; s.again {
		return
	}
	ctx, cancel := context.WithCancel(x.ctx)
	s.cancel = cancel
	caught.Go(x.log, "following a dialog", func() {
		defer cancel()
		ended := false
		defer func() {
			if !ended {
				x.unfollow(s, &hub.Event{Type: hub.ErrorEvent, Kind: "internal", Message: "This dialog can't be followed any more, by a fault of the server that stands in its log. The dialog itself is not touched by it; open it again."})
			}
		}()
		for !ended {
			ended = x.unfollow(s, x.poll(ctx, s, p))
		}
	})
}

// unfollow ends the streams of a reading with last, nil for none, and records that no
// goroutine follows its file. It returns false, and does neither, if a watcher came that
// found the dialog being written since last was made.
func (x *readings) unfollow(s *reading, last *hub.Event) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case last == nil:
	case last.Kind == "internal":
		s.Drop(*last)
	case s.again && last.Type != hub.ErrorEvent:
		s.again = false
		return false
	default:
		s.Publish(*last)
	}
	s.cancel = nil
	return true
}

// reread counts what a reading shows by now. It returns false for one that was
// dropped, and counts no more.
func (x *readings) reread(s *reading, t project.DialogText) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !slices.Contains(x.all, s) {
		return false
	}
	x.bytes += len(t.Text) - len(s.text.Text)
	s.text = t
	x.makeRoom(s)
	return true
}

// leave removes a reading whose last watcher has left.
func (x *readings) leave(s *reading) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !s.Watched() {
		x.remove(s)
	}
}

func (x *readings) remove(s *reading) {
	if s.cancel != nil {
		s.cancel()
	}
	if i := slices.Index(x.all, s); i >= 0 {
		x.all = slices.Delete(x.all, i, i+1)
		x.bytes -= len(s.text.Text)
	}
}

// openText is the text that an open response shows by now.
func openText(open string) string {
	var b strings.Builder
	d := dialog.Parse(open)
	for i := range d.Sections {
		if d.Sections[i].Role == dialog.Assistant {
			b.WriteString(d.Sections[i].Text())
		}
	}
	return b.String()
}

// followEvery is how often the files of a dialog are looked at that another process
// runs. The first looks come sooner: most writers that run no turn are done at once.
const (
	followEvery = 200 * time.Millisecond
	followFirst = 5 * time.Millisecond
)

// aliveEvery is after how many looks a dialog is read though its files did not
// change: the process that wrote it may have been killed, and then the reading
// repairs it.
const aliveEvery = 10

// poll shows a dialog that another process runs or writes, by its files, until it is
// neither, and returns the event that its streams end with. It returns nil if ctx ends, as
// it does when the last watcher leaves, and if the reading was dropped.
func (x *readings) poll(ctx context.Context, s *reading, p *project.Project) *hub.Event {
	wait := followFirst
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
		wait = min(2*wait, followEvery)
		if n%aliveEvery == 0 || !p.Unchanged(s.text) {
			t, err := p.ReadDialog(s.Key().Dialog)
			if err != nil {
				return &hub.Event{Type: hub.ErrorEvent, Kind: "gone", Message: "The dialog can't be read any more: " + err.Error()}
			}
			if !t.Same(&s.text) {
				s.Adopt(t.Parse(), t.Size, t.Filename, openText(t.Open))
				// After Adopt, so that a watcher that joins a reading of this text finds its sections.
				if !x.reread(s, t) {
					return nil
				}
			}
		}
		d := s.Dialog()
		if d == nil {
			return nil
		}
		if end := x.end(p, s.text, d); end != nil {
			return end
		}
	}
}
