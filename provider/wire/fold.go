// Package wire holds what the adapters to HTTP APIs share: how a history is
// folded into the bytes of a request, how a request is sent and tried again,
// and how a stream of events is read under an idle limit.
//
// An adapter gives a Coder, which knows how its API writes one item and how
// items become messages, and a Parser, which knows what its stream's events
// mean. All the rest is here, once.
package wire

import (
	"slices"

	"vibey/dialog/history"
)

// Coder is one API's way to write a history. All of it is pure: the same
// arguments append the same bytes.
type Coder interface {
	// API is the adapter's name for its wire format.
	API() string
	// System, Tools and Item append one part of a request, as the prefix hash covers it.
	System(dst []byte, text string) []byte
	Tools(dst []byte, tools []history.ToolSpec) []byte
	Item(dst []byte, it *history.Item) []byte
	// Lay appends an encoded item to the messages; Close ends an open message.
	Lay(l *Layout, kind history.Kind, item []byte)
	Close(l *Layout)
}

// fold is a history, encoded up to some item.
type fold struct {
	coder    Coder
	provider string
	model    string
	layout   Layout
	chain    Chain
	scratch  []byte

	// Reasoning waits for what follows from it: APIs refuse a block behind which
	// the model says nothing, so that one is left out.
	pending      [][]byte
	pendingChain Chain
}

// add folds one more item in.
func (f *fold) add(it *history.Item) {
	if it.Kind == history.ReasoningItem {
		f.reason(it)
		return
	}
	if len(f.pending) > 0 {
		if it.Kind == history.AssistantText || it.Kind == history.CallItem {
			for _, block := range f.pending {
				f.coder.Lay(&f.layout, history.ReasoningItem, block)
			}
			f.chain = f.pendingChain
		}
		f.pending = nil
	}
	f.scratch = f.coder.Item(f.scratch[:0], it)
	f.chain.Add(f.scratch)
	f.coder.Lay(&f.layout, it.Kind, f.scratch)
}

// reason takes a reasoning block if it is this model's own and all before it
// is as it was: only then the provider can verify it.
func (f *fold) reason(it *history.Item) {
	if it.Native == "" || it.API != f.coder.API() || it.Provider != f.provider || it.Model != f.model {
		return
	}
	chain := f.chain
	if len(f.pending) > 0 {
		chain = f.pendingChain
	}
	chain = chain.Fork()
	block := []byte(it.Native)
	chain.Add(block)
	if chain.Sum() != it.Prefix {
		return
	}
	f.pending, f.pendingChain = append(f.pending, block), chain
}

// fork returns a fold that goes on without touching f.
func (f *fold) fork() *fold {
	g := *f
	g.layout, g.chain, g.scratch = f.layout.fork(), f.chain.Fork(), nil
	g.pending = slices.Clip(f.pending)
	return &g
}
