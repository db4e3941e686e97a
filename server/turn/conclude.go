package turn

import (
	"context"
	"errors"
	"io/fs"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/provider"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/server/turn/record"
	"vibey/server/view"
	"vibey/tools/caught"
	"vibey/tools/disk"
)

// endTurn closes the turn in the file, and returns the event that its streams
// end with.
func (t *turn) endTurn(err error) *hub.Event {
	st, stopped := errors.AsType[*record.Stopped](err)
	if st == record.ErrDeleted {
		t.inbox.Reject()
	} else if err != nil {
		if err := t.inbox.Close(); err != nil {
			t.r.w.Log.Info("mail not written", "project", t.in.Project.Name(), "dialog", t.f.ID(), "err", err)
		}
	}
	switch {
	case err == nil:
		status := t.endStatus()
		if t.asked || status == dialog.Done {
			t.became = status
		}
		return t.done(status)
	case errors.Is(err, record.ErrWaiting):
		if err = t.appendEffect(); err == nil {
			err = t.setStatus(dialog.Waiting)
		}
		if err != nil {
			return t.failed(err)
		}
		t.led.Extend(t.dialog())
		return &hub.Event{Type: hub.ToolEvent, Calls: t.r.Pending(t.in.Project, t.set(), t.calls(), t.led.Hash)}
	case st == record.ErrDeleted: // or about to be: if that fails, the dialog is whole
		if err := t.setStatus(dialog.Waiting); err != nil {
			t.r.w.Log.Info("status of a dialog that is being deleted", "project", t.in.Project.Name(), "dialog", t.f.ID(), "err", err)
		}
		return &hub.Event{Type: hub.ErrorEvent, Kind: "deleted", Message: "The project is being deleted, and this dialog with it."}
	case stopped && st.To == dialog.Done:
		if err = t.denyOpen(); err == nil {
			t.became = dialog.Done
			return t.done(dialog.Done)
		}
	case stopped:
		return t.done(dialog.Waiting)
	}
	t.became = dialog.Waiting // the dialog that launched it would wait for it
	return t.failed(err)
}

// endStatus is the status of a dialog whose turn is over: what the request names, else done
// for a launched one whose model was asked and that the governor does not hold, else waiting.
func (t *turn) endStatus() dialog.Status {
	if t.in.Status != "" {
		return t.in.Status
	}
	if t.asked && t.dialog().Header.Launched() && !t.held() {
		return dialog.Done
	}
	return dialog.Waiting
}

func (t *turn) done(st dialog.Status) *hub.Event {
	if err := t.setStatus(st); err != nil {
		return t.failed(err)
	}
	return &hub.Event{Type: hub.DoneEvent, Status: st, Needs: grant.Needs(t.dialog(), st, t.calls()), Resources: t.spent()}
}

// failure is what is done about an error that ended a turn.
type failure struct {
	kind, text string
	code       int
	note       string        // the kind of the Note that keeps text, "" for none
	meta       dialog.Fields // of that Note
	gone       bool          // the file can't be written
}

// failureOf is the failure for an error.
func failureOf(err error) failure {
	pe, _ := errors.AsType[*provider.Error](err)
	part, _ := errors.AsType[*project.ApplyError](err)
	away, _ := errors.AsType[*project.AwayError](err)
	switch {
	case pe != nil:
		return failure{kind: string(pe.Kind), text: pe.Message, code: pe.Status, note: "mistake", meta: dialog.Fields{{Key: "Failure", Value: dialog.FailedTurn}, {Key: "Cause", Value: string(pe.Kind)}}}
	case part != nil:
		return failure{kind: "disk", text: "What a command changed is in the deed only in part: " + part.Error() + ".", note: "warning"}
	case away != nil:
		return failure{kind: "disk", text: "The agent was stopped, for " + away.Error() + ". Then press Continue.", gone: true}
	case errors.Is(err, project.ErrConflict):
		return failure{kind: "conflict", text: "Somebody else changed the file of this dialog while it ran: " + err.Error() + ". Both texts are kept. Read them, then press Continue or send a message."}
	case errors.Is(err, project.ErrTwoFiles):
		return failure{kind: "conflict", text: "There are two files of this dialog now, with different statuses: an editor, or git, wrote it under a name that it had before. Both are kept. Look at both in the folder; delete one, or run `vibey repair`, which makes the older one a dialog of its own. Then press Continue."}
	case caught.Of(err) != nil:
		return failure{kind: "internal", text: brokenEvent(caught.Of(err)).Message, note: "warning", meta: dialog.Fields{{Key: "Failure", Value: dialog.BrokenTurn}}}
	case errors.Is(err, fs.ErrNotExist):
		return failure{kind: "gone", text: "The file of this dialog is no longer there: " + err.Error(), gone: true}
	}
	return failure{kind: "disk", text: "The dialog could not be written: " + disk.Cause(err).Error() + ". What was written before is safe. Make room or repair the disk, then press Continue."}
}

// failed returns the event for what went wrong, and appends it as a Note if the disk
// allows it.
func (t *turn) failed(err error) *hub.Event {
	t.failure = err
	f := failureOf(err)
	e := &hub.Event{Type: hub.ErrorEvent, Kind: f.kind, Message: f.text, Code: f.code}
	if f.note != "" && t.note(f.note, "human", f.text, f.meta...) != nil {
		e.Message += " (This could not be written into the dialog.)"
	}
	if f.gone {
		return e
	}
	if err := t.setStatus(dialog.Waiting); err != nil {
		t.r.w.Log.Error("status of a failed dialog", "project", t.in.Project.Name(), "dialog", t.f.ID(), "err", err)
	}
	return e
}

// brokenEvent ends the streams of a turn that a fault of this program broke.
func brokenEvent(p *caught.Panic) *hub.Event {
	return &hub.Event{Type: hub.ErrorEvent, Kind: "internal", Message: "This turn was stopped by a fault of the server, which has the details in its log under " + p.ID + ". Nothing else is touched by it, and what was written before is safe. Press Continue; if it happens again, send another message or start the server anew."}
}

// closeTurn closes the file, sends the end to the dialog that launched this one, ends the turn
// for the runner, and publishes last. The lock is free before watchers get the end, so that
// their next request is not refused. A turn that the end starts begins before this one is
// removed, so that Wait sees it. Each step is taken even if the one before it panicked.
func (t *turn) closeTurn(last *hub.Event) {
	defer t.cancel(context.Canceled)
	defer close(t.closed)
	defer t.hub.Close()
	defer func() {
		t.r.end(t)
		if last != nil {
			t.hub.Publish(*last)
			t.r.w.Log.Info("turn", "project", t.in.Project.Name(), "dialog", t.f.ID(), "end", last.Type, "kind", last.Kind)
		}
	}()
	t.partner.Release()
	t.inbox.Reject()
	var end dialog.Mail
	var parent string
	var ends bool
	t.guard("the end that is told", func() error { end, parent, ends = t.ending(); return nil })
	if err := t.f.Close(); err != nil {
		t.r.w.Log.Error("close dialog", "project", t.in.Project.Name(), "dialog", t.f.ID(), "err", err)
	}
	if ends {
		t.guard("the end that is told", func() error { t.sendEnd(end, parent); return nil })
	}
}

// settle carries out steps in which nothing runs, and sets the status that
// the request names.
func (t *turn) settle() (view.State, error) {
	if err := t.runSteps(); err != nil {
		return view.State{}, err
	}
	if t.in.Status != "" {
		was := t.f.Status()
		if err := t.setStatus(t.in.Status); err != nil {
			return view.State{}, err
		}
		if was != dialog.Done && t.in.Status == dialog.Done {
			t.became = dialog.Done
		}
	}
	if m, parent, ok := t.ending(); ok {
		t.sendEnd(m, parent)
	}
	st := t.r.StateOf(t.in.Project, t.f)
	st.Ignored = t.ignoredLines()
	return st, nil
}
