// Package history is what a provider is sent for a dialog: its system text, its tools, and
// the conversation as Items. It owns the way from a file to a request.
//
//	h := history.Build(dialog.Parse(text))
//	err := history.Validate(h) // what a provider would refuse
//
// Build repairs what a file may lack, so that any text followed by one human message is a
// request that no provider refuses, and its first History.Stable items never change while
// the file only grows. A Builder that is extended after each append gives the same at a
// price that does not depend on the dialog's length.
//
// Begin with Build, Builder, History, Item and Validate; System, CallsByTags and Tools for
// what the System section that counts says; ToolSpec for one tool; Covers for the ranges
// that Summaries stand for; Prefixes for the hash of what a model has seen.
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

	// Of reasoning: the payload to send back verbatim, and where it came from.
	Native   string
	API      string // "messages", "responses", "chat"
	Provider string
	Model    string
	Prefix   string // hash of the request up to there with Native, lowercase hex
}

// History is what a provider is sent: the system text, the tools, the items.
// Items[:Stable] never change any more while the dialog is only appended to;
// what follows is this request's tail (results and notes after the last response).
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

// System returns the system text that d's model gets. The System section that counts
// is the first whole one. Where damage left none, the text of the first that has
// one counts, and whole is false: then the caller appends another System section.
func System(d *dialog.Dialog) (system string, whole bool) {
	i, whole := counting(d)
	if i < 0 {
		return "", false
	}
	return d.Sections[i].Payload(dialog.SystemMarkdown), whole
}

// CallsByTags reports whether the text that System returns says how to call tools by tags.
func CallsByTags(d *dialog.Dialog) bool {
	i, _ := counting(d)
	return i >= 0 && callsByTags(&d.Sections[i])
}

// counting returns the index of the System section whose text counts, or -1; see System.
func counting(d *dialog.Dialog) (i int, whole bool) {
	first := -1
	for _, i := range d.Systems() {
		s := &d.Sections[i]
		if Whole(s) {
			return i, true
		}
		if first < 0 && !dialog.IsBlank(s.Payload(dialog.SystemMarkdown)) {
			first = i
		}
	}
	return first, false
}

// Tools returns the tools/json of the System section that counts, "" where none is
// whole.
func Tools(d *dialog.Dialog) string {
	if i, whole := counting(d); whole {
		return d.Sections[i].Payload(dialog.ToolsJSON)
	}
	return ""
}

// Whole reports whether s, a System section, is whole: with a text, and with
// tools that a provider takes.
func Whole(s *dialog.Section) bool {
	_, ok := readTools(s.Payload(dialog.ToolsJSON))
	return ok && !dialog.IsBlank(s.Payload(dialog.SystemMarkdown))
}

// A Note of Kind tools says how calls are written from there on, in "> Calls:". A
// dialog begins with CallsNative, the tool calls of the provider's API. A System section
// has the line too, with CallsTags, where its text ends with how to call by tags; the
// text itself, which holds a project's own words, is no sign of that.
const (
	ToolsNote   = "tools"
	CallsNative = "native"
	CallsTags   = "tags" // in the model's text, since the server takes no tools
)

// tags is what a history says about how calls are written. It follows from the
// notes that are sent, and from nothing else: where one is gone, the server refuses
// tools once more, and another note is written.
type tags struct {
	on    bool
	ended bool // by another model, which has not been sent a note yet
}

// note takes a Note that is sent to the model.
func (t *tags) note(s *dialog.Section) {
	if s.Kind() == ToolsNote {
		*t = tags{on: s.Meta.Get("Calls") == CallsTags}
	}
}

// callsByTags reports whether s, a System section, says how to call by tags.
func callsByTags(s *dialog.Section) bool { return s.Meta.Get("Calls") == CallsTags }

// otherModel ends tags: the next model may have tools.
func (t *tags) otherModel() {
	if t.on {
		*t = tags{ended: true}
	}
}

// Tags reports whether the next request's model calls its tools by tags, and whether
// a note says so that holds no longer. API tags, in which every
// call is a tag, leaves both false.
func (b *Builder) Tags() (on, ended bool) { return b.tags.on, b.tags.ended }
