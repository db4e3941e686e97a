package turn

import (
	"vibey/dialog"
	"vibey/provider"
	"vibey/server/turn/brief"
)

// appendPrompt puts the prompt into the file: open calls are settled, but for what is approved
// where that runs next; the model is told what it was not told yet, then comes the User
// section, all in one append.
func (t *turn) appendPrompt(runs bool) error {
	if err := t.appendEffect(); err != nil {
		return err
	}
	settle := t.abandonPrompt
	if runs {
		if err := t.partner.Drain(); err != nil {
			return err
		}
		settle = t.denyWaiting
	}
	if err := settle(); err != nil {
		return err
	}
	told, err := t.brief().Prompt(t.in.Attached)
	if err != nil {
		return err
	}
	now := t.r.w.Now()
	meta := dialog.Fields{{Key: "By", Value: t.by}}.With("Intent", t.intent())
	if t.modelChanges() {
		meta = meta.With("Provider", t.in.Provider).With("Model", t.in.Model)
	}
	user := dialog.Section{
		Role: dialog.User, ID: t.dialog().NextID(dialog.User, now, 0), Time: dialog.Span(now, now),
		Meta: meta, Payloads: []dialog.Payload{t.in.Prompt.payload()},
	}
	return t.append(append(told, user)...)
}

// abandonPrompt settles all open calls and ends what an agent is at, because the human goes
// on to another prompt.
func (t *turn) abandonPrompt() error {
	if err := t.partner.Drain(); err != nil {
		return err
	}
	if err := t.denyOpen(); err != nil {
		return err
	}
	return t.partner.Cancel()
}

// modelChanges reports whether the prompt names another provider or model than the file.
func (t *turn) modelChanges() bool {
	p, m := t.dialog().Model()
	return t.in.Provider != "" && t.in.Provider != p || t.in.Model != "" && t.in.Model != m
}

// brief is what the model is told before a prompt.
func (t *turn) brief() *brief.Sources {
	b := &brief.Sources{
		Project: t.in.Project, Dialog: t.dialog(), Now: t.r.w.Now, Known: t.r.Names(), Deeds: &t.r.deeds, Agent: t.speaksToAgent(), Offer: t.offer, Wish: t.wished,
	}
	name := t.in.Provider
	if name == "" {
		name, _ = t.dialog().Model()
	}
	p, _ := t.r.w.Provider(name)
	b.Tags, _ = p.(provider.Tagged)
	return b
}

// appendSystem appends the System section to a file that has no whole one, before the
// model is asked without a prompt.
func (t *turn) appendSystem() error {
	secs, err := t.brief().System()
	if err != nil {
		return err
	}
	return t.append(secs...)
}
