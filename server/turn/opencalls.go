package turn

import (
	"context"
	"encoding/json"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/server/turn/family"
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
		case c.Verdict == grant.Run:
			secs = append(secs, t.result(c, dialog.CallError, record.Failure(record.NeverStarted)))
		default:
			secs = append(secs, t.result(c, dialog.CallDenied, record.Denied, dialog.Field{Key: "Failure", Value: tools.Permission}))
		}
	}
	return t.appendResults(secs)
}
