package turn

import (
	"errors"

	"vibey/dialog"
	"vibey/provider"
	"vibey/server/turn/brief"
	"vibey/server/turn/record"
)

const tagsText = "[TOOLS] The server of this model takes no tool calls of its own. So from here on you call your tools as follows.\n\n"

// answerer returns the provider that answers the next request, and the request's
// history: those of its tags where a Note says that its server takes no tools. A
// model that follows one with tags is told first that they are over.
func (t *turn) answerer(p provider.Provider) (provider.Provider, dialog.History, error) {
	if h, instead := brief.Tagged(&t.b, p); instead != nil {
		return instead, h, nil
	}
	if brief.NativeAgain(&t.b, p) {
		err := t.note(dialog.ToolsNote, "model", brief.NativeText, dialog.Field{Key: "Calls", Value: dialog.CallsNative})
		if err != nil {
			return nil, dialog.History{}, err
		}
		t.b.Extend(t.dialog())
	}
	return p, t.b.History(), nil
}

// withoutTools returns the provider to go on with where an answer was nothing but
// the refusal of the tools that were offered.
func withoutTools(p provider.Provider, w *record.Response, err error) (provider.Tagged, bool) {
	refusal, ok := errors.AsType[*provider.Error](err)
	if !ok || refusal.Kind != provider.KindNoTools || w.Began() {
		return nil, false
	}
	instead, can := p.(provider.TagsInstead)
	if !can {
		return nil, false
	}
	return instead.Tagged(), true
}

// tellTags appends the Note by which this dialog goes on with tags, also after a
// restart.
func (t *turn) tellTags(p provider.Tagged) error {
	text := tagsText + p.Instructions(t.b.History().Tools)
	if err := t.note(dialog.ToolsNote, "model", text, dialog.Field{Key: "Calls", Value: dialog.CallsTags}); err != nil {
		return err
	}
	t.b.Extend(t.dialog())
	return nil
}

// tellCalls returns a system text that tells the model of the next request how to call
// these tools, where it does so by tags; then calls is its section's metadata for that.
// The words are stored with the text, so that another version of the program, which has
// others, tells an old dialog what it was told before.
func (t *turn) tellCalls(text string, set []dialog.ToolSpec) (told, calls string) {
	name := t.in.Provider
	if name == "" {
		name, _ = t.dialog().Model()
	}
	p, _ := t.r.w.Provider(name)
	if tagged, ok := p.(provider.Tagged); ok {
		return text + "\n\n" + tagged.Instructions(set), dialog.CallsTags
	}
	return text, ""
}

// sameCalls refuses another provider for a dialog that has begun, where its file shows
// that calls are written otherwise than that provider's are, and the provider so far is
// not one that writes them so already.
func (t *turn) sameCalls(name string) error {
	before, _ := t.dialog().Model()
	_, known := t.r.w.Provider(before)
	change := !known || t.callsByTags(before) != t.callsByTags(name)
	byTags, shown := t.showsCalls()
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

// showsCalls reports how the dialog's file shows that calls are written: by the System
// section that tells of tags, by its first answer, or by the Note that a server took no
// tools. Such a dialog began natively, and each other model of it is asked so. A file
// that was written by hand, or whose header is damaged, may show nothing.
func (t *turn) showsCalls() (byTags, shown bool) {
	if t.dialog().TellsTags() {
		return true, true
	}
	for i := range t.dialog().Sections {
		switch s := &t.dialog().Sections[i]; {
		case s.Torn:
		case s.Role == dialog.Note && s.Kind() == dialog.ToolsNote:
			return false, true
		case (s.Role == dialog.Assistant || s.Role == dialog.Reasoning) && s.Meta.Has("Api"):
			return s.Meta.Get("Api") == brief.APITags, true
		}
	}
	return false, false
}
