package turn

import (
	"context"
	"errors"
	"strconv"

	"vibey/dialog"
	"vibey/provider"
	"vibey/server/project"
	"vibey/tools"
)

// The ceilings of a family: all dialogs that go back to one that a human
// started, that one included.
const (
	familyLive   = 4          // active at a time
	familyDepth  = 4          // a root has 0
	familyAll    = 32         // ever
	familyTokens = 20_000_000 // in and out, of all of them
)

// launch starts a sibling dialog and returns at once. It has the same
// doc-main.md and none of the grants.
func (t *turn) launch(ctx context.Context, in tools.LaunchInput) (string, error) {
	t.r.launching.Lock()
	defer t.r.launching.Unlock()
	h := t.dialog().Header
	family, depth := ancestry(h, t.f.ID())
	if depth >= familyDepth {
		return "", errors.New("this dialog is launched too deep (depth " + strconv.Itoa(depth) + " of " + strconv.Itoa(familyDepth) + "): do the work here, or tell the human what should be started")
	}
	if err := t.r.roomIn(t.in.Project, family); err != nil {
		return "", err
	}
	input := Input{Project: t.in.Project, Provider: in.Provider, Model: in.Model, Slug: in.Slug, Prompt: &Prompt{Text: dialog.WithoutNUL(in.Prompt)}}
	if err := input.check(); err != nil {
		return "", errors.New(refusalText(err))
	}
	if err := t.r.deed(t.in.Project); err != nil {
		return "", errors.New(refusalText(err))
	}
	model, err := t.r.launchModel(ctx, &input)
	if err != nil {
		return "", errors.New(refusalText(err))
	}
	input.Model = model
	meta := dialog.Fields{{Key: "From", Value: t.f.ID()}, {Key: "Family", Value: family}, {Key: "Depth", Value: strconv.Itoa(depth + 1)}}
	f, err := t.r.create(ctx, input, dialog.Active, meta)
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

// ancestry is the family and the depth of the dialog id with that header. A root
// begins a family. A header that no longer says how deep it is, or of which family,
// counts as the deepest, so that damage takes nobody over a ceiling.
func ancestry(h dialog.Header, id string) (family string, depth int) {
	if !h.Launched() {
		return id, 0
	}
	depth, err := strconv.Atoi(h.Meta.Get("Depth"))
	if err != nil || depth < 1 || h.Damaged {
		depth = familyDepth
	}
	if family = h.Meta.Get("Family"); !dialog.ValidID(family) {
		return id, familyDepth
	}
	return family, depth
}

// launchModel finds the model of a launched dialog, and refuses one that is a
// file of this machine outside the project: only a human may name that.
func (r *Runner) launchModel(ctx context.Context, in *Input) (string, error) {
	model, err := r.model(ctx, in.Provider, in.Model)
	if err != nil {
		return "", err
	}
	p, _ := r.w.Provider(in.Provider) // model has asked for it
	if local, ok := p.(provider.Local); ok {
		if err := local.Within(in.Project, model); err != nil {
			return "", err
		}
	}
	return model, nil
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

// roomIn refuses a launch that would take a family over one of its ceilings.
// It counts what the files say.
func (r *Runner) roomIn(name, family string) error {
	infos, err := r.List(name)
	if err != nil {
		return err
	}
	p, err := r.w.Store.Project(name)
	if err != nil {
		return err
	}
	live, all, used := 0, 0, dialog.Resources{}
	for i := range infos {
		in, n := r.member(p, &infos[i], family)
		if !in {
			continue
		}
		all++
		used = used.Plus(dialog.Resources{Total: n})
		if infos[i].Status == dialog.Active {
			live++
		}
	}
	switch {
	case all >= familyAll:
		return errors.New("this family has " + strconv.Itoa(all) + " dialogs, the most it may have: go on in one of them, or tell the human")
	case live >= familyLive:
		return errors.New(strconv.Itoa(live) + " dialogs of this family work at the same time, the most that may: wait until one is done, then launch again")
	case used.Total >= familyTokens:
		return errors.New("this family has used " + strconv.FormatInt(used.Total, 10) + " tokens, the most it may: tell the human")
	}
	return nil
}

// member tells whether a dialog belongs to a family, and the tokens that it used.
func (r *Runner) member(p *project.Project, info *project.DialogInfo, family string) (in bool, tokens int64) {
	if info.ID < family && info.ID[:15] != family[:15] {
		return false, 0 // older than the root
	}
	t, err := p.ReadDialog(info.ID)
	if err != nil {
		return false, 0
	}
	d := dialog.Parse(t.Text)
	named := d.Header.Meta.Get("Family")
	if info.ID != family && named != family && (dialog.ValidID(named) || !d.Header.Launched()) {
		return false, 0 // one that no longer says its family counts in each
	}
	return true, d.Cumulative().Total
}
