package brief

import (
	"errors"

	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/provider"
)

// APITags is the API of providers all of whose models call their tools by tags.
const APITags = "tags"

// NativeText ends the use of tags, for a model that follows one with tags.
const NativeText = "[TOOLS] You have native tool calls again. From here on call your tools by them; a tag calls nothing any more."

// Tagged returns the provider of p's tags and its history, if a Note says that p's server
// takes no tools; else nil.
func Tagged(b *history.Builder, p provider.Provider) (history.History, provider.Provider) {
	instead, can := p.(provider.TagsInstead)
	if on, _ := b.Tags(); !on || !can {
		return history.History{}, nil
	}
	h := b.History()
	h.Tools = nil // the Note has them
	return h, instead.Tagged()
}

// NativeAgain reports whether NativeText is due.
func NativeAgain(b *history.Builder, p provider.Provider) bool {
	on, ended := b.Tags()
	return (on || ended) && p.API() != APITags
}

// TagsText begins the use of tags; their instructions follow.
const TagsText = "[TOOLS] The server of this model takes no tool calls of its own. So from here on you call your tools as follows.\n\n"

// WithoutTools returns the provider to go on with if an answer was nothing but the refusal
// of the tools that were offered.
func WithoutTools(p provider.Provider, err error) (provider.Tagged, bool) {
	refusal, ok := errors.AsType[*provider.Error](err)
	if !ok || refusal.Kind != provider.KindNoTools {
		return nil, false
	}
	instead, can := p.(provider.TagsInstead)
	if !can {
		return nil, false
	}
	return instead.Tagged(), true
}

// ShowsCalls reports how the file of d shows that calls are written: by the System
// section that has tags, by its first answer, or by the Note that a server took no
// tools. Such a dialog began natively, and each other model of it is asked so. A file
// that was written by hand, or whose header is damaged, may show nothing.
func ShowsCalls(d *dialog.Dialog) (byTags, shown bool) {
	if history.CallsByTags(d) {
		return true, true
	}
	for _, s := range d.Forward() {
		switch {
		case s.Role == dialog.Note && s.Kind() == history.ToolsNote:
			return false, true
		case (s.Role == dialog.Assistant || s.Role == dialog.Reasoning) && s.Meta.Has("Api"):
			return s.Meta.Get("Api") == APITags, true
		}
	}
	return false, false
}
