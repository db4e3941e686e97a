package turn

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/plan"
	"vibey/server/hub"
	"vibey/server/turn/family"
	"vibey/server/turn/record"
	"vibey/server/turn/undo"
	"vibey/tools"
	"vibey/tools/caught"
)

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

// runHere runs a call whose start stands in the file, and appends its result with more
// metadata. start is when it began.
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

// notRun answers a call that was not run though its start stands in the file. A call that
// is not there any more needs no answer.
func (t *turn) notRun(c *grant.Call) error {
	if now, open := t.openCall(c.ID); open {
		return t.appendResults([]dialog.Section{t.result(now, dialog.CallError, record.Failure(record.ChangedCall))})
	}
	return nil
}

// execute runs a call, and looks at the deed before and behind it if a server runs. A panic
// on the way there is its result as well.
func (t *turn) execute(c *grant.Call) (res tools.Result) {
	err := caught.Do(func() error {
		env, err := t.env(c)
		if err != nil {
			res = (&tools.Failure{Kind: tools.ExecError, Error: "the call could not be prepared: " + err.Error() + ". Nothing was changed."}).Result()
			return nil
		}
		s := t.sight(c.Tool == "start_server")
		t.look(s)
		res = t.set().Call(t.ctx, env, c.Tool, c.Input)
		t.lookBehind(s, c.Tool, res)
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
	env.DialogID, env.Known, env.Off = t.f.ID(), t.r.Names(), t.serverOff
	env.Said = func(it plan.Item, words string) (bool, string) { return plan.Cited(t.dialog(), it, words) }
	env.Message, env.Agents, env.Agent = t.message(c.ID),
		func() ([]tools.Agent, error) { return family.List(p, t.f.ID()) },
		func(id string) (*dialog.Dialog, dialog.Status, error) { return family.Read(p, id) }
	return env, nil
}

// stillApproved returns the call as the file on disk has it now. ok is false
// if it is gone or answered, has other bytes, or may not run any more.
func (t *turn) stillApproved(c *grant.Call) (now grant.Call, ok bool, err error) {
	if err := t.refresh(); err != nil {
		return now, false, err
	}
	now, open := t.openCall(c.ID)
	return now, open && now.SHA256 == c.SHA256 && now.Tool == c.Tool && now.Verdict == grant.Run, nil
}

// openCall returns the call of that id which has no result yet.
func (t *turn) openCall(id string) (grant.Call, bool) {
	for _, c := range t.calls() {
		if c.ID == id {
			return c, true
		}
	}
	return grant.Call{}, false
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

// approval is what a call's own approval says of the file that it writes; nil
// for a call that an allow line released.
func (t *turn) approval(c *grant.Call) *tools.Approval {
	if !c.Decided {
		return nil
	}
	return &tools.Approval{
		Target: c.Target, Path: c.Path,
		Left: func(path, sha string) bool { return t.leftTogether(c, path, sha) },
		Changed: func(path, sha string) string {
			return cmp.Or(undo.WhoLeft(t.in.Project, t.f.ID(), t.dialog(), path, sha, -1), "somebody outside of this dialog changed it")
		},
	}
}

// leftTogether reports whether path was last written by a file tool's call that
// the same Authorization decided as c, and was left with that hash. A command
// does not count: what it would write could not be seen when it was approved.
func (t *turn) leftTogether(c *grant.Call, path, sha string) bool {
	d := t.dialog()
	decisions := t.gr.Extend(d).Decisions
	for i := len(d.Sections) - 1; i >= 0; i-- {
		s := &d.Sections[i]
		now, ok := undo.Left(s, path)
		if !ok {
			continue
		}
		if now != sha {
			return false
		}
		l := decisions[s.ID]
		if l.Verb == grant.Approve && l.By != "" && l.By == c.By && dialog.WritesFile(s.Tool()) {
			return true
		}
	}
	return false
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

// committed is tools.Env's Committed, nil if the deed is no git work tree. A Note says
// first what others than the dialog left uncommitted. git may take a while for that: c,
// for which it is asked, does not run if its approval is gone by then.
func (t *turn) committed(c *grant.Call, env tools.Env) func(before *tools.Sight) (tools.Held, *tools.Failure) {
	if !undo.IsRepository(t.deed) {
		return nil
	}
	return func(before *tools.Sight) (tools.Held, *tools.Failure) {
		asked, err := t.noteUncommitted(env, before)
		if err != nil {
			// If the disk fails, the result can't be appended either.
			t.r.w.Log.Warn("it is not told what stood uncommitted in a deed before a command", "project", t.in.Project.Name(), "err", err)
		}
		if asked {
			if _, ok, err := t.stillApproved(c); err != nil || !ok {
				return nil, &tools.Failure{Error: record.ChangedCall}
			}
		}
		return undo.Hold(t.in.Project, t.dialog(), env, t.r.w.Log, func(after *tools.Sight) { t.looked(after) }), nil
	}
}

// Bounds of mail. Two dialogs that answer each other end by their budgets, since mail
// gives no fresh one, and by the ceilings of their family.
const (
	mailTurn = 16              // messages of one turn
	mailWait = 2 * time.Minute // for a receiver whose model answers
)

// message returns the func of message_agent for one call, whose id makes the message the
// one that it is.
func (t *turn) message(call string) func(ctx context.Context, to, text string) (tools.Delivery, error) {
	return func(ctx context.Context, to, text string) (tools.Delivery, error) {
		if to == t.f.ID() {
			return tools.Delivery{}, errors.New("that is this dialog itself; list_agents names the others")
		}
		if n := t.dialog().Sent("message_agent"); n >= mailTurn {
			return tools.Delivery{}, fmt.Errorf("this turn has sent %d messages, the most it may: say what is left to the human", n)
		}
		ctx, cancel := context.WithTimeoutCause(ctx, mailWait, family.ErrAnswers)
		defer cancel()
		of, _ := family.Ancestry(t.dialog().Header, t.f.ID())
		m := dialog.Mail{From: t.f.ID(), Mark: call, Text: text}
		asleep, err := t.r.deliver(ctx, t.in.Project, to, of, m, true)
		if err != nil {
			return tools.Delivery{}, errors.New(family.Undelivered(to, err))
		}
		return tools.Delivery{Note: m.ID(), Asleep: asleep}, nil
	}
}
