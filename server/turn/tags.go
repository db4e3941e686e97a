package turn

import (
	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/provider"
	"vibey/server/turn/brief"
)

// answerer returns the provider that answers the next request, and the request's
// history: those of its tags if a Note says that its server takes no tools. For a
// model that follows one with tags a Note ends their use first.
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

// sameCalls refuses another provider for a dialog that has begun, where its file shows
// that calls are written otherwise than that provider's are, and the provider so far is
// not one that writes them so already.
func (t *turn) sameCalls(name string) error {
	before, _ := t.dialog().Model()
	_, known := t.r.w.Provider(before)
	change := !known || t.callsByTags(before) != t.callsByTags(name)
	byTags, shown := brief.ShowsCalls(t.dialog())
	if !change || !t.dialog().HasPrompt() || !shown || t.callsByTags(name) == byTags {
		return nil
	}
	is, was := "natively", "by tags in its text"
	if !byTags {
		is, was = was, is
	}
	next := "Begin"
	if known { // it writes calls as the file shows
		next = "Go on with " + before + ", or begin"
	}
	return refuse(ErrTags, "%s calls tools %s and this dialog calls them %s; one that has begun can't change from one to the other. Nothing was written. %s a new dialog with %s and say in its prompt what it needs to know", name, is, was, next, name)
}

// callsByTags reports whether a provider is configured with the API tags.
func (t *turn) callsByTags(name string) bool {
	p, ok := t.r.w.Provider(name)
	return ok && p.API() == brief.APITags
}
