package wire

import (
	"context"
	"errors"
	"io"
	"net/url"
	"time"

	"vibey/provider"
)

// explain turns what net/http says into words. An end that the caller wanted
// stays what it is.
func (c *Call) explain(ctx, inner context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if failure, ok := errors.AsType[*provider.Error](err); ok {
		return failure
	}
	if context.Cause(inner) == errIdle {
		return &provider.Error{Kind: provider.KindIdle, Err: errIdle, Message: "Nothing came from " + c.Name + " for " + roundUp(c.limit()) + ", so the request was ended. What had come is kept; continue asks anew."}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &provider.Error{Kind: provider.KindCut, Err: err, Message: "The answer of " + c.Name + " broke off before its end. What had come is kept; continue asks anew."}
	}
	if errors.Is(err, errHuge) {
		return c.malformed(err)
	}
	if where, ok := errors.AsType[*url.Error](err); ok {
		err = where.Err // its text would repeat the whole address
	}
	return &provider.Error{Kind: provider.KindNetwork, Err: err, Message: c.Name + " could not be reached at " + host(c.URL) + ": " + c.quote(err.Error()) + ". Check the connection and the base URL, then continue."}
}

func (c *Call) limit() time.Duration {
	if c.Idle <= 0 {
		return 120 * time.Second
	}
	return c.Idle
}

func (c *Call) malformed(err error) error {
	if failure, ok := errors.AsType[*provider.Error](err); ok {
		return failure
	}
	return &provider.Error{Kind: provider.KindMalformed, Err: err, Message: c.Name + " sent an answer that can't be read: " + c.quote(err.Error()) + ". What had come is kept; continue asks anew."}
}

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "its address"
	}
	return u.Host
}
