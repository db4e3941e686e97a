package history

import (
	"slices"

	"vibey/dialog"
)

// unansweredResult is sent as the result of a call that has none in the file.
const unansweredResult = `{"success":false,"error":"interrupted: no result was recorded for this call, so its outcome is unknown. Check before you rely on it or do it again."}`

// openCall is a call of the last response, and its result once it came.
type openCall struct {
	id, wire, tool string
	result         string
	answered       bool
	failed         bool
}

// tail returns the user's message that is to follow the model's items: a result for
// each call, in the order of the requests, then the texts.
func (b *Builder) tail() []Item {
	t := b.scratch[:0]
	for i := range b.calls {
		c := &b.calls[i]
		if !c.answered {
			c.result, c.failed = unansweredResult, true
		}
		t = append(t, Item{Kind: ResultItem, CallID: c.wire, Tool: c.tool, Text: c.result, Failed: c.failed})
	}
	t = append(t, b.words...)
	b.scratch = t
	return t
}

// flushed returns the items with their tail. The tail of a History that was given
// out may still be read, so its items are never written over: where the tail is
// another now, the items move to a new array.
func (b *Builder) flushed() []Item {
	tail, n := b.tail(), len(b.items)
	shown := b.items[n:max(n, b.given)]
	k := min(len(shown), len(tail))
	if !slices.Equal(shown[:k], tail[:k]) || len(shown) > len(tail) {
		b.move(len(tail))
		return append(b.items, tail...)
	}
	return append(b.items[:n+k], tail[k:]...)
}

// move copies the items to an array that no History shares, with room for n more.
func (b *Builder) move(n int) {
	b.items, b.given = append(make([]Item, 0, 2*len(b.items)+n), b.items...), 0
}

func (b *Builder) answer(s *dialog.Section) {
	c := b.unanswered(s.ID)
	if c == nil {
		return
	}
	b.answers++
	c.result, c.answered = unansweredResult, true
	if !dialog.IsBlank(s.Text()) {
		c.result = s.Text()
	}
	c.failed = s.Meta.Get("Status") != dialog.CallApproved || !dialog.Succeeded(c.result)
}

// unanswered returns the first call of the last response that has that id and no
// result, or nil. A map finds it among more calls than a response ever has.
func (b *Builder) unanswered(id string) *openCall {
	const many = 32
	if len(b.calls) <= many {
		i := slices.IndexFunc(b.calls, func(c openCall) bool { return c.id == id && !c.answered })
		if i < 0 {
			return nil
		}
		return &b.calls[i]
	}
	if b.byID == nil {
		b.byID = make(map[string][]int, len(b.calls))
		for i := range b.calls {
			if c := &b.calls[i]; !c.answered {
				b.byID[c.id] = append(b.byID[c.id], i)
			}
		}
	}
	left := b.byID[id]
	if len(left) == 0 {
		return nil
	}
	b.byID[id] = left[1:]
	return &b.calls[left[0]]
}
