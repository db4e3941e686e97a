package turn

import (
	"cmp"
	"context"
	"errors"

	"vibey/dialog"
	"vibey/dialog/governor"
	"vibey/dialog/picture"
	"vibey/provider"
	"vibey/provider/acp"
	"vibey/server/turn/brief"
	"vibey/server/turn/record"
)

// processTurn carries out what is left to do, keeps what it brought, and asks again if
// mail came meanwhile.
func (t *turn) processTurn() error {
	err := t.runSteps()
	for err == nil {
		if err = t.keepChanges(); err != nil {
			break
		}
		again, failed := t.inbox.Finish(t.asked, t.partner.Unsent)
		if err = failed; !again {
			break
		}
		err = t.ask()
	}
	return err
}

// runSteps carries out the rest. It ends with nil, record.ErrWaiting, or what went wrong;
// the step that did not come to its end is the first of todo then.
func (t *turn) runSteps() error {
	for len(t.todo) > 0 {
		err := t.runStep(t.todo[0])
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

// begin carries out the steps that belong to the request itself: their errors
// are its answer, and what they wrote is what its stream begins with.
func (t *turn) begin() error {
	if t.todo.streams() {
		if err := t.setStatus(dialog.Active); err != nil {
			return err
		}
		if t.dialog().HasLaunched() {
			if err := t.appendChildResults(); err != nil {
				return err
			}
		}
	}
	for len(t.todo) > 0 && (t.todo[0] == compactStep || t.todo[0] == promptStep || t.todo[0] == continueStep) {
		if err := t.runStep(t.todo[0]); err != nil {
			return err
		}
		t.todo = t.todo[1:]
	}
	return nil
}

// runStep carries out one step.
func (t *turn) runStep(s step) error {
	switch s {
	case compactStep:
		return t.compact()
	case executeStep:
		return t.executeDecided()
	case promptStep:
		return t.appendPrompt(t.todo[1] == executeStep)
	case continueStep:
		return t.appendContinue()
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
		return t.denyOpen()
	}
	return nil
}

// executeDecided is the executeStep. Behind a prompt it ends what the agent was at before.
func (t *turn) executeDecided() error {
	if over, err := t.partner.CatchUp(); over || err != nil {
		return err
	}
	err := t.executeToolCalls()
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
	return t.settleOpen()
}

// ask lets the partner answer that the dialog names now. Before its model was changed the
// dialog may have had another one: an agent ends then, which this turn has not claimed if
// the change was an edit of the file.
func (t *turn) ask() error {
	switch _, isModel := t.partner.(model); {
	case !t.namesAgent():
		t.partner.Release()
		t.r.agents.End(t.in.Project, t.f.ID())
		t.partner = model{t}
	case isModel:
		t.claim()
	}
	return t.partner.Ask()
}

// processRounds goes round until nothing is left to ask: nil, record.ErrWaiting, or what went wrong.
func (t *turn) processRounds() error {
	for {
		if err := context.Cause(t.ctx); err != nil {
			return err
		}
		err := t.executeToolCalls()
		if unsynced := t.syncResponse(); unsynced != nil {
			return unsynced
		}
		if err != nil {
			return err
		}
		if err := t.appendSystem(); err != nil {
			return err
		}
		if err := t.refresh(); err != nil { // the mail that came while the calls ran
			return err
		}
		next, err := t.next()
		if err != nil || !next.Ask {
			return err
		}
		if err := t.compactWhenFull(); err != nil {
			return err
		}
		t.b.Extend(t.dialog())
		if t.b.Answered() { // the file was damaged: what the model is to answer is no longer in its history
			if err := t.note("nudge", "model", record.Continue); err != nil {
				return err
			}
			t.b.Extend(t.dialog())
		}
		if err := t.requestInWindow(next.NoTools); err != nil {
			return err
		}
	}
}

// next judges what follows, appends the Notes of that, and publishes it.
func (t *turn) next() (governor.Next, error) {
	j, err := t.judged()
	if err != nil {
		return governor.Next{}, err
	}
	if j.Spoken() {
		if err := t.appendEffect(); err != nil {
			return governor.Next{}, err
		}
		if j, err = t.judged(); err != nil {
			return governor.Next{}, err
		}
	}
	next := j.Next()
	if err := t.appendNotes(next.Notes); err != nil {
		return next, err
	}
	if j, err = t.judged(); err != nil { // of what stands there now
		return next, err
	}
	t.publishStanding(j)
	return next, nil
}

// appendContinue appends the Note of a Continue, behind which rounds, loops and mistakes count
// anew. A turn that was only cut between two steps goes on without one, as if nothing
// had happened.
func (t *turn) appendContinue() error {
	j, err := t.judged()
	if err != nil {
		return err
	}
	t.b.Extend(t.dialog())
	return t.appendNotes(record.Continued(j, t.b.Answered()))
}

// appendPrompt settles open calls, but for approved ones if those run next. Then it appends
// what the model has not been sent yet and the User section, in one append.
func (t *turn) appendPrompt(runs bool) error {
	if err := t.appendEffect(); err != nil {
		return err
	}
	settle := t.settleOpen
	if runs {
		if err := t.partner.Drain(); err != nil {
			return err
		}
		settle = t.denyWaiting
	}
	if err := settle(); err != nil {
		return err
	}
	if err := t.withdrawBefore(); err != nil {
		return err
	}
	secs, err := t.brief().Prompt(t.in.Attached)
	if err != nil {
		return err
	}
	now := t.r.w.Now()
	intent := t.in.Intent
	if intent == "" { // its words are looked at only then: the first time that takes 5 ms
		intent = governor.IntentOf(t.dialog(), t.in.Prompt.read())
	}
	pictures, err := t.pictures()
	if err != nil {
		return err
	}
	meta := dialog.Fields{{Key: "By", Value: t.by}}.With("Intent", intent).With(picture.Field, pictures)
	if p, m := t.dialog().Model(); t.in.Provider != "" && t.in.Provider != p || t.in.Model != "" && t.in.Model != m {
		meta = meta.With("Provider", t.in.Provider).With("Model", t.in.Model)
	}
	on, passages := dialog.On(t.on)
	user := dialog.Section{
		Role: dialog.User, ID: t.dialog().NextID(dialog.User, now, 0), Time: dialog.Span(now, now),
		Meta: append(meta, on...), Payloads: append(passages, t.in.Prompt.payload()),
	}
	return t.append(append(secs, user)...)
}

// settleOpen settles all open calls and cancels an agent's prompt before another one.
func (t *turn) settleOpen() error {
	if _, isModel := t.partner.(model); isModel && len(t.calls()) == 0 {
		return nil
	}
	if err := t.partner.Drain(); err != nil {
		return err
	}
	if err := t.denyOpen(); err != nil {
		return err
	}
	return t.partner.Cancel()
}

// brief makes the sections before a prompt.
func (t *turn) brief() *brief.Sources {
	named, _ := t.dialog().Model()
	name := cmp.Or(t.in.Provider, named)
	p, _ := t.r.w.Provider(name)
	tags, _ := p.(provider.Tagged)
	return &brief.Sources{ // Agent also if no agent is defined any more
		Project: t.in.Project, Dialog: t.dialog(), Now: t.r.w.Now, Known: t.r.Names(), Deeds: &t.r.deeds, Agent: name == acp.API, Tags: tags, Offer: t.offer, Wish: t.wished,
	}
}

// appendSystem appends the System section to a file that has no whole one, before the
// model is asked without a prompt.
func (t *turn) appendSystem() error {
	secs, err := t.brief().System()
	if err != nil {
		return err
	}
	return t.append(secs...)
}
