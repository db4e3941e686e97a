// Package wire holds what the adapters to HTTP APIs share: how a history is
// folded into the bytes of a request, how a request is sent and tried again,
// and how a stream of events is read under an idle limit.
//
// An adapter gives a Coder, which knows how its API writes one item and how
// items become messages, and a Parser, which knows what its stream's events
// mean. All the rest is here, once.
package wire

import (
	"encoding/base64"
	"slices"

	"vibey/dialog/history"
	"vibey/dialog/picture"
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
	// Picture appends one picture of the user.
	Picture(dst []byte, p Picture) []byte
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
	pictures map[string][]byte // by SHA-256, while a request is encoded

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
	var kind history.Kind
	f.scratch, kind = f.item(it)
	f.chain.Add(f.scratch)
	f.coder.Lay(&f.layout, kind, f.scratch)
	if cap(f.scratch) > scratchMost {
		f.scratch = nil
	}
}

// scratchMost is how large a buffer is kept for the next item: a picture has megabytes.
const scratchMost = 1 << 20

// item encodes an item. A picture whose bytes are missing is a text.
func (f *fold) item(it *history.Item) ([]byte, history.Kind) {
	if it.Kind != history.PictureItem {
		return f.coder.Item(f.scratch[:0], it), it.Kind
	}
	if b := f.pictures[it.SHA256]; b != nil {
		return f.coder.Picture(f.scratch[:0], Picture{SHA256: it.SHA256, Type: picture.Kind(b), Bytes: b}), it.Kind
	}
	return f.coder.Item(f.scratch[:0], &history.Item{Kind: history.UserText, Text: it.Text}), history.UserText
}

// Picture is what an API is sent of a picture.
type Picture struct {
	SHA256 string // of Bytes, in hex
	Type   string // its media type
	Bytes  []byte
}

// AppendBase64 appends the bytes as the inside of a JSON string.
func (p Picture) AppendBase64(dst []byte) []byte {
	return base64.StdEncoding.AppendEncode(dst, p.Bytes)
}

// AppendURL appends a URL that holds the bytes, as the inside of a JSON string.
func (p Picture) AppendURL(dst []byte) []byte {
	return p.AppendBase64(append(append(append(dst, "data:"...), p.Type...), ";base64,"...))
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
