// Package provider says what a model is to the rest of the program: a stream
// of events for a request that is made from a dialog's history. One package
// below it speaks one wire format each.
package provider

import (
	"context"
	"iter"

	"vibey/dialog"
	"vibey/dialog/history"
)

// Provider is one configured place where models answer.
type Provider interface {
	// API names the wire format: "messages", "responses", "chat", "tags" or "replay".
	API() string
	// Models lists what can be asked for, the default first.
	Models(ctx context.Context) ([]Model, error)
	// Stream asks once, with the retries that are safe, and yields what comes.
	// After an error nothing follows; without an error the last event is a Finish.
	// Breaking off the loop or ending ctx cancels the request.
	Stream(ctx context.Context, r *Request) iter.Seq2[Event, error]
}

// Local is a Provider whose models are files of this machine. An agent may name
// any model when it launches another, so there must be an end to what it reaches.
type Local interface {
	// Within returns an error, whose Message is fit for a model's eyes, unless that
	// model is a file of that project and lies in its folder.
	Within(project, model string) error
}

// Writer is a Provider that can write down the request that Stream would make.
type Writer interface {
	// Request returns the body, as it is sent at first, and its prefix hash.
	Request(r *Request) (body []byte, prefix string)
}

// Model is one model of a provider. Zeros are unknown, not free and not endless.
type Model struct {
	ID     string  `json:"id"`
	Window int     `json:"window,omitempty"` // tokens
	In     float64 `json:"in,omitempty"`     // US dollars per million tokens read
	Out    float64 `json:"out,omitempty"`    // and written
	AsOf   string  `json:"asOf,omitempty"`   // the date of the price
	Sees   bool    `json:"sees,omitempty"`   // pictures
}

// Request is one question to a model.
type Request struct {
	Provider string // the name under which the provider is configured
	Model    string
	History  history.History
	// Pictures are the bytes of the pictures in History, by their SHA-256 in hex. Of one that
	// is missing its path is sent alone.
	Pictures map[string][]byte
	// Within is the project to which a Local provider is held: that of a dialog
	// that an agent launched. "" for one that a human started, who may name any file.
	Within  string
	NoTools bool // the same tools, tool_choice none
	// Schema is a JSON Schema that the answer's text is to be of, where the API can
	// hold a model to one; "" is any text.
	Schema   history.RawJSON
	CacheKey string // the dialog's id; of a fork that of the dialog that it began as
	// Memo carries what was encoded for the last request of the same dialog, so
	// that round 1,000 costs what round 10 does. It only ever speeds up: the
	// bytes are those of a request without it. Nil is fine.
	Memo *Memo
}

// Event is one thing a model's stream brought; which one, its type tells:
// Begin, Text, Thinking, Reasoning, Call, Retry, Finish.
type Event interface{ event() }

// Begin is first: the request was made. Prefix is the hash of the request as
// this API gets it (system, tools, items), lowercase hex.
type Begin struct{ Prefix string }

// Text is a piece of the answer's text. New starts another text block.
type Text struct {
	Piece string
	New   bool
}

// Thinking is a piece of readable reasoning, for a viewer only.
type Thinking struct{ Piece string }

// Reasoning is one whole block of reasoning: what can be read of it, and the
// bytes that the provider wants back. Prefix covers the request, the items
// that this response brought before the block, and Native.
type Reasoning struct {
	Text   string
	Native string // one JSON object, or "" where the API wants nothing back
	Prefix string
}

// Call is one whole tool call. Args are the bytes as received, perhaps empty, perhaps not JSON.
type Call struct{ ID, Name, Args string }

// Retry tells that a try failed before any content and another follows.
type Retry struct{ Reason string }

// Finish is last: the terminal event was there. Stop is one of StopEnd,
// StopCalls, StopLength, StopRefusal, StopOther.
type Finish struct {
	Stop      string
	Detail    string // the provider's own word for it
	Resources dialog.Resources
}

func (Begin) event()     {}
func (Text) event()      {}
func (Thinking) event()  {}
func (Reasoning) event() {}
func (Call) event()      {}
func (Retry) event()     {}
func (Finish) event()    {}

// Why a response ended.
const (
	StopEnd     = "end"
	StopCalls   = "calls"
	StopLength  = "length"
	StopRefusal = "refusal"
	StopOther   = "other"
)
