package turn

import (
	"slices"

	"vibey/dialog"
	"vibey/dialog/grant"
)

// step is one thing that a turn does.
type step uint8

// The steps, each of which a request asks for at most once.
const (
	compactStep  step = iota // the earlier turns are summed up
	promptStep               // calls that wait are denied, then the prompt is appended; what is approved is left to an executeStep behind it, or never starts
	executeStep              // calls that are decided run, or get the result of one that can't
	continueStep             // a model that has answered is asked to go on
	askStep                  // calls are answered and the model is asked, until it asks for nothing or a call waits
	denyStep                 // calls that wait are denied
)

// steps are what a request asks of a dialog, in their order. stepsOf decides them before
// anything is done. Without a step the dialog stays as it is, but for a status that the
// request may name; without an askStep the answer is plain and no stream.
type steps []step

func (a steps) streams() bool { return slices.Contains(a, askStep) }

// stepsOf returns the steps of a request: calls are the open calls of the dialog with
// what the request itself decided, decides reports that it decided one.
//
// Calls that are approved, by the control that comes with a prompt or before it, run when
// it stands in the file, so that no kill loses it; a prompt alone settles all that is open. While a call waits the model is not asked. A rule
// alone begins nothing, also not what was approved before and has not begun.
func (in *Input) stepsOf(calls []grant.Call, decides bool) steps {
	waiting := slices.ContainsFunc(calls, func(c grant.Call) bool { return c.Verdict == grant.Wait && !c.Started })
	decided := slices.ContainsFunc(calls, func(c grant.Call) bool { return c.Verdict != grant.Wait || c.Started })
	runs := slices.ContainsFunc(calls, func(c grant.Call) bool { return c.Verdict == grant.Run && !c.Started })
	goesOn := in.Continue || decides
	if in.Compact {
		rest := *in
		rest.Compact = false
		return append(steps{compactStep}, rest.stepsOf(calls, decides)...)
	}
	switch {
	case in.Prompt != nil && decides && runs:
		return steps{promptStep, executeStep, askStep}
	case in.Prompt != nil:
		return steps{promptStep, askStep}
	case in.Continue && len(calls) == 0:
		return in.ends(continueStep, askStep)
	case goesOn && decided && !waiting:
		return in.ends(askStep)
	case goesOn && decided && in.Status == dialog.Done:
		return steps{executeStep, denyStep}
	case goesOn && decided:
		return steps{executeStep}
	case in.Status == dialog.Done:
		return steps{denyStep}
	}
	return nil
}

// ends returns steps, with a denyStep behind them if the request ends the dialog.
func (in *Input) ends(steps ...step) steps {
	if in.Status == dialog.Done {
		return append(steps, denyStep)
	}
	return steps
}

// statusAlone reports whether a request only stops a dialog, or marks it as done or
// open again, perhaps under another title: a running turn does not refuse it.
func (in *Input) statusAlone() bool {
	rest := *in
	rest.Status, rest.Title = "", nil
	return in.Status != "" && rest.empty()
}

// canGoOn refuses a continue of a dialog that has nothing to go on with.
func (in *Input) canGoOn(calls []grant.Call, hasPrompt bool) error {
	if in.Continue && in.Prompt == nil && len(calls) == 0 && !hasPrompt {
		return refuse(ErrNothing, "this dialog has no message yet; send a prompt first")
	}
	return nil
}
