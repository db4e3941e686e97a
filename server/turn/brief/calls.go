package brief

import (
	"vibey/dialog"
	"vibey/provider"
)

// APITags is the API of providers all of whose models call their tools by tags.
const APITags = "tags"

// NativeText tells a model that followed one with tags that these are over.
const NativeText = "[TOOLS] You have native tool calls again. From here on call your tools by them; a tag calls nothing any more."

// Tagged returns the provider of p's tags and its history, if a Note says that p's server
// takes no tools; else nil.
func Tagged(b *dialog.Builder, p provider.Provider) (dialog.History, provider.Provider) {
	instead, can := p.(provider.TagsInstead)
	if on, _ := b.Tags(); !on || !can {
		return dialog.History{}, nil
	}
	h := b.History()
	h.Tools = nil // the Note tells of them
	return h, instead.Tagged()
}

// NativeAgain reports whether the model is to be told that tags are over.
func NativeAgain(b *dialog.Builder, p provider.Provider) bool {
	on, ended := b.Tags()
	return (on || ended) && p.API() != APITags
}
