package turn

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/server/hub"
	"vibey/server/turn/record"
	"vibey/tools"
)

// executeToolCalls gives every open call its result that can have one: calls that can't run
// get the reason, denied ones are denied, approved ones run one after the other. It returns
// record.ErrWaiting if undecided ones are left.
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
		calls := t.calls()
		if grant.EffectWaits(calls) {
			return record.ErrWaiting
		}
		for _, c := range calls {
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
		case c.Interrupted():
			sec, err := t.interrupted(c)
			if err != nil {
				return err
			}
			secs = append(secs, sec)
		case c.Effect != nil && slices.Contains(t.in.Project.Unfinished(t.f.ID()), c.ID): // it is in the deed in part: the rest follows
			if c.Verdict == grant.Run {
				continue
			}
			// What was released before that was taken back, too.
			sec, found, err := t.finished(c)
			if err != nil {
				return err
			}
			if found {
				secs = append(secs, sec)
			}
		case c.Verdict == grant.Lapsed:
			secs = append(secs, t.result(c, dialog.CallError, record.Failure(record.AgentEnded)))
		case c.Verdict == grant.Refused:
			secs = append(secs, t.denied(c))
		case dialog.LongInput(c.Input):
			secs = append(secs, t.result(c, dialog.CallError, record.Failure(record.LongInput), dialog.Field{Key: "Failure", Value: tools.Schema}))
		case c.Agent: // a human decides what it may do
		default:
			if sec, refused, err := t.refusal(c); err != nil {
				return err
			} else if refused {
				secs = append(secs, sec)
			} else if f := cmp.Or(t.set().Check(t.calledName(c), c.Input), t.set().ServerOff(tools.Env{MCP: t.r.w.MCP, Off: t.serverOff}, c.Tool)); f != nil {
				secs = append(secs, t.result(c, dialog.CallError, f.Result().JSON, dialog.Field{Key: "Failure", Value: f.Kind}))
			}
		}
	}
	return t.appendResults(secs)
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

// denyWaiting is denyOpen without approved calls, and without those that run at the agent.
func (t *turn) denyWaiting() error { return t.denyCalls(true) }

func (t *turn) denyCalls(waiting bool) error {
	if err := t.answerUnrun(); err != nil {
		return err
	}
	var secs []dialog.Section
	for _, c := range t.calls() {
		switch runs := t.partner.Runs(&c); {
		case waiting && (runs || c.Verdict == grant.Run):
		case runs:
			secs = append(secs, t.result(c, dialog.CallError, record.Failure(dialog.StoppedByUser)))
		case c.Verdict == grant.Run && c.Effect != nil:
			sec, found, err := t.finished(c)
			if err != nil {
				return err
			}
			if !found {
				sec = t.denied(c)
			}
			secs = append(secs, sec)
		case c.Verdict == grant.Run:
			secs = append(secs, t.result(c, dialog.CallError, record.Failure(record.NeverStarted)))
		default:
			secs = append(secs, t.denied(c))
		}
	}
	return t.appendResults(secs)
}

// denied is the result of a call that a human, or a rule, did not want. Of one that was tried
// nothing counts.
func (t *turn) denied(c grant.Call) dialog.Section {
	json := record.Denied
	if c.Effect != nil {
		json = record.DeniedTried
	}
	return t.result(c, dialog.CallDenied, json, dialog.Field{Key: "Failure", Value: tools.Permission})
}

// runCall runs one call, once: the Note that it started is on disk before. What
// runs is what was approved: the file is read anew right before the Note and
// right behind it, and the call must stand there with the same bytes, approved.
func (t *turn) runCall(c *grant.Call) error {
	if _, ok, err := t.stillApproved(c); err != nil || !ok {
		return err // the calls are decided anew, as the file is now
	}
	if c.Effect != nil {
		return t.release(c)
	}
	meta := dialog.Fields{{Key: "Parent", Value: c.ID}}
	if c.Tried {
		meta = meta.With(dialog.TriedKey, "yes")
	}
	if err := t.note("started", "", c.Tool+" started.", meta...); err != nil {
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

// runHere runs a call whose start stands in the file, and appends its result with more
// metadata. start is when it began.
func (t *turn) runHere(c *grant.Call, start time.Time, more ...dialog.Field) error {
	res := t.execute(c)
	end := t.r.w.Now()
	switch {
	case res.Unfinished != nil:
		return res.Unfinished
	case res.Tried != nil:
		return t.noteTried(c, res, start, end)
	}
	status := dialog.CallApproved
	switch {
	case res.Interrupted:
		status, res.JSON = dialog.CallError, record.Failure(record.CutOff(context.Cause(t.ctx)))
	case res.Panic != nil, res.NotRun:
		status = dialog.CallError // it never ran, or it is not known how far; a file tool that refused did run
	}
	sec := record.Result(t.dialog(), end, *c, status, res.JSON)
	sec.Time = dialog.Span(start, end)
	sec.Resources = dialog.Resources{MS: record.Since(start, end)}
	if !res.NotRun {
		sec.Resources.Tools = 1
	}
	sec.Meta = append(sec.Meta.With("Sandbox", res.Sandbox).With("Failure", res.Failure), more...)
	secs, err := t.effectBefore(c, res)
	if err != nil {
		return err
	}
	secs = slices.Concat(secs, []dialog.Section{sec}, t.servers.Notes(t.dialog(), t.r.w.Now(), len(secs), t.set().Specs(), c.ID, res.Served))
	if err := t.append(secs...); err != nil {
		return err
	}
	t.partner.Answered()
	if res.Panic != nil {
		return t.guard("the tool "+c.Tool, func() error { return res.Panic })
	}
	if res.Success && c.Tool == "checkpoint" {
		t.publishCheckpoint(c.Input)
	}
	return t.noteChanged(c)
}

// execute runs a call, and looks at the deed before and behind it if a server runs. A panic
// on the way there is its result as well.
func (t *turn) execute(c *grant.Call) tools.Result {
	return tools.Caught(c.Tool, func() tools.Result {
		env, err := t.env(c)
		if err != nil {
			return (&tools.Failure{Kind: tools.ExecError, Error: "the call could not be prepared: " + err.Error() + ". Nothing was changed."}).Result()
		}
		s := t.sight(c.Tool == "start_server")
		t.look(s)
		res := t.set().Call(t.ctx, env, c.Tool, c.Input)
		t.lookBehind(s, c.Tool, res)
		return res
	})
}

// noteChanged appends a Note to a human if the file no longer has the call that
// has just run. Its result stands there all the same.
func (t *turn) noteChanged(c *grant.Call) error {
	d := t.dialog()
	if i := d.Find(dialog.ToolRequest, c.ID); i >= 0 {
		input := d.Sections[i].Text()
		if input == "" {
			input = "{}"
		}
		if d.Sections[i].Tool() == c.Tool && grant.InputHash(input) == c.SHA256 {
			return nil
		}
	}
	return t.note("conflict", "human", "The call "+c.ID+" ("+c.Tool+") was changed or removed in this file while it ran. What ran is what was approved; its result stands above.",
		dialog.Field{Key: "Parent", Value: c.ID})
}

// publishCheckpoint publishes what the model says before it changes anything: the input of
// a call of checkpoint.
func (t *turn) publishCheckpoint(input string) {
	var p struct {
		Goal     string `json:"goal"`
		Findings string `json:"findings"`
		Proposal string `json:"proposal"`
	}
	if json.Unmarshal([]byte(input), &p) == nil {
		t.publish(hub.CheckEvent, p)
	}
}
