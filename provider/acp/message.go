package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

const version2 = "2.0"

// message is any incoming line. ID is as received: a number, a text or null, nil where
// there is none.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
}

// request is an outgoing request, or without an ID a notification.
type request struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method"`
	Params  any             `json:"params"`
}

// response is an outgoing answer. Exactly one of Result and Error is set.
type response struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Error is an error of JSON-RPC, as it travels.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// Errorf makes an error to answer a request with.
func Errorf(code int, format string, a ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, a...)}
}

// The codes of errors: those of JSON-RPC 2.0 and, from -32000 on, those of ACP.
const (
	CodeInvalidRequest = -32600
	CodeUnknownMethod  = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
	CodeCancelled      = -32800
	CodeAuthRequired   = -32000
	CodeNotFound       = -32002
)

// Request is an incoming request or notification. Answering a notification does nothing.
type Request struct {
	Method string
	Params json.RawMessage // as received, nil where there are none

	id     json.RawMessage
	c      *Conn
	ctx    context.Context
	cancel context.CancelCauseFunc

	answered chan struct{} // closed when the answer is queued
}

// Context ends when the request is answered, when the other side gives it up, and when
// the connection ends.
func (r *Request) Context() context.Context { return r.ctx }

// Decode reads the params into v, a pointer. The error is one to answer with.
func (r *Request) Decode(v any) *Error {
	if err := json.Unmarshal(r.Params, v); err != nil {
		return Errorf(CodeInvalidParams, "the params of %s can't be read: %s", r.Method, wrong(err))
	}
	return nil
}

// wrong says in words what of a text's JSON is not as it must be.
func wrong(err error) string {
	t, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok && err != nil:
		return err.Error()
	case t.Field == "":
		return "they are no object, but " + article(t.Value)
	}
	must := "an object"
	switch t.Type.Kind() {
	case reflect.String:
		must = "a text"
	case reflect.Bool:
		must = "true or false"
	case reflect.Slice, reflect.Array:
		must = "a list"
	case reflect.Int, reflect.Int64, reflect.Float64:
		must = "a number"
	}
	return t.Field + " must be " + must + ", and is " + article(t.Value)
}

// Reply answers the request with a result, which must not be nil; struct{}{} is the
// empty object. Of several answers the first counts.
func (r *Request) Reply(result any) error {
	return r.answer(response{JSONRPC: version2, ID: r.id, Result: result})
}

// Fail answers the request with an error. Of several answers the first counts.
func (r *Request) Fail(err *Error) error {
	return r.answer(response{JSONRPC: version2, ID: r.id, Error: err})
}

func (r *Request) answer(m response) error {
	if r.id == nil {
		r.cancel(context.Canceled)
		return nil
	}
	r.c.mu.Lock()
	open := r.c.asked[string(r.id)] == r
	if open {
		delete(r.c.asked, string(r.id))
	}
	r.c.mu.Unlock()
	r.cancel(context.Canceled)
	if !open {
		return nil
	}
	defer close(r.answered)
	return r.c.send(m)
}

// article puts its article before a kind of JSON value.
func article(kind string) string {
	if kind == "array" || kind == "object" {
		return "an " + kind
	}
	return "a " + kind
}
