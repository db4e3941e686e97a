package turn

import (
	"context"
	"errors"
	"time"

	"vibey/dialog"
	"vibey/provider"
	"vibey/provider/acp"
	"vibey/tools/caught"
)

// respond asks the model once and appends what it answered: one append, one
// sync, at the terminal event. What broke off is appended in the same way, and
// says so. With noTools it may only speak.
func (t *turn) respond(noTools bool) error {
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
	p, history, err := t.answerer(p)
	if err != nil {
		return err
	}
	w := newResponse(t, p.API())
	req := &provider.Request{Provider: name, Model: model, History: history, NoTools: noTools, CacheKey: t.f.ID(), Memo: &t.memo}
	if t.dialog().Header.Launched() {
		req.Within = t.in.Project.Name()
	}
	err = t.guard("the answer of "+name, func() error { return w.hear(p.Stream(t.ctx, req)) })
	if instead, ok := withoutTools(p, w, err); ok {
		if err := t.tellTags(instead); err != nil {
			return err
		}
		return t.respond(noTools)
	}
	stop, err := t.ended(w, err)
	var secs []dialog.Section
	if err == nil || w.began() {
		secs = w.sections(stop, t.r.w.Now())
	}
	keep := t.appendResponse
	if err == nil && len(w.calls) > 0 {
		keep = t.writeResponse
	}
	if lost := keep(secs); lost != nil && !errors.Is(err, errDeleted) {
		return lost // what matters more than why the answer broke off
	}
	if err != nil {
		return err
	}
	t.r.w.Log.Debug("round", "project", t.in.Project.Name(), "dialog", t.f.ID(), "in", w.finish.Resources.In, "out", w.finish.Resources.Out, "calls", len(w.calls))
	return nil
}

// ended is the stop reason of an answer, and why it broke off, nil for one that
// came whole.
func (t *turn) ended(w *response, err error) (stop string, why error) {
	switch cause := context.Cause(t.ctx); {
	case err == nil:
		return w.finish.Stop, nil
	case cause != nil:
		return "interrupted", cause
	case caught.Of(err) != nil:
		return "interrupted", err
	}
	return "error", err
}

// meta is what the last model section of a response says about it.
func (w *response) meta(stop string, sum dialog.Resources) dialog.Fields {
	return dialog.Fields{}.With("Resources cumulative", sum.String()).With("Stop", stop).With("Api", w.api).With("Prefix", w.prefix)
}

// resources are what the response cost, as far as it is known.
func (w *response) resources(end time.Time) dialog.Resources {
	var r dialog.Resources
	if w.finish != nil {
		r = r.Plus(w.finish.Resources) // nothing in it is below 0, whatever the provider counts
	}
	if r.Total == 0 {
		r.Total = dialog.Resources{Total: r.In}.Plus(dialog.Resources{Total: r.Out}).Total
	}
	r.Tools, r.MS = int64(len(w.calls)), since(w.start, end)
	return r
}
