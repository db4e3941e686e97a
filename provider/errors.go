package provider

import (
	"fmt"
	"time"
)

// Kind sorts what can go wrong with a provider by what a human can do about it.
type Kind string

// The kinds of provider error.
const (
	KindAuth       Kind = "auth"        // 401, 403: the key is wrong or may not do this
	KindCredit     Kind = "credit"      // 402 or a spend limit: nothing left to pay with
	KindRateLimit  Kind = "rate_limit"  // 429 after all retries, or with a longer Retry-After
	KindBusy       Kind = "busy"        // 5xx, 529, overloaded
	KindTooLong    Kind = "too_long"    // the context does not fit the model's window
	KindNotFound   Kind = "not_found"   // no such model or path
	KindNoTools    Kind = "no_tools"    // the model, or the server as it was started, takes no tools
	KindNoPictures Kind = "no_pictures" // the model takes no pictures
	KindRefused    Kind = "bad_request"
	KindNetwork    Kind = "network" // no answer
	KindCut        Kind = "cut"     // the stream ended without its terminal event
	KindIdle       Kind = "idle"    // nothing came for the idle limit
	KindMalformed  Kind = "malformed"
)

// Error is a failed request in words that a human can act on.
type Error struct {
	Kind       Kind
	Status     int           // HTTP status, 0 where there was none
	RetryAfter time.Duration // as the provider told, 0 where it did not
	Window     int           // tokens that the model reads, where the request was too long and the provider says so; else 0
	Message    string        // one or two sentences: what happened, what to do
	Err        error         // the cause, perhaps nil
}

func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("%s (%d): %s", e.Kind, e.Status, e.Message)
	}
	return fmt.Sprintf("%s: %s", e.Kind, e.Message)
}

func (e *Error) Unwrap() error { return e.Err }
