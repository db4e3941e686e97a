package turn

import (
	"context"
	"errors"
	"time"

	"vibey/dialog"
	"vibey/provider"
	"vibey/server/project"
	"vibey/tools/caught"
)

// conclude closes the turn in the file, and returns the event that its streams
// end with.
func (t *turn) conclude(err error) *Event {
	var st *stopped
	switch {
	case err == nil:
		return t.done(t.endStatus())
	case errors.Is(err, errWaiting):
		return t.waits()
	case errors.As(err, &st):
		if st == errDeleted {
			return &Event{Type: ErrorEvent, Kind: "deleted", Message: "The project was deleted, and this dialog with it."}
		}
		return t.done(dialog.Waiting)
	}
	return t.failed(err)
}

// endStatus is what a dialog becomes when its turn is over: what the human
// said, else done for a launched one, else waiting.
func (t *turn) endStatus() dialog.Status {
	if t.in.Status != "" {
		return t.in.Status
	}
	if t.dialog().Header.Launched() {
		return dialog.Done
	}
	return dialog.Waiting
}

func (t *turn) done(st dialog.Status) *Event {
	if err := t.setStatus(st); err != nil {
		return t.failed(err)
	}
	return &Event{Type: DoneEvent, Status: st, Needs: dialog.NeedsOf(t.dialog(), st, t.calls()), Resources: t.spent()}
}

func (t *turn) waits() *Event {
	if err := t.setStatus(dialog.Waiting); err != nil {
		return t.failed(err)
	}
	return &Event{Type: ToolEvent, Calls: t.r.pending(t.in.Project, t.calls())}
}

// failed tells what went wrong, in the file as far as the disk lets us.
func (t *turn) failed(err error) *Event {
	e := &Event{Type: ErrorEvent, Kind: "disk", Message: "The dialog could not be written: " + err.Error() + ". What was written before is safe. Make room or repair the disk, then press Continue."}
	var pe *provider.Error
	switch {
	case errors.As(err, &pe):
		e.Kind, e.Message, e.Code = string(pe.Kind), pe.Message, pe.Status
		text := pe.Message
		if t.note("mistake", "human", text, dialog.Field{Key: "Failure", Value: "api_error"}) != nil {
			e.Message += " (This could not be written into the dialog.)"
		}
	case err == errFruitless:
		e.Kind, e.Message = "fruitless", fruitlessText
		if t.note("mistake", "human", fruitlessText) != nil {
			e.Message += " (This could not be written into the dialog.)"
		}
	case errors.Is(err, project.ErrConflict):
		e.Kind = "conflict"
		e.Message = "Somebody else changed the file of this dialog while it ran: " + err.Error() + ". Both texts are kept. Read them, then press Continue or send a message."
	case errors.Is(err, project.ErrTwoFiles):
		e.Kind = "conflict"
		e.Message = "There are two files of this dialog now, with different statuses: an editor saved it under the name that it had before. Both are kept. Look at both in the folder, delete one, then press Continue."
	case caught.Of(err) != nil:
		*e = *brokenEvent(caught.Of(err))
		if t.note("warning", "human", e.Message) != nil {
			e.Message += " (This could not be written into the dialog.)"
		}
	case gone(err):
		e.Kind = "gone"
		e.Message = "The file of this dialog is no longer there: " + err.Error()
		return e
	}
	if err := t.setStatus(dialog.Waiting); err != nil {
		t.r.w.Log.Error("status of a failed dialog", "project", t.in.Project, "dialog", t.f.ID(), "err", err)
	}
	return e
}

// brokenEvent ends the streams of a turn that a fault of this program broke.
func brokenEvent(p *caught.Panic) *Event {
	return &Event{Type: ErrorEvent, Kind: "internal", Message: "This turn was stopped by a fault of the server, which has the details in its log under " + p.ID + ". Nothing else is touched by it, and what was written before is safe. Press Continue; if it happens again, send another message or start the server anew."}
}

// leave lets go of the file and of those who watch. The lock is free before
// they hear of the end, so that their next request finds it so. Each step is
// taken even if the one before it broke.
func (t *turn) leave(last *Event) {
	defer t.live.cancel(context.Canceled)
	defer t.live.close()
	defer func() {
		t.r.end(t.live)
		if last != nil {
			t.live.publish(*last)
			t.r.w.Log.Info("turn", "project", t.in.Project, "dialog", t.f.ID(), "end", last.Type, "kind", last.Kind)
		}
	}()
	if err := t.f.Close(); err != nil {
		t.r.w.Log.Error("close dialog", "project", t.in.Project, "dialog", t.f.ID(), "err", err)
	}
}

// finishWith is a status alone: pending calls of a dialog that is done are denied first.
func (t *turn) finishWith(st dialog.Status) error {
	t.live = newLive(liveKey{t.in.Project, t.f.ID()}, func(error) {}, &t.r.room)
	t.show()
	if st == dialog.Done {
		if err := t.dismiss(); err != nil {
			return err
		}
	}
	return t.setStatus(st)
}

// since is wall-clock milliseconds, to the nearest one.
func since(from, to time.Time) int64 {
	return max(0, to.Sub(from).Round(time.Millisecond).Milliseconds())
}
