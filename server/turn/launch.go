package turn

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"vibey/dialog"
	"vibey/dialog/governor"
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
	intent, err := t.childIntent(input.Prompt)
	if err != nil {
		return "", err
	}
	input.Intent = intent
	if err := input.check(); err != nil {
		return "", errors.New(refusalText(err))
	}
	if err := t.r.deed(p); err != nil {
		return "", errors.New(refusalText(err))
	}
	most, err := t.liveMost()
	if err != nil {
		return "", err
	}
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

// liveMost is how many dialogs of the family may work at a time, as the project's
// rules say.
func (t *turn) liveMost() (int, error) {
	rules, err := t.projectRules()
	return family.LiveMost(rules), err
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
		return "", refuse(ErrInput, "there is no provider %q. Those that are there: %s", in.Provider, listed(t.r.w.Providers()))
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
	return model, hasModel(ctx, p, in.Provider, model)
}

// hasModel refuses a model that its provider does not list, if it lists any.
func hasModel(ctx context.Context, p provider.Provider, name, model string) error {
	ctx, cancel := context.WithTimeout(ctx, modelsWait)
	defer cancel()
	models, err := p.Models(ctx)
	if err != nil || len(models) == 0 {
		return nil // what it has is not known
	}
	ids := make([]string, len(models))
	for i, m := range models {
		if ids[i] = m.ID; provider.SameModel(m.ID, model) {
			return nil
		}
	}
	return refuse(ErrInput, "%s has no model %q. Those that it has: %s", name, model, listed(ids))
}

// listed names a few things in words.
func listed(names []string) string {
	const most = 30
	text := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += ", and " + strconv.Itoa(more) + " more"
	}
	return text
}

// refusalText is an error in words for the model that wanted to launch.
func refusalText(err error) string {
	var r *Refusal
	var p *provider.Error
	switch {
	case errors.As(err, &r):
		return r.Message
	case errors.As(err, &p):
		return p.Message
	}
	return err.Error()
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
	intent, own := governor.Classify(p.read()), j.Budget().Intent
	most := governor.Limit(rules, own)
	switch {
	case intent != "conversational" && governor.Limit(rules, intent) <= most: // an agent starts no other one to talk
		return intent, nil
	case slices.Contains(dialog.Intents, own):
		return own, nil
	}
	return widest(rules, most), nil
}

// widest returns the intent that may take the most rounds, of those that may take most
// or fewer; where none may, the one that may take the fewest.
func widest(rules dialog.Rules, most int) string {
	fewest := slices.MinFunc(dialog.Intents, func(a, b string) int { return governor.Limit(rules, a) - governor.Limit(rules, b) })
	best, rounds := fewest, -1
	for _, i := range dialog.Intents {
		if n := governor.Limit(rules, i); n <= most && n >= rounds {
			best, rounds = i, n
		}
	}
	return best
}
