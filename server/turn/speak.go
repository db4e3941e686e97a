package turn

import (
	"vibey/dialog"
	"vibey/provider"
	"vibey/provider/acp"
	"vibey/server/turn/brief"
)

// appendPrompt settles open calls, but for approved ones if those run next. Then it appends
// what the model has not been sent yet and the User section, in one append.
func (t *turn) appendPrompt(runs bool) error {
	if err := t.appendEffect(); err != nil {
		return err
	}
	settle := t.settleOpen
	if runs {
		if err := t.partner.Drain(); err != nil {
			return err
		}
		settle = t.denyWaiting
	}
	if err := settle(); err != nil {
		return err
	}
	secs, err := t.brief().Prompt(t.in.Attached)
	if err != nil {
		return err
	}
	now := t.r.w.Now()
	meta := dialog.Fields{{Key: "By", Value: t.by}}.With("Intent", t.intent())
	if p, m := t.dialog().Model(); t.in.Provider != "" && t.in.Provider != p || t.in.Model != "" && t.in.Model != m {
		meta = meta.With("Provider", t.in.Provider).With("Model", t.in.Model)
	}
	user := dialog.Section{
		Role: dialog.User, ID: t.dialog().NextID(dialog.User, now, 0), Time: dialog.Span(now, now),
		Meta: meta, Payloads: []dialog.Payload{t.in.Prompt.payload()},
	}
	return t.append(append(secs, user)...)
}

// settleOpen settles all open calls and cancels an agent's prompt before another one.
func (t *turn) settleOpen() error {
	if err := t.partner.Drain(); err != nil {
		return err
	}
	if err := t.denyOpen(); err != nil {
		return err
	}
	return t.partner.Cancel()
}

// brief makes the sections before a prompt.
func (t *turn) brief() *brief.Sources {
	name := t.in.Provider
	if name == "" {
		name, _ = t.dialog().Model()
	}
	p, _ := t.r.w.Provider(name)
	tags, _ := p.(provider.Tagged)
	return &brief.Sources{ // Agent also if no agent is defined any more
		Project: t.in.Project, Dialog: t.dialog(), Now: t.r.w.Now, Known: t.r.Names(), Deeds: &t.r.deeds, Agent: name == acp.API, Tags: tags, Offer: t.offer, Wish: t.wished,
	}
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
