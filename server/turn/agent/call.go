package agent

import (
	"slices"

	"vibey/dialog"
	"vibey/provider"
	"vibey/provider/acp"
	"vibey/server/turn/record"
)

// toolCall records what the agent sends of one of its calls. A new one is held until it
// is known whether it asks: it is appended when a permission names it, when it has ended
// or was in progress for a while, or when the agent goes on to something else.
func (x *exchange) toolCall(u *acp.Update) error {
	if u.ToolCallID == "" {
		return nil
	}
	if !x.s.room(u.ToolCallID) {
		return x.s.failed(provider.KindMalformed, "has more than %d calls under way at once, so its process was ended. What it said before is kept.", callsMost)
	}
	c := x.s.call(u.ToolCallID, u.SessionUpdate == acp.NewToolCall)
	if c.over {
		return nil
	}
	c.now.Merge(u.ToolCall)
	if len(c.runs) == 0 && !c.held && x.s.askOf(c) == nil && !c.taken {
		c.held = true
		x.s.held = append(x.s.held, c)
	}
	switch {
	case c.held && c.now.Ended():
		if err := x.begin(c); err != nil {
			return err
		}
	case c.held && c.now.Status == acp.InProgress:
		c.first = c.first || len(x.s.asks) == 0
		x.hold.Reset(holdMost)
	}
	if c.now.Ended() {
		return x.finish(c)
	}
	return nil
}

// release begins the calls that are held and for which which holds: the agent went on
// without asking.
func (x *exchange) release(which func(*toolCall) bool) error {
	for _, c := range slices.Clone(x.s.held) {
		if which(c) {
			if err := x.begin(c); err != nil {
				return err
			}
		}
	}
	return nil
}

func isAny(*toolCall) bool          { return true }
func isInProgress(c *toolCall) bool { return c.now.Status == acp.InProgress }

// isBeside reports whether a call is in progress beside a question. One that was so before
// the question may ask behind it: some agents ask one question after another about calls
// that they announced together.
func isBeside(c *toolCall) bool { return isInProgress(c) && !c.first }

// begin records a call that runs unasked: its request, and that it has started.
func (x *exchange) begin(c *toolCall) error {
	x.s.unhold(c)
	id, err := x.request(c)
	if err != nil {
		return err
	}
	c.runs = append(c.runs, running{id: id})
	return x.note("started", "", c.toolName()+record.StartedUnasked, dialog.Field{Key: "Parent", Value: id})
}

// request appends the Tool Request of a call as it stands now, behind what was said, and
// returns its id.
func (x *exchange) request(c *toolCall) (id string, err error) {
	c.taken = true // a later one gets another id: it has other bytes, or is decided
	return x.ask(c.now.ToolCallID, c.toolName(), c.payload())
}

// finish appends the results of a call that has ended.
func (x *exchange) finish(c *toolCall) error {
	c.over = true
	defer c.shed()
	undecided := false
	for a := x.s.askOf(c); a != nil; a = x.s.askOf(c) {
		if err := x.finishUndecided(c, a); err != nil {
			return err
		}
		undecided = true
	}
	if undecided && len(c.runs) == 0 {
		return nil
	}
	var secs []dialog.Section
	for _, r := range c.runs {
		open, ok := x.openCall(r.id)
		if !ok {
			continue // another program took it out of the file
		}
		sec := x.result(open, dialog.CallApproved, x.masked(c.result()))
		sec.Resources.Tools = 1
		secs = append(secs, sec)
	}
	if len(c.runs) == 0 && c.taken && c.now.Status == acp.Completed {
		return x.note("warning", "human", "The agent says that it did what was not allowed: "+dialog.Clean(title(c.now), 200)+". Look at what it changed; nothing here can hold it.")
	}
	c.runs = nil
	return x.appendResults(secs)
}

// finishUndecided ends a call whose agent did not wait for the answer to its question.
func (x *exchange) finishUndecided(c *toolCall, a *question) error {
	x.takeAsk(a.id)
	a.refuse()
	open, ok := x.openCall(a.id)
	if !ok {
		return nil
	}
	if c.now.Status != acp.Completed || len(c.runs) > 0 {
		return x.fail(open, agentGaveUp)
	}
	sec := x.result(open, dialog.CallApproved, x.masked(c.result()))
	sec.Resources.Tools = 1
	sec.Meta = sec.Meta.With("Asked", "no")
	if err := x.appendResults([]dialog.Section{sec}); err != nil {
		return err
	}
	return x.note("warning", "human", "The agent says that it did this before it was answered: "+dialog.Clean(title(c.now), 200)+". Look at what it changed; nothing here can hold it.")
}

// settle gives why as their result to the calls that run at the agent, and to
// those that still wait for a decision.
func (x *exchange) settle(why string) error {
	for _, c := range x.s.calls {
		c.runs = nil
		if !c.held {
			c.shed()
		}
	}
	return x.failCalls(why)
}

// giveUpHeld records the calls that the agent has only announced: they never started.
func (x *exchange) giveUpHeld() error {
	for _, c := range slices.Clone(x.s.held) {
		x.s.unhold(c)
		id, err := x.request(c)
		if err != nil {
			return err
		}
		if open, ok := x.openCall(id); ok {
			if err := x.fail(open, agentGaveUp); err != nil {
				return err
			}
		}
	}
	return nil
}

// appendText streams a piece of text, behind the calls that are held.
func (x *exchange) appendText(e provider.Event) error {
	if err := x.release(isAny); err != nil {
		return err
	}
	return x.response().Take(e)
}
