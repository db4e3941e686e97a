package history

import "vibey/dialog"

// Kind is what one item of a history is.
type Kind uint8

// The kinds of item.
const (
	UserText      Kind = iota + 1 // Text, from a human or a note to the model
	AssistantText                 // Text, never blank
	ReasoningItem                 // Native, only for the provider and model it came from; Text is its readable form
	CallItem                      // CallID, Tool, Args
	ResultItem                    // CallID, Tool, Text, Failed
	PictureItem                   // of the user: Text is its path, SHA256 its bytes; Provider and Model were asked first
)

// Item is one piece of the conversation in the order in which a provider reads
// it. Adapters group neighbours into messages; they never reorder, drop or
// change items (but for reasoning, see ReasoningItem).
type Item struct {
	Kind   Kind
	Text   string // the text, or a result's JSON
	CallID string // of a call and of its result: [A-Za-z0-9_-]{1,64}, unique in a history
	Tool   string // the tool's name, "invalid" where the model named none of ours
	Args   string // one JSON object: the received bytes, or "{}" where they were not one
	Failed bool   // of a result: success was not true
	SHA256 string // of a picture: its bytes, in hex

	// Of reasoning: the payload to send back verbatim, and where it came from. Provider and
	// Model also of a picture.
	Native   string
	API      string // "messages", "responses", "chat"
	Provider string
	Model    string
	Prefix   string // hash of the request up to there with Native, lowercase hex
}

// History is what a provider is sent: the system text, the tools, the items.
// Items[:Stable] never change any more while the dialog is only appended to, but for pictures
// that a Note withdraws, and what a Summary stands for; what follows is this request's tail (results and notes after the last response).
type History struct {
	System string
	ByTags bool // System says how to call by tags
	Tools  []ToolSpec
	Items  []Item
	Stable int
}

// removedText is what a history begins with whose first user message is gone.
const removedText = "(earlier text removed)"

// Build returns what a provider is sent for the dialog as it stands in the
// file. It repairs what the file may lack, so that any text gives a history
// that providers accept once a human message follows.
func Build(d *dialog.Dialog) History {
	var b Builder
	b.Extend(d)
	return b.History()
}
