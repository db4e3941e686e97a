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
