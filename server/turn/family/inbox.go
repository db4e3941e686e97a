package family

import (
	"context"
	"errors"
	"slices"
	"sync"

	"vibey/dialog"
	"vibey/server/project"
)

// Inbox passes mail to a dialog whose turn runs in this process. While the turn's calls
// run, mail is inserted into the file at once, for the next request takes it along. While a
// request is made mail is pending: in the file it would stand before an answer that was
// given without it. The turn appends what is pending behind that answer. A new Inbox is
// paused.
type Inbox struct {
	Insert func(dialog.Mail) error    // puts mail into the file from any goroutine
	Append func(...dialog.Mail) error // appends mail; called in the turn's goroutine alone

	mu     sync.Mutex
	open   bool // mail is inserted at once
	closed bool // no mail is taken any more
	queue  []*pending
}

// pending is mail that a turn has still to append.
type pending struct {
	dialog.Mail
	written chan error // has room for the one answer
}

// inboxMost is how much mail may be pending for one turn: more than a family has dialogs.
const inboxMost = 2 * All

var (
	// ErrOver is the error of mail to a turn that is over.
	ErrOver  = errors.New("the turn is over")
	errCrowd = errors.New("too many messages wait for that dialog already")
)

// Post gives mail to the turn, and returns when it is in the file; with wait false already
// when the turn has it. The error is ErrOver if the turn takes none any more. When ctx ends
// the mail is taken back, and the error is its cause.
func (x *Inbox) Post(ctx context.Context, m dialog.Mail, wait bool) error {
	l, err := x.add(m)
	if l == nil || !wait {
		return err
	}
	select {
	case err := <-l.written:
		return err
	case <-ctx.Done():
	}
	if x.remove(l) {
		return context.Cause(ctx)
	}
	return <-l.written // it was written in this moment
}

// add inserts mail, or makes it pending: l is nil if it is not.
func (x *Inbox) add(m dialog.Mail) (l *pending, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil, ErrOver
	}
	if x.open {
		if err := x.Insert(m); !errors.Is(err, project.ErrConflict) {
			return nil, err
		}
		// An editor saved the file: the turn reads that first.
	}
	if len(x.queue) >= inboxMost {
		return nil, errCrowd
	}
	l = &pending{m, make(chan error, 1)}
	x.queue = append(x.queue, l)
	return l, nil
}

// remove takes mail back. It returns false if the mail is not pending any more.
func (x *Inbox) remove(l *pending) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := len(x.queue)
	x.queue = slices.DeleteFunc(x.queue, func(o *pending) bool { return o == l })
	return len(x.queue) < n
}

// Pending returns how much mail the turn has still to append.
func (x *Inbox) Pending() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.queue)
}

// Resume appends what is pending, and lets mail be inserted at once from here on.
func (x *Inbox) Resume() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.open = true
	return x.flush()
}

// Pause lets mail be pending from here on.
func (x *Inbox) Pause() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.open = false
}

// Finish appends what is pending when the model has had its word. A turn in which a model
// is asked has to ask again if any of that wakes it, or if more reports so; else the Inbox is
// closed.
func (x *Inbox) Finish(asked bool, more func() bool) (again bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	again = asked && (slices.ContainsFunc(x.queue, func(l *pending) bool { return l.Wakes }) || more())
	err = x.flush()
	x.closed = !again || err != nil
	return !x.closed, err
}

// Close appends what is pending for a turn that did not come to a good end, and takes no
// mail any more.
func (x *Inbox) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	return x.flush()
}

// Reject sends back what is pending for a turn that appends nothing any more.
func (x *Inbox) Reject() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	for _, l := range x.queue {
		l.written <- ErrOver
	}
	x.queue = nil
}

// flush appends what is pending. The caller must hold x.mu, and be the turn's goroutine.
func (x *Inbox) flush() error {
	if len(x.queue) == 0 {
		return nil
	}
	all := make([]dialog.Mail, len(x.queue))
	for i, l := range x.queue {
		all[i] = l.Mail
	}
	err := x.Append(all...)
	for _, l := range x.queue {
		l.written <- err
	}
	x.queue = nil
	return err
}
