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

	"vibey/dialog"
	"vibey/provider"
)

// Coder is one API's way to write a history. All of it is pure: the same
// arguments append the same bytes.
type Coder interface {
	// API is the adapter's name for its wire format.
	API() string
	// System, Tools and Item append one part of a request, as the prefix hash covers it.
	System(dst []byte, text string) []byte
	Tools(dst []byte, tools []dialog.ToolSpec) []byte
	Item(dst []byte, it *dialog.Item) []byte
	// Lay appends an encoded item to the messages; Close ends an open message.
	Lay(l *Layout, kind dialog.ItemKind, item []byte)
	Close(l *Layout)
}

// Layout is the messages of a request as they grow.
type Layout struct {
	Out []byte
	// Open is the kind of message that may still grow, as the Coder counts; 0 is none.
	Open int
	// Texts and Calls are parts of the open message that its end puts together.
	Texts, Calls, Extra []byte
	// Queue is what the next calls of the open message must carry, one each.
	Queue [][]byte

	base  int    // bytes laid out before Out began
	marks [2]int // ends of the last block in the last two user messages
}

// Comma appends a comma, unless nothing stands before.
func (l *Layout) Comma() {
	if l.base+len(l.Out) > 0 {
		l.Out = append(l.Out, ',')
	}
}

// Mark notes the end of a user message's last block; begins tells that the
// message is another one than that of the last Mark.
func (l *Layout) Mark(begins bool) {
	if begins {
		l.marks[0] = l.marks[1]
	}
	l.marks[1] = l.base + len(l.Out)
}

// fork returns a layout that continues l in bytes of its own.
func (l *Layout) fork() Layout {
	f := *l
	f.base, f.Out = l.base+len(l.Out), nil
	f.Texts, f.Calls, f.Extra = slices.Clip(l.Texts), slices.Clip(l.Calls), slices.Clip(l.Extra)
	f.Queue = slices.Clip(l.Queue)
	return f
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
func (f *fold) add(it *dialog.Item) {
	if it.Kind == dialog.ReasoningItem {
		f.reason(it)
		return
	}
	if len(f.pending) > 0 {
		if it.Kind == dialog.AssistantText || it.Kind == dialog.CallItem {
			for _, block := range f.pending {
				f.coder.Lay(&f.layout, dialog.ReasoningItem, block)
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
func (f *fold) reason(it *dialog.Item) {
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

// state is a Memo's: a request's beginning that will not change any more.
type state struct {
	fold
	system string
	tools  []dialog.ToolSpec
	items  []dialog.Item // those folded

	systemBytes, toolsBytes []byte
}

// fits tells whether s is the beginning of r for this coder.
func (s *state) fits(c Coder, r *provider.Request) bool {
	return s.coder == c && s.provider == r.Provider && s.model == r.Model &&
		s.system == r.History.System && slices.Equal(s.tools, r.History.Tools) &&
		len(s.items) <= r.History.Stable && sameItems(s.items, r.History.Items[:len(s.items)])
}

// sameItems compares two beginnings. Stable items never change, so the same
// array is the same items: what costs time happens only when the array moved.
func sameItems(a, b []dialog.Item) bool {
	return len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b)
}

func newState(c Coder, r *provider.Request) *state {
	h := &r.History
	s := &state{system: h.System, tools: h.Tools}
	s.fold = fold{coder: c, provider: r.Provider, model: r.Model, chain: NewChain()}
	s.systemBytes = c.System(nil, h.System)
	s.toolsBytes = c.Tools(nil, h.Tools)
	s.chain.Add(s.systemBytes)
	s.chain.Add(s.toolsBytes)
	return s
}

// Encoded is a request's history as its API gets it.
type Encoded struct {
	System, Tools []byte
	coder         Coder
	stable, tail  []byte
	marks         [2]int
	chain         Chain
	tools         []dialog.ToolSpec
}

// Encode folds r's history, going on from where r.Memo left off if it can.
// What it costs then grows with what is new, not with the dialog.
func Encode(c Coder, r *provider.Request) *Encoded {
	h := &r.History
	stable := min(max(h.Stable, 0), len(h.Items))
	var s *state
	if r.Memo != nil {
		s, _ = r.Memo.State.(*state)
	}
	if s == nil || !s.fits(c, r) {
		s = newState(c, r)
	}
	for i := len(s.items); i < stable; i++ {
		s.add(&h.Items[i])
	}
	s.items = h.Items[:stable:stable]
	if r.Memo != nil {
		r.Memo.State = s
	}
	t := s.fork()
	for i := stable; i < len(h.Items); i++ {
		t.add(&h.Items[i])
	}
	c.Close(&t.layout)
	return &Encoded{
		System: s.systemBytes, Tools: s.toolsBytes, tools: h.Tools, coder: c,
		stable: s.layout.Out, tail: t.layout.Out, marks: t.layout.marks, chain: t.chain,
	}
}

// Prefix is the hash of the request.
func (e *Encoded) Prefix() string { return e.chain.Sum() }

// Messages appends the messages' bytes to body. Where hint is not empty, it is
// put inside the last block of each of the last two user messages.
func (e *Encoded) Messages(body Body, hint string) Body {
	at := 0
	if hint != "" {
		for _, m := range e.marks {
			if m > at {
				body = e.cut(body, at, m-1)
				body = append(body, []byte(hint))
				at = m - 1
			}
		}
	}
	return e.cut(body, at, len(e.stable)+len(e.tail))
}

// cut appends the bytes from..to of the messages without copying them.
func (e *Encoded) cut(body Body, from, to int) Body {
	n := len(e.stable)
	if from < n && from < to {
		body = append(body, e.stable[from:min(to, n)])
	}
	if to > n {
		body = append(body, e.tail[max(from, n)-n:to-n])
	}
	return body
}

// Answer hashes a response behind the request that it answers, block by block
// as a later history will hold them.
type Answer struct {
	coder Coder
	chain Chain
	tools []dialog.ToolSpec
	buf   []byte
}

// Answer returns the hash of a response that has not begun.
func (e *Encoded) Answer() *Answer {
	return &Answer{coder: e.coder, chain: e.chain.Fork(), tools: e.tools}
}

func (a *Answer) add(it *dialog.Item) {
	a.buf = a.coder.Item(a.buf[:0], it)
	a.chain.Add(a.buf)
}

// Text takes a whole block of text. A blank one never travels.
func (a *Answer) Text(text string) {
	if !blank(text) {
		a.add(&dialog.Item{Kind: dialog.AssistantText, Text: text})
	}
}

// Call takes a whole call, in the form in which a history will hold it.
func (a *Answer) Call(c provider.Call) {
	it := dialog.Item{Kind: dialog.CallItem, CallID: c.ID, Tool: c.Name, Args: c.Args}
	if !dialog.IsObject(it.Args) {
		it.Args = "{}"
	}
	if !slices.ContainsFunc(a.tools, func(t dialog.ToolSpec) bool { return t.Name == c.Name }) {
		it.Tool = "invalid"
	}
	a.add(&it)
}

// Reasoning takes a whole native block and returns the event that tells of it.
func (a *Answer) Reasoning(text, native string) provider.Reasoning {
	if native == "" {
		return provider.Reasoning{Text: text}
	}
	a.chain.Add([]byte(native))
	return provider.Reasoning{Text: text, Native: native, Prefix: a.chain.Sum()}
}
