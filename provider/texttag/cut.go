package texttag

import (
	"iter"

	"vibey/provider"
)

// cut ends a stream at the first complete tag in its text: the request is cancelled
// before the call is yielded.
func cut(stream iter.Seq2[provider.Event, error]) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		c := cutter{yield: yield, finder: newFinder()}
		for e, err := range stream {
			if !c.take(e, err) {
				break
			}
		}
		if c.call == nil {
			return
		}
		c.finish.Stop, c.finish.Resources.Tools = provider.StopCalls, 1
		_ = c.pass(*c.call) && c.pass(c.finish)
	}
}

// cutter passes a stream on until it is cut.
type cutter struct {
	yield  func(provider.Event, error) bool
	gone   bool // the caller broke off
	finder *finder
	fresh  bool // the next piece begins another block
	call   *provider.Call
	finish provider.Finish // zero where the answer was cut before it told what it cost
}

// take passes on one event. It returns false where no other is wanted.
func (c *cutter) take(e provider.Event, err error) bool {
	if err != nil { // what came is kept, and runs nothing
		if c.say(c.finder.rest()) {
			c.yield(nil, err)
		}
		return false
	}
	switch e := e.(type) {
	case provider.Begin, provider.Retry:
		return c.pass(e)
	case provider.Text:
		if e.New && !c.endBlock() {
			return false
		}
		c.fresh = c.fresh || e.New
		text, call := c.finder.add(e.Piece)
		c.call = call
		return c.say(text) && call == nil
	case provider.Reasoning:
		e.Native, e.Prefix = "", "" // nothing of it goes back, see coder.Lay
		return c.endBlock() && c.pass(e)
	case provider.Finish:
		c.finish = e
	}
	return c.endBlock() && c.pass(e)
}

// endBlock passes on what the finder held back of a block of text that is over. It
// returns false where the block ended with a call.
func (c *cutter) endBlock() bool {
	text, call := c.finder.end()
	c.finder, c.call = newFinder(), call
	return c.say(text) && call == nil
}

// say passes on a piece of text.
func (c *cutter) say(text string) bool {
	if text == "" {
		return !c.gone
	}
	fresh := c.fresh
	c.fresh = false
	return c.pass(provider.Text{Piece: text, New: fresh})
}

// pass passes on an event, unless the caller broke off.
func (c *cutter) pass(e provider.Event) bool {
	c.gone = c.gone || !c.yield(e, nil)
	return !c.gone
}
