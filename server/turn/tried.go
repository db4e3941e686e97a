package turn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/dialog/effect"
	"vibey/dialog/grant"
	"vibey/server/project"
	"vibey/server/turn/record"
	"vibey/tools"
	"vibey/tools/disk"
	"vibey/tools/layer"
)

// A command that was tried has a Note of what it did, and what it wrote is held until a human
// or a rule decides. Held first, then noted: what a Note names is there.

// noteTried appends the Note of what a tried command did.
func (t *turn) noteTried(c *grant.Call, res tools.Result, start, end time.Time) error {
	did, p, call := res.Tried, t.in.Project, t.applyCall(c)
	defer t.r.w.Sandbox.Drop(did.Layer, did.Home) // but for what was moved
	inLayer, err := p.Hold(did.Layer, did.Reading, call)
	did.Tried.Held = inLayer
	if err == nil && did.Home != nil {
		err = p.HoldLayer(did.Home, call, project.HomeLayer)
	}
	if err != nil {
		return t.notHeld(c, err)
	}
	did.Tried.MS = record.Since(start, end)
	text, err := did.Tried.JSON()
	if err != nil {
		return err
	}
	n := t.newNote(dialog.EffectNote, "human", "The command was tried, and has changed nothing yet. "+counted(did.Tried.Effect.Changes)+fmt.Sprintf(" Exit code %d.", did.Tried.ExitCode))
	n.Time = dialog.Span(start, end)
	n.Meta = n.Meta.With("Parent", c.ID).With("Sandbox", res.Sandbox)
	n.Payloads = append(n.Payloads, dialog.Payload{Type: dialog.NoteJSON, Text: text})
	if err := t.append(n); err != nil {
		return err
	}
	now, open := t.openCall(c.ID)
	if !open {
		return p.LetGo(call)
	}
	sec, refused, err := t.refusal(now) // a rule, before a human or a rule of theirs is asked
	if err != nil || !refused {
		return err
	}
	return t.appendResults([]dialog.Section{sec})
}

// counted says how many paths an effect has of each kind.
func counted(changes []effect.Change) string {
	n := map[effect.Kind]int{}
	for _, c := range changes {
		n[c.Kind]++
	}
	var parts []string
	for _, k := range []effect.Kind{effect.Added, effect.Changed, effect.Deleted} {
		if n[k] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[k], k))
		}
	}
	return "Files and folders, if it is allowed: " + strings.Join(parts, ", ") + "."
}

// notHeld answers a tried command whose effect could not be kept until it is decided.
func (t *turn) notHeld(c *grant.Call, err error) error {
	t.r.w.Log.Warn("what a tried command changed could not be held", "project", t.in.Project.Name(), "dialog", t.f.ID(), "err", err)
	now, open := t.openCall(c.ID)
	if !open {
		return nil
	}
	return t.appendResults([]dialog.Section{t.result(now, dialog.CallError, record.Failure("it ran, and what it changed could not be kept until a human decides: "+disk.Words(err)+". Nothing of it counts. Try again once there is room, or change less at once."))})
}

// release puts into the deed what a tried command did, and appends its result.
func (t *turn) release(c *grant.Call) error {
	res, err := t.released(c)
	if err != nil {
		return err
	}
	status := dialog.CallApproved
	if res.NotRun {
		status = dialog.CallError
	}
	end := t.r.w.Now()
	sec := record.Result(t.dialog(), end, *c, status, res.JSON)
	sec.Resources = dialog.Resources{MS: c.Effect.MS, Tools: 1}
	sec.Meta = sec.Meta.With("Sandbox", res.Sandbox).With("Failure", res.Failure)
	if err := t.append(sec); err != nil {
		return err
	}
	t.partner.Answered()
	return t.noteChanged(c)
}

// released applies an effect, or ends what a killed program began of that.
func (t *turn) released(c *grant.Call) (tools.Result, error) {
	if res, found, err := t.finishApply(c); found || err != nil {
		return res, err
	}
	env, err := t.surroundings(false)
	if err != nil {
		return tools.Result{}, err
	}
	p, call := t.in.Project, t.applyCall(c)
	l, r, err := p.Held(t.ctx, c.Effect.Effect, call, c.Effect.Held)
	var not string
	switch {
	case errors.Is(err, project.ErrUnkept) && c.Effect.Held:
		not = "what this command wrote lies on another machine, or was removed with the state folder: it can't be put into deed/ here"
	case errors.Is(err, project.ErrUnkept):
		not = "what this command wrote is no longer kept as it was"
	case err == nil:
		not, err = t.barred(env, l, r)
	}
	if not != "" {
		return tools.NotReleased(not + ". Nothing was changed in deed/. Run it again if it is still wanted."), nil
	}
	if err != nil {
		return tools.Result{}, err
	}
	call.Say = []byte(tools.Released(c.Effect, l, r, t.r.w.Sandbox.Level()).JSON)
	done, err := p.Apply(t.ctx, l, r, call)
	if err != nil {
		return tools.Result{}, err
	}
	t.pourHome(call)
	return tools.Finished(call.Say, done.Conflicts), nil
}

// barred says why an effect that waited can't count: whoever wrote the dialog's file wrote what
// it says of that.
func (t *turn) barred(env tools.Env, l *layer.Layer, r *layer.Reading) (why string, err error) {
	barred, err := tools.Barred(t.ctx, env, l, r)
	if len(barred) == 0 {
		return "", err
	}
	return "what would be put into deed/ is not what a command may: " + barred[0].Path + ", " + cmp.Or(barred[0].Why, "which is a hook or a setting of git"), nil
}

// pourHome lets count what a tried command wrote to its HOME. It is no loss if that is gone.
func (t *turn) pourHome(call project.Call) {
	home, err := t.in.Project.HeldLayer(call, project.HomeLayer)
	if err == nil {
		err = home.Pour(context.WithoutCancel(t.ctx))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.r.w.Log.Warn("what a tried command wrote to its home could not be kept", "project", t.in.Project.Name(), "err", err)
	}
}
