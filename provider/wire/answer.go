package wire

import (
	"slices"

	"vibey/dialog/history"
	"vibey/dialog/jsontext"
	"vibey/provider"
)

// Answer hashes a response behind the request that it answers, block by block
// as a later history will hold them.
type Answer struct {
	coder Coder
	chain Chain
	tools []history.ToolSpec
	buf   []byte
}

// Answer returns the hash of a response that has not begun.
func (e *Encoded) Answer() *Answer {
	return &Answer{coder: e.coder, chain: e.chain.Fork(), tools: e.tools}
}

func (a *Answer) add(it *history.Item) {
	a.buf = a.coder.Item(a.buf[:0], it)
	a.chain.Add(a.buf)
}

// Text takes a whole block of text. A blank one never travels.
func (a *Answer) Text(text string) {
	if !blank(text) {
		a.add(&history.Item{Kind: history.AssistantText, Text: text})
	}
}

// Call takes a whole call, in the form in which a history will hold it.
func (a *Answer) Call(c provider.Call) {
	it := history.Item{Kind: history.CallItem, CallID: c.ID, Tool: c.Name, Args: c.Args}
	if !jsontext.IsObject(it.Args) {
		it.Args = "{}"
	}
	if !slices.ContainsFunc(a.tools, func(t history.ToolSpec) bool { return t.Name == c.Name }) {
		it.Tool = "invalid"
	}
	a.add(&it)
}

// Reasoning takes a whole native block and returns the event that tells of it.
// What is not one JSON object in UTF-8 could not be sent back, and is left out.
func (a *Answer) Reasoning(text, native string) provider.Reasoning {
	if !jsontext.IsObject(native) {
		return provider.Reasoning{Text: text}
	}
	a.chain.Add([]byte(native))
	return provider.Reasoning{Text: text, Native: native, Prefix: a.chain.Sum()}
}
