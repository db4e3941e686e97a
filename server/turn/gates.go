package turn

import (
	"cmp"
	"context"
	"slices"

	"vibey/dialog"
	"vibey/dialog/governor"
	"vibey/dialog/grant"
	"vibey/server/turn/brief"
)

// gates are what a request must pass before it begins, in their order. Those before the
// control store nothing of the request, so that one which is refused leaves no trace. The
// title stands behind the control, which may be refused.
var gates = []func(*turn, context.Context) error{
	(*turn).checkPartner,   // open calls can be answered here
	(*turn).chooseModel,    // the model that is asked is there
	(*turn).checkUndecided, // a program's prompt settles no call
	(*turn).checkSeen,      // nor does a human's one that the human has not seen
	(*turn).checkNothing,   // there is something to go on with, or to sum up
	(*turn).quote,          // the passages stand where the human saw them
	(*turn).storeControl,
	func(t *turn, _ context.Context) error { return t.appendTitle() },
}

// checkPartner claims an agent, if the dialog has one, and refuses a request about calls
// whose agent runs in another process.
func (t *turn) checkPartner(context.Context) error {
	if !t.hasAgent() {
		return nil
	}
	elsewhere, err := t.claim().Check()
	if elsewhere {
		return refuse(ErrActive, "the agent of this dialog runs in another program, and only there can it be answered. Nothing was changed. Decide in its window, or stop it there")
	}
	return err
}

// chooseModel checks a provider and model that come with a prompt, and leaves them empty in
// the request if nothing changes.
func (t *turn) chooseModel(ctx context.Context) error {
	in := &t.in
	provider, model := t.dialog().Model()
	if in.Provider == "" && in.Model == "" && (in.Prompt == nil || provider != "" && model != "") {
		return nil
	}
	if in.Prompt == nil {
		return refuse(ErrInput, "a provider or model is changed together with a prompt")
	}
	name := cmp.Or(in.Provider, provider)
	if name == "" {
		return refuse(ErrInput, "the file of this dialog no longer says which provider it goes to; send the message with a provider. GET /models lists those that are configured")
	}
	if name == provider && in.Model == "" && model != "" {
		in.Provider = ""
		return nil
	}
	m, err := t.r.model(ctx, name, in.Model)
	if err != nil {
		return err
	}
	if err := t.sameCalls(name); err != nil {
		return err
	}
	in.Provider, in.Model = name, m
	if name == provider && m == model {
		in.Provider, in.Model = "", ""
	}
	return nil
}

// sameCalls refuses another provider for a dialog that has begun, if the calls in its file
// are written in another way than that provider's, unless the provider so far writes them
// as the other one does.
func (t *turn) sameCalls(name string) error {
	before, _ := t.dialog().Model()
	_, known := t.r.w.Provider(before)
	change := !known || t.callsByTags(before) != t.callsByTags(name)
	byTags, shown := brief.ShowsCalls(t.dialog())
	if !change || !t.dialog().HasPrompt() || !shown || t.callsByTags(name) == byTags {
		return nil
	}
	is, was := "natively", "by tags in its text"
	if !byTags {
		is, was = was, is
	}
	next := "Begin"
	if known { // it writes calls as the file shows
		next = "Go on with " + before + ", or begin"
	}
	return refuse(ErrTags, "%s calls tools %s and this dialog calls them %s; one that has begun can't change from one to the other. Nothing was written. %s a new dialog with %s and say in its prompt what it needs to know", name, is, was, next, name)
}

// callsByTags reports whether a provider is configured with the API tags.
func (t *turn) callsByTags(name string) bool {
	p, ok := t.r.w.Provider(name)
	return ok && p.API() == brief.APITags
}

// checkUndecided refuses a program's prompt while calls are open: it would deny those that
// wait for a human, and drop those that a human has approved.
func (t *turn) checkUndecided(context.Context) error {
	calls := t.calls()
	switch {
	case t.in.By == "" || len(calls) == 0:
		return nil
	case calls[0].Verdict == grant.Wait:
		return refuse(ErrInput, "%s waits for a human's decision about %q, and a message would deny it. Nothing was written. Wait until a human has decided", calls[0].ID, calls[0].Tool)
	}
	return refuse(ErrInput, "%s was decided by a human and has not run yet, and a message would drop it. Nothing was written. Wait until a human presses Continue", calls[0].ID)
}

// checkSeen refuses a prompt that would deny a call which its human has not seen. Without
// Seen, a prompt denies all that wait.
func (t *turn) checkSeen(context.Context) error {
	if t.in.Prompt == nil || t.in.Seen == "" {
		return nil
	}
	shown := lastShown(t.dialog(), t.in.Seen)
	for _, c := range t.calls() {
		if c.Verdict == grant.Wait && c.Since > shown {
			return refuse(ErrStale, "%s asks for %q since you last looked, and this message would settle it unread. Nothing was written. Read it, decide, then send the message", c.ID, c.Tool)
		}
	}
	return nil
}

// checkNothing refuses a continue of a dialog that has nothing to go on with, and a
// compaction of one in which nothing is to be summed up.
func (t *turn) checkNothing(context.Context) error {
	if err := t.in.canGoOn(t.calls(), t.dialog().HasPrompt()); err != nil || !t.in.Compact {
		return err
	}
	room, err := t.room()
	if err != nil || len(governor.Compact(t.dialog(), room)) > 0 {
		return err
	}
	return refuse(ErrNothing, "there is nothing to sum up: the last four turns stay whole where they fit, and what stands before them is summed up already, or there is nothing. Nothing was done")
}

// canGoOn refuses a continue of a dialog that has nothing to go on with.
func (in *Input) canGoOn(calls []grant.Call, hasPrompt bool) error {
	if in.Continue && in.Prompt == nil && len(calls) == 0 && !hasPrompt {
		return refuse(ErrNothing, "this dialog has no message yet; send a prompt first")
	}
	return nil
}

// storeControl stores the control and keeps whether it decides a call.
func (t *turn) storeControl(context.Context) (err error) {
	if t.in.Control == nil {
		return nil
	}
	text := *t.in.Control
	if t.decides, err = t.control(text, t.in.Seen); err != nil {
		return err
	}
	// A message that comes with a control, which may have been stored before a kill, drops
	// nothing that is approved.
	lines, _ := grant.ParseControl(text)
	t.decides = t.decides || t.in.Prompt != nil && len(lines) > 0
	return nil
}

// stepsOf returns the steps of a request: calls are the open calls of the dialog with
// what the request itself decided, decides reports that it decided one.
//
// Calls that are approved, by the control that comes with a prompt or before it, run when
// it stands in the file, so that no kill loses it; a prompt alone settles all that is open. While a call waits the model is not asked. A rule
// alone begins nothing, also not what was approved before and has not begun.
func (in *Input) stepsOf(calls []grant.Call, decides bool) steps {
	waiting := slices.ContainsFunc(calls, func(c grant.Call) bool { return c.Verdict == grant.Wait && !c.Interrupted() })
	decided := slices.ContainsFunc(calls, func(c grant.Call) bool { return c.Verdict != grant.Wait || c.Interrupted() })
	runs := slices.ContainsFunc(calls, func(c grant.Call) bool { return c.Verdict == grant.Run && !c.Interrupted() })
	resumes := in.Continue || decides
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
	case resumes && decided && !waiting:
		return in.ends(askStep)
	case resumes && decided && in.Status == dialog.Done:
		return steps{executeStep, denyStep}
	case resumes && decided:
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

// appendTitle appends the Note of a title that comes with more, to the file that t holds.
func (t *turn) appendTitle() error {
	if t.in.Title == nil {
		return nil
	}
	if err := t.f.Append(dialog.Retitled(*t.in.Title, t.r.w.Now(), t.dialog().HasID)); err != nil {
		return err
	}
	t.stored++
	return nil
}
