package turn

import (
	"errors"
	"slices"

	"vibey/dialog"
	"vibey/server/turn/record"
)

// step is one thing that a turn does.
type step uint8

// The steps, each of which a request asks for at most once.
const (
	compactStep step = iota // the earlier turns are summed up
	speakStep               // calls that wait are denied, then the prompt is appended; what is approved is left to a runStep behind it, or never starts
	runStep                 // calls that are decided run, or get the result of one that can't
	nudgeStep               // a model that had its word is told to go on
	askStep                 // calls are answered and the model is asked, until it asks for nothing or a call waits
	denyStep                // calls that wait are denied
)

// agenda is what a request asks of a dialog, as steps in their order. It is
// decided once, here, before anything is done; put and the turn carry it out. An
// agenda without a step leaves the dialog as it is, but for a status that the
// request may name; one that has no askStep ends in a plain answer instead of a
// stream.
type agenda []step

func (a agenda) asks() bool { return slices.Contains(a, askStep) }

// means is the agenda of a request: calls are the open calls of the dialog with
// what the request itself decided, decides reports that it decided one.
//
// Calls that are approved, by the control that comes with a prompt or before it, run when
// it stands in the file, so that no kill loses it; a prompt alone settles all that is open. While a call waits the model is not asked. A rule
// alone begins nothing, also not what was approved before and has not begun.
func (in *Input) means(calls []dialog.Call, decides bool) agenda {
	waiting := slices.ContainsFunc(calls, func(c dialog.Call) bool { return c.Verdict == dialog.Wait && !c.Started })
	decided := slices.ContainsFunc(calls, func(c dialog.Call) bool { return c.Verdict != dialog.Wait || c.Started })
	runs := slices.ContainsFunc(calls, func(c dialog.Call) bool { return c.Verdict == dialog.Run && !c.Started })
	goesOn := in.Continue || decides
	if in.Compact {
		rest := *in
		rest.Compact = false
		return append(agenda{compactStep}, rest.means(calls, decides)...)
	}
	switch {
	case in.Prompt != nil && decides && runs:
		return agenda{speakStep, runStep, askStep}
	case in.Prompt != nil:
		return agenda{speakStep, askStep}
	case in.Continue && len(calls) == 0:
		return in.ends(nudgeStep, askStep)
	case goesOn && decided && !waiting:
		return in.ends(askStep)
	case goesOn && decided && in.Status == dialog.Done:
		return agenda{runStep, denyStep}
	case goesOn && decided:
		return agenda{runStep}
	case in.Status == dialog.Done:
		return agenda{denyStep}
	}
	return nil
}

// ends is the agenda of these steps, behind which the dialog is done where the request says
// so: what the model asks meanwhile is denied.
func (in *Input) ends(steps ...step) agenda {
	if in.Status == dialog.Done {
		return append(steps, denyStep)
	}
	return steps
}

// canGoOn refuses a continue of a dialog that has nothing to go on with. It is asked
// before anything of the request is stored.
func (in *Input) canGoOn(calls []dialog.Call, hasPrompt bool) error {
	if in.Continue && in.Prompt == nil && len(calls) == 0 && !hasPrompt {
		return refuse(ErrNothing, "this dialog has no message yet; send a prompt first")
	}
	return nil
}

// statusAlone reports whether a request only stops a dialog, or marks it as done or
// open again, perhaps under another title: a running turn does not refuse it.
func (in *Input) statusAlone() bool {
	rest := *in
	rest.Status, rest.Title = "", nil
	return in.Status != "" && rest.empty()
}

// empty reports whether a request asks for nothing.
func (in *Input) empty() bool {
	return in.Status == "" && in.Title == nil && in.Prompt == nil && in.Control == nil && !in.Continue && !in.Compact && in.Provider == "" && in.Model == ""
}

// do carries out one step.
func (t *turn) do(s step) error {
	switch s {
	case compactStep:
		return t.compact()
	case runStep:
		return t.runDecided()
	case speakStep:
		return t.speak(t.todo[1] == runStep)
	case nudgeStep:
		return t.nudge()
	case askStep:
		err := t.ask()
		if errors.Is(err, record.ErrWaiting) && len(t.todo) > 1 {
			return t.partner.Finish()
		}
		return err
	case denyStep:
		if err := t.partner.Drain(); err != nil {
			return err
		}
		return t.dismiss()
	}
	return nil
}

// runDecided is the runStep. Behind a prompt it ends what the agent was at before.
func (t *turn) runDecided() error {
	if over, err := t.partner.CatchUp(); over || err != nil {
		return err
	}
	err := t.answer()
	switch {
	case err != nil && !errors.Is(err, record.ErrWaiting):
		return err
	case len(t.todo) == 1 && err != nil:
		return t.partner.AwaitApproved()
	case len(t.todo) == 1:
		return nil
	}
	// What waits is settled here, or by the step that follows.
	if err := t.partner.Finish(); err != nil || t.in.Prompt == nil {
		return err
	}
	return t.leavePrompt()
}

// begin carries out the steps that belong to the request itself: their errors
// are its answer, and what they wrote is what its stream begins with.
func (t *turn) begin() error {
	if t.todo.asks() {
		if err := t.setStatus(dialog.Active); err != nil {
			return err
		}
		if err := t.appendChildResults(); err != nil {
			return err
		}
	}
	for len(t.todo) > 0 && (t.todo[0] == compactStep || t.todo[0] == speakStep || t.todo[0] == nudgeStep) {
		if err := t.do(t.todo[0]); err != nil {
			return err
		}
		t.todo = t.todo[1:]
	}
	return nil
}

// work carries out the rest. It ends with nil, record.ErrWaiting, or what went wrong;
// the step that did not come to its end is the first of todo then.
func (t *turn) work() error {
	for len(t.todo) > 0 {
		err := t.do(t.todo[0])
		if errors.Is(err, record.ErrWaiting) && len(t.todo) > 1 {
			err = nil // what waits is settled by the step that follows
		}
		if err != nil {
			return err
		}
		t.todo = t.todo[1:]
	}
	return nil
}
