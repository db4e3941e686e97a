package wire

import (
	"slices"

	"vibey/dialog/history"
	"vibey/dialog/jsontext"
	"vibey/provider"
)

// state is a Memo's: a request's beginning that will not change any more.
type state struct {
	fold
	system string
	tools  []history.ToolSpec
	items  []history.Item // those folded

	systemBytes, toolsBytes []byte
}

// fits reports whether s is the beginning of r for this coder.
func (s *state) fits(c Coder, r *provider.Request) bool {
	return s.coder == c && s.provider == r.Provider && s.model == r.Model &&
		s.system == r.History.System && slices.Equal(s.tools, r.History.Tools) &&
		len(s.items) <= r.History.Stable && sameItems(s.items, r.History.Items[:len(s.items)])
}

// sameItems compares two beginnings. Stable items never change, so the same
// array is the same items: what costs time happens only when the array moved.
func sameItems(a, b []history.Item) bool {
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

// AppendTools appends tools as a JSON array of objects. name, schema and end are
// what an API has before the name, before the schema, and behind it.
func AppendTools(dst []byte, tools []history.ToolSpec, name, schema, end string) []byte {
	dst = append(dst, '[')
	for i, t := range tools {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsontext.AppendString(append(dst, name...), t.Name)
		dst = jsontext.AppendString(append(dst, `,"description":`...), t.Description)
		dst = append(append(append(dst, schema...), t.Schema...), end...)
	}
	return append(dst, ']')
}

// Encoded is a request's history as its API gets it.
type Encoded struct {
	System, Tools []byte
	coder         Coder
	stable, tail  []byte
	marks         [2]int
	chain         Chain
	tools         []history.ToolSpec
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
	s.pictures = r.Pictures
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
	s.pictures, t.pictures = nil, nil
	c.Close(&t.layout)
	return &Encoded{
		System: s.systemBytes, Tools: s.toolsBytes, tools: h.Tools, coder: c,
		stable: s.layout.Out, tail: t.layout.Out, marks: t.layout.marks, chain: t.chain,
	}
}

// Prefix is the hash of the request.
func (e *Encoded) Prefix() string { return e.chain.Sum() }

// Offer appends the tools to body, if r has any; none is the API's choice of a
// model that must not call one.
func (e *Encoded) Offer(body Body, r *provider.Request, none string) Body {
	if len(r.History.Tools) > 0 {
		body = append(body, []byte(`,"tools":`), e.Tools)
		if r.NoTools {
			body = append(body, []byte(`,"tool_choice":`+none))
		}
	}
	return body
}

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
