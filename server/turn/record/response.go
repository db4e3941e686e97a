package record

import (
	"cmp"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/provider"
	"vibey/server/hub"
)

// Response gathers one answer of a model, in the order of its blocks: the
// Sections that are whole, the one that is open, and the file beside the dialog
// that holds every piece before any watcher gets it.
type Response struct {
	to     Target
	api    string
	prefix string
	start  time.Time
	Finish *provider.Finish // nil until the terminal event

	Parent string // id of the first Assistant, which calls name before it stands
	secs   []dialog.Section
	size   int      // bytes of their payloads
	Calls  []string // ids given
	taken  map[string]bool
	counts map[dialog.Role]int

	open io.Writer       // nil until the first piece
	cur  dialog.Role     // of the payload that is open, "" for none
	text strings.Builder // of that payload, up to dialog.TextMost
	rest Rest            // what it has beyond; nil while that is nothing
	esc  dialog.Escaper
	buf  []byte
}

// Target is the dialog that a response is written into.
type Target struct {
	Dialog func() *dialog.Dialog
	Open   func() (io.Writer, error)    // the file beside the dialog
	Rest   func() (string, Rest, error) // the file of what a text has beyond dialog.TextMost, and its name
	Hub    *hub.Hub                     // nil if nothing runs
	Now    func() time.Time
	Known  func(tool string) bool  // one of the dialog's tools
	Spent  func() dialog.Resources // by the dialog up to now
}

// Rest takes what a text has beyond dialog.TextMost.
type Rest interface {
	WriteString(piece string) error
	Close() error
}

// NewResponse begins the response of a provider of that API.
func NewResponse(to Target, api string) *Response {
	now := to.Now()
	w := &Response{to: to, api: api, start: now, taken: map[string]bool{}, counts: map[dialog.Role]int{}}
	w.Parent = to.Dialog().NextID(dialog.Assistant, now, 0)
	return w
}

// Began reports whether anything of an answer came.
func (w *Response) Began() bool { return len(w.secs) > 0 || w.cur != "" }

// TakeAll takes a stream to its end. The error is the stream's or the disk's.
func (w *Response) TakeAll(stream iter.Seq2[provider.Event, error]) error {
	for e, err := range stream {
		if err != nil {
			return err
		}
		if err := w.Take(e); err != nil {
			return err
		}
	}
	if w.Finish == nil {
		return &provider.Error{Kind: provider.KindCut, Message: "The answer ended without its last event. What came is kept; press Continue."}
	}
	return nil
}

// responseMost is how many bytes the sections of one answer have together, besides what is
// cut off: they are held until it ends.
const responseMost = 4 * dialog.SectionMost

// Take is one event of the stream.
func (w *Response) Take(e provider.Event) error {
	if w.size > responseMost {
		return &provider.Error{Kind: provider.KindMalformed, Message: "The answer has more than 64 MiB in its parts, so it was ended. What came is kept."}
	}
	switch e := e.(type) {
	case provider.Begin:
		w.prefix = e.Prefix
	case provider.Text:
		return w.piece(dialog.Assistant, e.Piece, e.New)
	case provider.Thinking:
		return w.piece(dialog.Reasoning, e.Piece, false)
	case provider.Reasoning:
		return w.reasoning(e)
	case provider.Call:
		return w.call(e)
	case provider.Retry:
		w.to.Hub.Publish(hub.Event{Type: hub.NoteEvent, Kind: "warning", Text: e.Reason})
	case provider.Finish:
		w.Finish = &e
	}
	return nil
}

// piece is a piece of text or of readable reasoning.
func (w *Response) piece(r dialog.Role, piece string, fresh bool) error {
	w.buf, piece = w.buf[:0], dialog.WithoutNUL(piece)
	if w.cur != r || fresh {
		w.close()
		w.begin(r)
	}
	if piece == "" && len(w.buf) == 0 {
		return nil
	}
	if w.rest != nil {
		return w.rest.WriteString(piece)
	}
	n := dialog.HeadLen(piece, dialog.TextMost-w.text.Len())
	if n == len(piece) {
		return w.show(r, piece)
	}
	var name string
	var err error
	if name, w.rest, err = w.to.Rest(); err != nil {
		return err
	}
	if err := w.show(r, piece[:n]+dialog.RestLine(name)); err != nil {
		return err
	}
	return w.rest.WriteString(piece[n:])
}

// show adds a piece to the payload that is open: on the disk first, then for watchers.
func (w *Response) show(r dialog.Role, piece string) error {
	w.text.WriteString(piece)
	w.size += len(piece)
	w.buf = w.esc.Append(w.buf, piece)
	if err := w.flush(); err != nil {
		return err
	}
	if r == dialog.Assistant && piece != "" && w.to.Hub != nil { // nil if an agent that waits is stopped
		w.to.Hub.Publish(hub.Event{Type: hub.ChunkEvent, Content: piece})
	}
	return nil
}

// begin opens a section of text, in buf without what is not known yet.
func (w *Response) begin(r dialog.Role) {
	s := w.section(r)
	w.buf = append(w.buf, "\n## "+string(r)+"\n> Id: "+s.ID+"\n> Time: "+s.Start()+" -\n"...)
	w.buf = append(w.buf, "\nəəə"+r.PayloadType()+"\n"...)
	w.secs = append(w.secs, s)
	w.cur = r
	w.esc = dialog.Escaper{}
	w.text.Reset()
}

// section is a new section of the response, with the next id of its role.
func (w *Response) section(r dialog.Role) dialog.Section {
	id := w.to.Dialog().NextID(r, w.start, w.counts[r])
	if r == dialog.Assistant && w.counts[r] == 0 {
		id = w.Parent
	}
	w.counts[r]++
	now := w.to.Now()
	return dialog.Section{Role: r, ID: id, Time: dialog.Span(now, now)}
}

// close ends the payload that is open.
func (w *Response) close() {
	if w.cur == "" {
		return
	}
	s := &w.secs[len(w.secs)-1]
	s.Payloads = append(s.Payloads, dialog.Payload{Type: w.cur.PayloadType(), Text: w.text.String()})
	s.Time = s.Start() + " - " + dialog.FormatTime(w.to.Now())
	w.buf = append(w.buf, "\nəəə\n"...)
	w.cur = ""
	if w.rest != nil {
		w.rest.Close() // it is synced when the response is appended
		w.rest = nil
	}
}

// reasoning is a whole block: what was streamed of it before is its text.
func (w *Response) reasoning(e provider.Reasoning) error {
	w.buf = w.buf[:0]
	e.Text, e.Native = dialog.WithoutNUL(e.Text), dialog.WithoutNUL(e.Native)
	w.size += len(e.Text) + len(e.Native)
	if w.cur == dialog.Reasoning {
		if w.text.Len() == 0 {
			w.text.WriteString(e.Text)
		}
		w.close()
	} else {
		w.close()
		s := w.section(dialog.Reasoning)
		s.Payloads = []dialog.Payload{{Type: dialog.ReasoningMarkdown, Text: e.Text}}
		w.secs = append(w.secs, s)
		w.buf = append(w.buf, "\n## Reasoning\n> Id: "+s.ID+"\n> Time: "+s.Start()+" -\n"...)
		w.buf = dialog.AppendPayload(w.buf, s.Payloads[0])
	}
	s := &w.secs[len(w.secs)-1]
	s.Meta = s.Meta.With("Api", w.api)
	if e.Native != "" && len(s.Text())+len(e.Native) <= dialog.SectionMost { // it goes back whole or not at all
		s.Meta = s.Meta.With("Prefix", e.Prefix)
		native := dialog.Payload{Type: "native/" + w.api + "+json", Text: e.Native}
		s.Payloads = append(s.Payloads, native)
		w.buf = dialog.AppendPayload(w.buf, native)
	}
	return w.flush()
}

// call is a whole tool call. Its id is kept if it can be, its bytes always.
func (w *Response) call(e provider.Call) error {
	w.buf = w.buf[:0]
	e.Name, e.Args = dialog.WithoutNUL(e.Name), dialog.WithoutNUL(e.Args)
	w.size += len(e.Args)
	w.close()
	id := e.ID
	if !dialog.ValidCallID(id) || w.Has(id) {
		id = w.FreshID()
	}
	w.taken[id] = true
	w.Calls = append(w.Calls, id)
	tool := e.Name
	known := w.to.Known(tool)
	if !known {
		tool = "invalid"
	}
	now := w.to.Now()
	s := dialog.Section{Role: dialog.ToolRequest, ID: id, Time: dialog.Span(now, now),
		Meta:     dialog.Fields{{Key: "Parent", Value: w.Parent}, {Key: "Tool", Value: tool}, {Key: "Status", Value: dialog.CallPending}},
		Payloads: []dialog.Payload{{Type: dialog.ToolInput, Text: cmp.Or(e.Args, "{}")}},
	}
	w.secs = append(w.secs, s)
	w.buf = dialog.AppendSection(w.buf, &s)
	if !known {
		note := unknownTool(w.to.Dialog(), now, w.counts[dialog.Note], id, e.Name)
		w.counts[dialog.Note]++
		w.secs = append(w.secs, note)
		w.buf = dialog.AppendSection(w.buf, &note)
	}
	if w.open == nil {
		return nil // nothing was shown yet; the append is soon enough
	}
	return w.flush()
}

// Has reports whether a section of the file or of this response has that id, of
// whatever role: a request's "seen" names a section by its id alone.
func (w *Response) Has(id string) bool {
	return w.taken[id] || id == w.Parent || w.to.Dialog().HasID(id) || slices.ContainsFunc(w.secs, func(s dialog.Section) bool { return s.ID == id })
}

// FreshID is an id for a call whose own can't be kept.
func (w *Response) FreshID() string {
	for n := w.to.Dialog().Count(dialog.ToolRequest) + 1; ; n++ {
		if id := "call_" + strconv.Itoa(n); !w.Has(id) {
			return id
		}
	}
}

// flush writes buf beside the dialog, before anybody sees what it holds.
func (w *Response) flush() error {
	if w.open == nil {
		o, err := w.to.Open()
		if err != nil {
			return err
		}
		w.open = o
		w.buf = append(w.heads(), w.buf...)
	}
	_, err := w.open.Write(w.buf)
	return err
}

// heads are the whole sections that came before the first piece of text.
func (w *Response) heads() []byte {
	var out []byte
	for i := range max(0, len(w.secs)-1) { // the last one is what buf begins with
		out = dialog.AppendSection(out, &w.secs[i])
	}
	return out
}

// Sections is the response as it is appended, whole or broken off. A response
// without text has an Assistant with an empty payload, behind its reasoning.
func (w *Response) Sections(stop string, end time.Time) []dialog.Section {
	w.close()
	last, at := -1, 0 // the last Assistant, and how many sections of Reasoning come first
	for i := range w.secs {
		switch {
		case w.secs[i].Role == dialog.Assistant:
			last = i
		case w.secs[i].Role == dialog.Reasoning && at == i:
			at = i + 1
		}
	}
	if last < 0 {
		s := w.section(dialog.Assistant)
		s.Time = dialog.Span(w.start, end)
		s.Payloads = []dialog.Payload{{Type: dialog.OutputMarkdown, Text: ""}}
		w.secs = slices.Insert(w.secs, at, s)
		last = at
	}
	a := &w.secs[last]
	a.Resources = w.resources(end)
	a.Time = a.Start() + " - " + dialog.FormatTime(end)
	sum := w.to.Spent().Plus(a.Spent())
	a.Meta = a.Meta.With("Resources cumulative", sum.String()).With("Stop", stop).With("Api", w.api).With("Prefix", w.prefix)
	return w.secs
}

// resources are what the response cost, as far as it is known.
func (w *Response) resources(end time.Time) dialog.Resources {
	var r dialog.Resources
	if w.Finish != nil {
		r = r.Plus(w.Finish.Resources) // nothing in it is below 0, whatever the provider counts
	}
	if r.Total == 0 {
		r.Total = dialog.Resources{Total: r.In}.Plus(dialog.Resources{Total: r.Out}).Total
	}
	r.Tools, r.MS = int64(len(w.Calls)), Since(w.start, end)
	return r
}
