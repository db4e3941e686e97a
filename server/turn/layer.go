package turn

import (
	"context"
	"encoding/json"
	"errors"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/server/project"
	"vibey/server/turn/family"
	"vibey/server/turn/record"
	"vibey/tools"
	"vibey/tools/layer"
)

// What a command wrote to its layer is put into the deed by server/project, which keeps a
// journal of that from before the first path changes until the call has its result.

func (t *turn) applyCall(c *grant.Call) project.Call {
	return project.Call{Dialog: t.f.ID(), ID: c.ID}
}

// apply is tools.Env's Apply.
func (t *turn) apply(c *grant.Call) func(context.Context, *layer.Layer, *layer.Reading, json.RawMessage) ([]string, error) {
	p, call := t.in.Project, t.applyCall(c)
	return func(ctx context.Context, l *layer.Layer, r *layer.Reading, say json.RawMessage) ([]string, error) {
		call := call
		call.Say = say
		done, err := p.Apply(ctx, l, r, call)
		return done.Conflicts, err
	}
}

// endApplies ends the journals of commands that have their results.
func (t *turn) endApplies(secs []dialog.Section) {
	for i := range secs {
		s := &secs[i]
		if s.Role != dialog.ToolResult || s.Tool() != "run_command" {
			continue
		}
		call := project.Call{Dialog: t.f.ID(), ID: s.ID}
		err := t.in.Project.EndApply(call)
		if _, tried := t.dialog().Tried(s.ID); tried {
			err = errors.Join(err, t.in.Project.LetGo(call))
		}
		if err != nil {
			t.r.w.Log.Warn("what was left of a command could not be removed", "project", t.in.Project.Name(), "dialog", t.f.ID(), "err", err)
		}
	}
}

// interrupted answers a call that began and did not come to its end. What a command changed,
// if that was being put into the deed, is there then, whole.
func (t *turn) interrupted(c grant.Call) (dialog.Section, error) {
	sec, found, err := t.finished(c)
	if err == nil && !found {
		sec = t.result(c, dialog.CallError, record.Failure(family.Outcome(t.in.Project, t.f.ID(), c)))
	}
	return sec, err
}

// finished is the result of a call of which a killed program began to put into the deed what it
// changed; found is false where there is nothing of that.
func (t *turn) finished(c grant.Call) (sec dialog.Section, found bool, err error) {
	res, found, err := t.finishApply(&c)
	if !found || err != nil {
		return sec, found, err
	}
	return t.result(c, dialog.CallApproved, res.JSON, dialog.Field{Key: "Sandbox", Value: res.Sandbox}), true, nil
}

// finishApply ends that.
func (t *turn) finishApply(c *grant.Call) (res tools.Result, found bool, err error) {
	call := t.applyCall(c)
	done, found, err := t.in.Project.FinishApply(call)
	if !found || err != nil {
		return res, found, err
	}
	t.pourHome(call)
	return tools.Finished(done.Say, done.Conflicts), true, nil
}
