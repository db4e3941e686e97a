package turn

import (
	"context"
	"errors"
	"io"

	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/provider"
	"vibey/provider/acp"
	"vibey/server/turn/brief"
	"vibey/server/turn/record"
	"vibey/tools/caught"
)

// requestModel asks the model once and appends what it answered: one append, one
// sync, at the terminal event. A response that broke off is appended in the same
// way, and marked so. With noTools the model may call no tool.
func (t *turn) requestModel(noTools bool) error {
	name, model := t.b.Model()
	p, ok := t.r.w.Provider(name)
	if !ok && name == acp.API {
		return &provider.Error{Kind: provider.KindNotFound, Message: "There are no agents here any more. Start with --agent NAME=COMMAND, or send a message with another provider."}
	}
	if !ok {
		return &provider.Error{Kind: provider.KindNotFound, Message: "There is no provider \"" + name + "\" any more. Start with --provider, set its key, or send a message with another provider."}
	}
	if model == "" {
		return &provider.Error{Kind: provider.KindNotFound, Message: "The file of this dialog no longer says which model is asked. Send a message, and with it a model if you want another than the first of \"" + name + "\"."}
	}
	pictures, err := t.requestPictures(name, model, func() bool { return t.seesAt(name, model) }, allItems)
	if err != nil {
		return err
	}
	p, history, err := t.answerer(p)
	if err != nil {
		return err
	}
	w := record.NewResponse(t.target(), p.API())
	req := &provider.Request{Provider: name, Model: model, History: history, Pictures: pictures, NoTools: noTools, CacheKey: t.dialog().Header.CacheKey(t.f.ID()), Memo: &t.memo}
	if t.dialog().Header.Launched() {
		req.Within = t.in.Project.Name()
	}
	err = t.guard("the answer of "+name, func() error { return w.TakeAll(p.Stream(t.ctx, req)) })
	if instead, ok := brief.WithoutTools(p, err); ok && !w.Began() {
		if err := t.appendTags(instead); err != nil {
			return err
		}
		return t.requestModel(noTools)
	}
	if blind, ok := errors.AsType[*provider.Error](err); ok && blind.Kind == provider.KindNoPictures && len(pictures) > 0 && !w.Began() {
		if err := t.withdrawAll(); err != nil {
			return err
		}
		return t.requestModel(noTools)
	}
	stop := "error"
	switch cause := context.Cause(t.ctx); {
	case err == nil:
		stop = w.Finish.Stop
	case cause != nil:
		stop, err = "interrupted", cause
	case caught.Of(err) != nil:
		stop = "interrupted"
	}
	var secs []dialog.Section
	if err == nil || w.Began() {
		secs = w.Sections(stop, t.r.w.Now())
	}
	keep := t.appendResponse
	if err == nil && len(w.Calls) > 0 {
		keep = t.writeResponse
	}
	if lost := keep(secs); lost != nil && !errors.Is(err, record.ErrDeleted) {
		return lost // what matters more than why the answer broke off
	}
	if err != nil {
		return err
	}
	t.r.w.Log.Debug("round", "project", t.in.Project.Name(), "dialog", t.f.ID(), "in", w.Finish.Resources.In, "out", w.Finish.Resources.Out, "calls", len(w.Calls))
	return nil
}

// target is this dialog, for a response that is written into it.
func (t *turn) target() record.Target {
	return record.Target{
		Dialog: t.dialog, Hub: t.hub, Now: t.r.w.Now, Spent: t.spent,
		Open: func() (io.Writer, error) { return t.f.OpenResponse() },
		Rest: func() (string, record.Rest, error) {
			rest, err := t.f.NewRest()
			if err != nil {
				return "", nil, err
			}
			return rest.Name, rest, nil
		},
		Known: func(tool string) bool {
			_, known := t.set().Lookup(tool)
			return known
		},
	}
}

// answerer returns the provider that answers the next request, and the request's
// history: those of its tags if a Note has switched the dialog to them. If a model without
// tags follows one with tags, a Note ends their use first.
func (t *turn) answerer(p provider.Provider) (provider.Provider, history.History, error) {
	if h, instead := brief.Tagged(&t.b, p); instead != nil {
		return instead, h, nil
	}
	if brief.NativeAgain(&t.b, p) {
		err := t.note(history.ToolsNote, "model", brief.NativeText, dialog.Field{Key: "Calls", Value: history.CallsNative})
		if err != nil {
			return nil, history.History{}, err
		}
		t.b.Extend(t.dialog())
	}
	return p, t.b.History(), nil
}

// appendTags appends the Note by which this dialog goes on with tags, also after a
// restart.
func (t *turn) appendTags(p provider.Tagged) error {
	text := brief.TagsText + p.Instructions(t.b.History().Tools)
	if err := t.note(history.ToolsNote, "model", text, dialog.Field{Key: "Calls", Value: history.CallsTags}); err != nil {
		return err
	}
	t.b.Extend(t.dialog())
	return nil
}
