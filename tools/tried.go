package tools

import (
	"context"

	"vibey/dialog/effect"
	"vibey/dialog/grant"
	"vibey/tools/layer"
	"vibey/tools/sandbox"
)

// TriedCommand is a command that was tried, and whose effect waits to be released. Its
// layers are the caller's.
type TriedCommand struct {
	Tried   grant.Tried
	Layer   *layer.Layer
	Home    *layer.Layer
	Reading *layer.Reading
}

// Barred returns which changes of an effect that waited may not come from its layer.
func Barred(ctx context.Context, env Env, l *layer.Layer, r *layer.Reading) ([]effect.Refused, error) {
	return l.Barred(ctx, r.Changes, env.reads(l.Deed, 0))
}

// NotReleased is the result of a tried command whose effect can't be put into the deed.
func NotReleased(why string) Result {
	return Result{Failure: ExecError, NotRun: true, body: &failure{Error: why}}.sealed()
}

// closedNetwork is what the result of a tried command says that failed.
const closedNetwork = `closed: ask with run_command {"network":true}`

// try reads what a tried command did. It returns nil where that is nothing that is asked
// about: body is its result then.
func (env Env) try(ctx context.Context, out sandbox.Outcome, body *ran) *TriedCommand {
	body.Tried = true
	if out.ExitCode != 0 {
		body.Network = closedNetwork
	}
	if body.over(out) {
		return nil
	}
	r, err := out.Layer.Read(ctx, env.reads(out.Layer.Deed, 0))
	if err != nil {
		body.notPut(err)
		return nil
	}
	if body.Refused = r.Refused; len(r.Changes) == 0 {
		if _, err := env.Apply(ctx, out.Layer, r, nil); err == nil && out.Home != nil { // times alone: without them it would be built again
			out.Home.Pour(ctx) // no loss where it fails
		}
		return nil
	}
	Result{body: body}.masked(env)
	return &TriedCommand{Tried: grant.Tried{
		Effect: r.Effect(), ExitCode: body.ExitCode, Stdout: body.Stdout, Stderr: body.Stderr,
		Error: body.Error, Note: body.Note, Dropped: body.Dropped, Refused: body.Refused,
	}, Layer: out.Layer, Home: out.Home, Reading: r}
}

// Released is the result of a tried command whose effect is in the deed, and what Finished
// is given after a kill.
func Released(t *grant.Tried, l *layer.Layer, r *layer.Reading, level sandbox.Level) Result {
	body := &ran{
		Error: t.Error, ExitCode: t.ExitCode, Stdout: t.Stdout, Stderr: t.Stderr, Dropped: t.Dropped, Note: t.Note,
		Sandbox: string(level), Tried: true, Refused: t.Refused,
	}
	if t.ExitCode != 0 {
		body.Network = closedNetwork
	}
	body.list(l, r)
	body.Success = body.Error == ""
	return Result{Success: body.Success, Sandbox: body.Sandbox, body: body}.sealed()
}
