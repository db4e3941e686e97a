package turn

import (
	"context"
	"errors"
	"strconv"

	"vibey/dialog"
	"vibey/provider"
	"vibey/server/project"
	"vibey/server/turn/family"
	"vibey/tools"
)

// launch starts a sibling dialog and returns at once. It has the same
// doc-main.md and none of the grants.
func (t *turn) launch(ctx context.Context, in tools.LaunchInput) (string, error) {
	h := t.dialog().Header
	of, depth := family.Ancestry(h, t.f.ID())
	if depth >= family.Deepest {
		return "", errors.New("this dialog is launched too deep (depth " + strconv.Itoa(depth) + " of " + strconv.Itoa(family.Deepest) + "): do the work here, or tell the human what should be started")
	}
	p := t.in.Project
	input := Input{Project: p, Provider: in.Provider, Model: in.Model, Slug: in.Slug, Prompt: &Prompt{Text: dialog.WithoutNUL(in.Prompt)}}
	rules, err := t.projectRules()
	if err != nil {
		return "", err
	}
	if input.Intent, err = t.childIntent(input.Prompt); err != nil {
		return "", err
	}
	if err := input.Check(); err != nil {
		return "", errors.New(refusalText(err))
	}
	if err := t.r.deed(p); err != nil {
		return "", errors.New(refusalText(err))
	}
	most := rules.AgentsAtOnce()
	if err := t.r.families.Room(p, of, most); err != nil {
		return "", err
	}
	model, err := t.launchModel(ctx, &input)
	if err != nil {
		return "", errors.New(refusalText(err))
	}
	input.Model = model
	meta := dialog.Fields{{Key: "From", Value: t.f.ID()}, {Key: "Family", Value: of}, {Key: "Depth", Value: strconv.Itoa(depth + 1)}}
	f, err := t.r.createInRoom(ctx, input, of, most, meta)
	if err != nil {
		return "", errors.New(refusalText(err))
	}
	id := f.ID()
	sub, err := t.r.prompt(f, input, t.f.ID())
	if err != nil {
		return "", errors.New(refusalText(err))
	}
	sub.Close()
	return id, nil
}

// createInRoom makes the file of a launched dialog, active from the start, while
// no other launch of its family counts: of two at the same time the second finds the first. What
// takes long, the provider's models and the reading of the family, was done before.
func (r *Runner) createInRoom(ctx context.Context, in Input, family string, most int, meta dialog.Fields) (*project.DialogFile, error) {
	defer r.families.Enter(in.Project.Name(), family)()
	if err := r.families.Room(in.Project, family, most); err != nil {
		return nil, err
	}
	return r.create(ctx, in, dialog.Active, meta)
}

// launchModel finds the model of a launched dialog. It refuses a provider or model that is
// not there, and names those that are; and one that is a file of this machine outside the
// project, which only a human may name.
func (t *turn) launchModel(ctx context.Context, in *Input) (string, error) {
	p, ok := t.r.w.Provider(in.Provider)
	if !ok {
		return "", refuse(ErrInput, "there is no provider %q. Those that are there: %s", in.Provider, family.Names(t.r.w.Providers()))
	}
	model, err := t.r.model(ctx, in.Provider, in.Model)
	if err != nil {
		return "", err
	}
	if local, ok := p.(provider.Local); ok {
		return model, local.Within(in.Project.Name(), model)
	}
	if name, own := t.dialog().Model(); in.Model == "" || name == in.Provider && own == model {
		return model, nil // it answers, whether its provider lists it or not
	}
	ctx, cancel := context.WithTimeout(ctx, modelsWait)
	defer cancel()
	return model, family.CheckModel(ctx, p, in.Provider, model)
}

// childIntent is the intent of a prompt that this dialog gives to another: a child may
// take no more rounds than the message that its parent works on.
func (t *turn) childIntent(p *Prompt) (string, error) {
	rules, err := t.projectRules()
	if err != nil {
		return "", err
	}
	j, err := t.judged()
	if err != nil {
		return "", err
	}
	return family.ChildIntent(rules, j.Budget().Intent, p.read()), nil
}
