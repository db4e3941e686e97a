package turn

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/server/turn/family"
	"vibey/server/turn/record"
	"vibey/tools"
	"vibey/tools/caught"
)

// executeToolCalls gives every open call its result that can have one: calls that can't
// run are told so, denied ones are denied, approved ones run one after the
// other. With undecided ones left it returns record.ErrWaiting.
func (t *turn) executeToolCalls() error {
	if err := t.inbox.Resume(); err != nil {
		return err
	}
	defer t.inbox.Pause()
	if err := t.answerUnrun(); err != nil {
		return err
	}
	for {
		waiting := false
		var next *grant.Call
		for _, c := range t.calls() {
			switch {
			case t.partner.Runs(&c):
			case c.Verdict == grant.Wait:
				waiting = true
			case c.Verdict == grant.Run && next == nil:
				next = &c
			}
		}
		if next == nil {
			if waiting {
				return record.ErrWaiting
			}
			return nil
		}
		if err := context.Cause(t.ctx); err != nil {
			return err
		}
		if err := t.runCall(next); err != nil {
			return err
		}
	}
}

// answerUnrun answers the calls that will not run: those that were running when
// the server died, those that can't, those that were denied.
func (t *turn) answerUnrun() error {
	var secs []dialog.Section
	for _, c := range t.calls() {
		switch {
		case t.partner.Runs(&c):
		case c.Started:
			secs = append(secs, t.result(c, dialog.CallError, record.Failure(family.Outcome(t.in.Project, t.f.ID(), c))))
		case c.Verdict == grant.Lapsed:
			secs = append(secs, t.result(c, dialog.CallError, record.Failure(record.AgentEnded)))
		case c.Verdict == grant.Refused:
			secs = append(secs, t.result(c, dialog.CallDenied, record.Denied, dialog.Field{Key: "Failure", Value: tools.Permission}))
		case dialog.LongInput(c.Input):
			secs = append(secs, t.result(c, dialog.CallError, record.Failure(record.LongInput), dialog.Field{Key: "Failure", Value: tools.Schema}))
		case c.Agent: // what it may do is its human's to say
		default:
			if sec, refused, err := t.refusal(c); err != nil {
				return err
			} else if refused {
				secs = append(secs, sec)
			} else if f := t.set().Check(t.calledName(c), c.Input); f != nil {
				secs = append(secs, t.result(c, dialog.CallError, f.Result().JSON, dialog.Field{Key: "Failure", Value: f.Kind}))
			} else if f := t.set().ServerOff(tools.Env{MCP: t.r.w.MCP, Off: t.serverOff}, c.Tool); f != nil {
				secs = append(secs, t.result(c, dialog.CallError, f.Result().JSON, dialog.Field{Key: "Failure", Value: f.Kind}))
			}
		}
	}
	return t.appendResults(secs)
}

// appendResults appends results of calls that did not run, and tells the agent, if it
// was the one that asked.
func (t *turn) appendResults(secs []dialog.Section) error {
	if len(secs) == 0 {
		return nil
	}
	if err := t.append(secs...); err != nil {
		return err
	}
	t.partner.Answered()
	return nil
}

// calledName is the tool's name as the model called it.
func (t *turn) calledName(c grant.Call) string {
	if _, known := t.set().Lookup(c.Tool); known {
		return c.Tool
	}
	d := t.dialog()
	for i := d.Find(dialog.ToolRequest, c.ID) + 1; i < len(d.Sections); i++ {
		s := &d.Sections[i]
		var n struct{ Name string }
		if s.Role == dialog.Note && s.Meta.Get("Parent") == c.ID && json.Unmarshal([]byte(s.Payload(dialog.NoteJSON)), &n) == nil && n.Name != "" {
			return n.Name
		}
	}
	return c.Tool
}

// denyOpen answers every open call without running any, because the human goes on.
func (t *turn) denyOpen() error { return t.denyCalls(false) }

// denyWaiting is dismiss, which leaves what is approved, and what runs at the agent.
func (t *turn) denyWaiting() error { return t.denyCalls(true) }

func (t *turn) denyCalls(waiting bool) error {
	if err := t.answerUnrun(); err != nil {
		return err
	}
	var secs []dialog.Section
	for _, c := range t.calls() {
		runs := t.partner.Runs(&c)
		if waiting && (runs || c.Verdict == grant.Run) {
			continue
		}
		if runs {
			secs = append(secs, t.result(c, dialog.CallError, record.Failure(dialog.StoppedByUser)))
			continue
		}
		if c.Verdict == grant.Run {
			secs = append(secs, t.result(c, dialog.CallError, record.Failure(record.NeverStarted)))
			continue
		}
		secs = append(secs, t.result(c, dialog.CallDenied, record.Denied, dialog.Field{Key: "Failure", Value: tools.Permission}))
	}
	return t.appendResults(secs)
}

// runCall runs one call, once: the Note that it started is on disk before. What
// runs is what was approved: the file is read anew right before the Note and
// right behind it, and the call must stand there with the same bytes, approved.
func (t *turn) runCall(c *grant.Call) error {
	if _, ok, err := t.stillApproved(c); err != nil || !ok {
		return err // what the file says now is decided anew
	}
	if err := t.note("started", "", c.Tool+" started.", dialog.Field{Key: "Parent", Value: c.ID}); err != nil {
		return err
	}
	start := t.r.w.Now()
	now, ok, err := t.stillApproved(c)
	if err != nil {
		return err
	}
	if !ok {
		return t.notRun(c)
	}
	c = &now // the same bytes, and how they are approved by now
	if began, err := t.partner.Begin(c); began || err != nil {
		return err
	}
	return t.runHere(c, start)
}

// runHere carries out a call, of which the file says that it started, and appends its
// result with more metadata. start is when it began.
func (t *turn) runHere(c *grant.Call, start time.Time, more ...dialog.Field) error {
	res := t.execute(c)
	end := t.r.w.Now()
	status := dialog.CallApproved
	switch {
	case res.Interrupted:
		status, res.JSON = dialog.CallError, record.Failure(record.CutOff(context.Cause(t.ctx)))
	case res.Panic != nil, res.NotRun:
		status = dialog.CallError // it never ran, or it is not known how far; a file tool that refused did run
	}
	sec := t.result(*c, status, res.JSON)
	sec.Time = dialog.Span(start, end)
	sec.Resources = dialog.Resources{MS: record.Since(start, end)}
	if !res.NotRun {
		sec.Resources.Tools = 1
	}
	sec.Meta = append(sec.Meta.With("Sandbox", res.Sandbox).With("Failure", res.Failure), more...)
	secs, err := t.before(c, res)
	if err != nil {
		return err
	}
	secs = slices.Concat(secs, []dialog.Section{sec}, t.servers.Notes(t.dialog(), t.r.w.Now(), len(secs), t.set().Specs(), c.ID, res.Served))
	if err := t.append(secs...); err != nil {
		return err
	}
	t.partner.Answered()
	if res.Success && c.Tool == "checkpoint" {
		t.tellCheckpoint(c)
	}
	if res.Panic != nil {
		return t.guard("the tool "+c.Tool, func() error { return res.Panic })
	}
	return t.noteChanged(c)
}

// notRun answers a call of which the file says that it started, and which was
// then not run. A call that is not there any more needs no answer.
func (t *turn) notRun(c *grant.Call) error {
	for _, now := range t.calls() {
		if now.ID == c.ID {
			return t.appendResults([]dialog.Section{t.result(now, dialog.CallError, record.Failure(record.ChangedCall))})
		}
	}
	return nil
}

// execute runs a call. A panic on the way there is its result as well.
func (t *turn) execute(c *grant.Call) (res tools.Result) {
	err := caught.Do(func() error {
		env, err := t.env(c)
		if err != nil {
			res = (&tools.Failure{Kind: tools.ExecError, Error: "the call could not be prepared: " + err.Error() + ". Nothing was changed."}).Result()
			return nil
		}
		res = t.call(c, env)
		return nil
	})
	if err != nil {
		return tools.Panicked(c.Tool, caught.Of(err))
	}
	return res
}

// env is the world of one call.
func (t *turn) env(c *grant.Call) (tools.Env, error) {
	p, network := t.in.Project, t.gr.Extend(t.dialog()).Network
	env, err := t.surroundings(network)
	if err != nil {
		return tools.Env{}, err
	}
	j, err := t.judged()
	if err != nil {
		return tools.Env{}, err
	}
	rules, err := t.projectRules()
	if err != nil {
		return tools.Env{}, err
	}
	t.led.Extend(t.dialog())
	env.Limit, env.ReadOnly = time.Duration(rules.Limit)*time.Second, j.Restrains() && !t.ofBefore(c)
	env.Hash, env.Noted = t.partner.Hash(c, t.led.Hash), t.led.Noted
	env.Launch, env.Write, env.Committed, env.Bringing = t.launch, p.Change, t.committed(c, env), t.voidsMark(p)
	env.Approved, env.Blanket, env.Unlinked = t.approval(c), c.Blanket, c.Unlinked
	env.DialogID, env.Said, env.Known, env.Off = t.f.ID(), t.said, t.r.Names(), t.serverOff
	env.Message, env.Agents, env.Agent = t.message(c.ID),
		func() ([]tools.Agent, error) { return family.List(p, t.f.ID()) },
		func(id string) (*dialog.Dialog, dialog.Status, error) { return family.Read(p, id) }
	return env, nil
}
