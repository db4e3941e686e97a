package wire

import (
	"context"
	"errors"
	"io"
	"net/url"
	"slices"
	"time"

	"vibey/dialog/history"
	"vibey/provider"
)

// A message is the user's, results of tools among it, or the model's.
const (
	ByUser = iota + 1
	ByModel
)

// By returns whose message an item is a part of.
func By(kind history.Kind) int {
	if kind == history.UserText || kind == history.ResultItem {
		return ByUser
	}
	return ByModel
}

// Layout is the messages of a request as they grow.
type Layout struct {
	Out []byte
	// Open is ByUser or ByModel for a message that may still grow; 0 is none.
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
