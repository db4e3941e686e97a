package turn

import (
	"context"
	"errors"
	"time"

	"vibey/dialog"
	"vibey/provider"
	"vibey/tools/caught"
)

// respond asks the model once and appends what it answered: one append, one
// sync, at the terminal event. What broke off is appended too, and said so.
// more tells whether the model called anything; without a call the turn is
// over, even where nothing was said: asking the same again could go on forever.
func (t *turn) respond() (more bool, err error) {
	name, model := t.b.Target()
	p, ok := t.r.w.Provider(name)
	if !ok {
		return false, &provider.Error{Kind: provider.KindNotFound, Message: "There is no provider \"" + name + "\" any more. Start with --provider, set its key, or send a message with another provider."}
	}
	if model == "" {
		return false, &provider.Error{Kind: provider.KindNotFound, Message: "The file of this dialog no longer says which model is asked. Send a message, and with it a model if you want another than the first of \"" + name + "\"."}
	}
	w := newResponse(t, p.API())
	req := &provider.Request{Provider: name, Model: model, History: t.b.History(), CacheKey: t.f.ID(), Memo: &t.memo}
	if t.dialog().Header.Launched() {
		req.Within = t.in.Project
	}
	if err := t.guard("the answer of "+name, func() error { return w.hear(p.Stream(t.ctx, req)) }); err != nil {
		return false, t.brokeOff(w, err)
	}
	secs := w.sections(w.finish.Stop, t.r.w.Now())
	if err := t.append(secs...); err != nil {
		return false, errors.Join(err, w.leave(err))
	}
	t.r.w.Log.Debug("round", "project", t.in.Project, "dialog", t.f.ID(), "in", w.finish.Resources.In, "out", w.finish.Resources.Out, "calls", len(w.calls))
	if err := w.drop(); err != nil {
		return false, err
	}
	if !w.said() {
		return false, t.note("warning", "human", "The model's answer was empty. Press Continue to ask it again, or send a message.")
	}
	return len(w.calls) > 0, nil
}

// brokeOff keeps what came of an answer that did not end, and returns why.
func (t *turn) brokeOff(w *response, err error) error {
	stop := "error"
	if cause := context.Cause(t.ctx); cause != nil {
		stop, err = "interrupted", cause
	} else if caught.Of(err) != nil {
		stop = "interrupted"
	}
	var lost error
	if w.began() {
		if lost = t.append(w.sections(stop, t.r.w.Now())...); lost != nil {
			err = errors.Join(lost, err)
		}
	}
	if e := w.leave(lost); e != nil {
		t.r.w.Log.Error("remove the open response", "dialog", t.f.ID(), "err", e)
	}
	return err
}

// meta is what the last model section of a response says about it.
func (w *response) meta(stop string, res, sum dialog.Resources) dialog.Fields {
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
