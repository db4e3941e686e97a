package turn

import (
	"context"
	"errors"

	"vibey/dialog"
	"vibey/server/hub"
	"vibey/server/view"
	"vibey/tools/caught"
)

// start registers the turn, appends what the request brings, and lets the turn run. It
// closes the file if it returns an error. fresh reports that the dialog is new.
func (t *turn) start(fresh bool) (*hub.Sub, error) {
	t.asked = t.todo.streams()
	t.ctx, t.cancel = context.WithCancelCause(t.r.ctx)
	t.closed, t.hub = make(chan struct{}), hub.New(t.key(), &t.r.Room)
	if err := t.r.begin(t); err != nil {
		t.cancel(err)
		t.partner.Release()
		if fresh {
			t.discard()
		}
		t.f.Close()
		return nil, t.notBegun(err)
	}
	var sub *hub.Sub
	err := t.guard("the start of a turn", func() error {
		t.show()
		sub = t.hub.Watch(fresh, len(t.dialog().Sections)-t.stored)
		return t.begin()
	})
	if err != nil {
		if fresh && !t.dialog().HasPrompt() {
			t.discard()
		} else if e := t.guard("the status of a turn that did not begin", func() error { return t.setStatus(dialog.Waiting) }); e != nil {
			err = errors.Join(err, e)
		}
		t.closeTurn(nil)
		return nil, t.notBegun(err)
	}
	caught.Go(t.r.w.Log, "a turn", t.run)
	return sub, nil
}

// finish is start for steps in which the model is not asked: it returns the state after
// them.
func (t *turn) finish(ctx context.Context) (view.State, error) {
	id := t.f.ID()
	sub, err := t.start(false)
	if err != nil {
		return view.State{}, err
	}
	defer sub.Close()
	if err := t.wait(ctx); err != nil {
		return view.State{}, err
	}
	if t.broken != nil {
		return view.State{}, t.broken
	}
	if t.failure != nil {
		return view.State{}, t.failure
	}
	v, err := t.r.View(t.in.Project, id)
	v.State.Ignored = t.ignoredLines()
	return v.State, err
}

// discard removes the file of a new dialog whose first prompt could not be written: no
// answer named it, and it would stay as a draft without a word.
func (t *turn) discard() {
	if err := t.f.Discard(); err != nil {
		t.r.w.Log.Warn("a dialog that did not begin is left", "project", t.in.Project.Name(), "dialog", t.f.ID(), "err", err)
	}
}

// notBegun is why a turn could not begin. A decision that came with the request
// is in the file by then: to send it again would change nothing, and run nothing.
func (t *turn) notBegun(err error) error {
	if t.in.Control == nil || *t.in.Control == "" {
		return err
	}
	reason := err
	if r, ok := errors.AsType[*Refusal](err); ok {
		reason = r.Kind
	}
	next := "press Continue"
	if t.in.Prompt != nil {
		next += ", and then send the message again, which was not written"
	}
	return refuse(reason, "Your decision is in the file and holds, but nothing of it has run: %v. When that is over, %s", reason, next)
}

// run is the goroutine of the turn. Also after a panic in it the file is closed,
// the turn is over for the runner, and its watchers get the end.
func (t *turn) run() {
	var last *hub.Event
	defer func() { t.closeTurn(last) }()
	err := t.guard("a turn", func() error {
		for _, line := range t.ignored {
			t.hub.Publish(hub.Event{Type: hub.NoteEvent, Kind: "control", Text: "This control line says nothing that is known here and was ignored: " + line})
		}
		return t.processTurn()
	})
	if e := t.guard("the end of a turn", func() error { last = t.endTurn(err); return nil }); e != nil {
		last = brokenEvent(t.broken) // the file is repaired when it is opened next, as after a kill
	}
}
