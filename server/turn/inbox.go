package turn

import (
	"context"
	"errors"
	"slices"
	"sync"

	"vibey/dialog"
	"vibey/server/project"
	"vibey/server/turn/family"
)

// inbox is how mail reaches a dialog whose turn runs in this process. While the turn's
// calls run, mail is written to the file at once, for the next request takes it along.
// While a request is made it waits: in the file it would stand before an answer that was
// given without it. The turn writes what waits behind that answer. The zero value lets
// mail wait.
type inbox struct {
	mu     sync.Mutex
	open   bool // mail is written at once
	closed bool // the turn takes none any more
	queue  []*letter
}

// letter is mail that waits for a turn to write it.
type letter struct {
	dialog.Mail
	written chan error // has room for the one answer
}

// inboxMost is how much mail waits for one turn: more than a family has dialogs.
const inboxMost = 2 * family.All

var (
	errLeft  = errors.New("the turn is over")
	errCrowd = errors.New("too many messages wait for that dialog already")
)

// post gives mail to a turn that runs, and returns when it is in the file; with wait
// false already when the turn has it. The error is errLeft where the turn takes none any
// more; then the caller waits for its end. When ctx ends the mail is taken back, and the
// error is its cause.
func (t *turn) post(ctx context.Context, m dialog.Mail, wait bool) error {
	l, err := t.drop(m)
	if l == nil || !wait {
		return err
	}
	select {
	case err := <-l.written:
		return err
	case <-ctx.Done():
	}
	if t.inbox.withdraw(l) {
		return context.Cause(ctx)
	}
	return <-l.written // it was written in this moment
}

// drop writes mail, or lets it wait: l is nil where it does not.
func (t *turn) drop(m dialog.Mail) (l *letter, err error) {
	x := &t.inbox
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil, errLeft
	}
	if x.open {
		err := t.in.Project.Insert(t.f.ID(), func(taken func(string) bool) (dialog.Section, bool) {
			return m.Section(t.r.w.Now()), !taken(m.ID())
		})
		if !errors.Is(err, project.ErrConflict) {
			return nil, err
		}
		// An editor saved the file: the turn reads that first.
	}
	if len(x.queue) >= inboxMost {
		return nil, errCrowd
	}
	l = &letter{m, make(chan error, 1)}
	x.queue = append(x.queue, l)
	return l, nil
}

// withdraw takes a letter back. It returns false for one that does not wait any more.
func (x *inbox) withdraw(l *letter) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := len(x.queue)
	x.queue = slices.DeleteFunc(x.queue, func(o *letter) bool { return o == l })
	return len(x.queue) < n
}

// admit writes the mail that waits, and lets all be written at once from here on.
func (t *turn) admit() error {
	t.inbox.mu.Lock()
	defer t.inbox.mu.Unlock()
	t.inbox.open = true
	return t.empty()
}

// hold lets mail wait from here on.
func (t *turn) hold() {
	t.inbox.mu.Lock()
	defer t.inbox.mu.Unlock()
	t.inbox.open = false
}

// mailed writes the mail that came since the model had its word, and reports whether the
// turn goes on for it. If not, the turn takes none any more.
func (t *turn) mailed() (goesOn bool, err error) {
	x := &t.inbox
	x.mu.Lock()
	defer x.mu.Unlock()
	goesOn = t.asked && (slices.ContainsFunc(x.queue, func(l *letter) bool { return l.Wakes }) || t.hasUntold())
	err = t.empty()
	x.closed = !goesOn || err != nil
	return !x.closed, err
}

// shut writes the mail that waits for a turn which did not come to a good end, and takes
// none any more.
func (t *turn) shut() error {
	t.inbox.mu.Lock()
	defer t.inbox.mu.Unlock()
	t.inbox.closed = true
	return t.empty()
}

// turnAway sends back what waits for a turn that writes nothing any more.
func (x *inbox) turnAway() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	for _, l := range x.queue {
		l.written <- errLeft
	}
	x.queue = nil
}

// empty appends what waits. The caller must hold the inbox, and be the turn's goroutine.
func (t *turn) empty() error {
	x := &t.inbox
	if len(x.queue) == 0 {
		return nil
	}
	var secs []dialog.Section
	for _, l := range x.queue {
		s := l.Section(t.r.w.Now())
		if !t.dialog().HasID(s.ID) && !slices.ContainsFunc(secs, func(o dialog.Section) bool { return o.ID == s.ID }) {
			secs = append(secs, s)
		}
	}
	err := t.append(secs...)
	for _, l := range x.queue {
		l.written <- err
	}
	x.queue = nil
	return err
}
