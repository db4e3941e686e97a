package agent

import (
	"context"
	"errors"
	"slices"
	"time"

	"vibey/dialog/grant"
	"vibey/provider"
	"vibey/provider/acp"
	"vibey/server/turn/record"
)

// errFarEnough ends an exchange that has until.
var errFarEnough = errors.New("what was waited for is over")

// errPromptEnded ends an exchange when the agent has ended its prompt.
var errPromptEnded = errors.New("the prompt has ended")

// While a human has to decide, what the agent sends right behind its question is still
// taken: it may ask several at once. What comes later waits for the human's next request,
// which begins with what is there.
const (
	askGrace = 100 * time.Millisecond // of silence behind a question
	askMost  = time.Second            // behind the first question
	caughtUp = 50 * time.Millisecond  // of silence, when a turn begins
)

func (p *Partner) newExchange(s *session, wait time.Duration) *exchange {
	x := &exchange{Partner: p, s: s, wait: wait, hold: time.NewTimer(holdMost)}
	if !slices.ContainsFunc(s.held, isInProgress) {
		x.hold.Stop() // until a call is in progress
	}
	return x
}

func (x *exchange) catchUp() (over bool, err error) {
	defer x.hold.Stop()
	quiet := time.NewTimer(caughtUp)
	defer quiet.Stop()
	most := time.After(askMost)
	for err == nil {
		select {
		case m := <-x.s.in:
			if err = x.take(m); errors.Is(err, record.ErrWaiting) {
				err = nil
			}
			quiet.Reset(caughtUp)
		case <-quiet.C:
			return false, x.pause()
		case <-most:
			return false, x.pause()
		}
	}
	return true, x.end(err)
}

// waits ends the exchange if a human has to decide. What runs unasked meanwhile
// stands in the file.
func (x *exchange) waits() error {
	if err := x.release(isBeside); err != nil {
		return err
	}
	if err := x.pause(); err != nil {
		return err
	}
	return record.ErrWaiting
}

// rests reports whether nothing is to be done before a human has decided.
func (x *exchange) rests() bool {
	return (x.yield == nil || !x.s.runsApproved()) && slices.ContainsFunc(x.turn.Calls(), func(c grant.Call) bool {
		return c.Verdict == grant.Wait && !x.Runs(&c)
	})
}

// callWaits is how many times as long an agent may be silent while a call runs at it.
const callWaits = 15

// receive takes messages until one ends the exchange. The error is never nil.
func (x *exchange) receive() error {
	idle := time.NewTimer(x.wait)
	defer idle.Stop()
	var quiet <-chan time.Time // nil while no human has to decide
	var first time.Time        // when the first question came
	for silent := 1; ; {
		if err := context.Cause(x.turn.Context()); err != nil {
			return err
		}
		if x.until != nil && x.until() {
			return errFarEnough
		}
		select {
		case m := <-x.s.in:
			switch err := x.take(m); {
			case err != nil && !errors.Is(err, record.ErrWaiting):
				return err
			case quiet != nil:
				quiet = time.After(min(askGrace, time.Until(first.Add(askMost))))
			case err != nil && x.yield == nil, x.yield != nil && x.rests():
				quiet, first = time.After(askGrace), time.Now()
			}
			idle.Reset(x.wait)
			silent = 1
		case <-quiet:
			if x.rests() {
				return x.waits()
			}
			quiet = nil // it did not wait for the answer
		case <-x.yield:
			return x.waits()
		case <-x.hold.C:
			if err := x.release(isInProgress); err != nil {
				return err
			}
		case err := <-x.s.setting:
			x.s.setting = nil
			if err != nil {
				return x.s.notAsking(err)
			}
		case <-x.turn.Context().Done():
		case <-idle.C:
			if x.s.works() {
				idle.Reset(x.wait) // a command of ours, which has its own limit
				continue
			}
			if x.yield != nil {
				return x.waits()
			}
			if silent < callWaits && x.s.inCall() {
				idle.Reset(x.wait) // a command of its own, such as a test, may say nothing for long
				silent++
				continue
			}
			return x.s.failed(provider.KindIdle, "was silent for %v, so its process was ended. What it said before is kept; press Continue to start it again.", x.wait*time.Duration(silent))
		}
	}
}

// take records one message. An *acp.Error of what it asks is the answer to that alone.
func (x *exchange) take(m message) error {
	switch {
	case m.ended:
		return x.ended(m)
	case m.term != nil:
		return x.terminalEnded(m.term)
	}
	r := m.req
	if x.s.bytes += len(r.Params); x.s.bytes > x.all.SentMost {
		return x.s.failed(provider.KindMalformed, "sent more than %d MiB for one message, so its process was ended. What it said before is kept.", x.all.SentMost>>20)
	}
	err := x.record(r)
	if refused, ok := errors.AsType[*acp.Error](err); ok {
		r.Fail(refused)
		return nil
	}
	return err
}

// record records one request or notification.
func (x *exchange) record(r *acp.Request) error {
	var session struct {
		SessionID string `json:"sessionId"`
	}
	if err := r.Decode(&session); err != nil {
		return err
	}
	if session.SessionID != x.s.id {
		return acp.Errorf(acp.CodeInvalidParams, "there is no such session")
	}
	if x.onlyNews && r.Method != acp.MethodUpdate {
		refuseRequest(r)
		return nil
	}
	switch r.Method {
	case acp.MethodUpdate:
		return x.update(r)
	case acp.MethodPermission:
		return x.permission(r)
	case acp.MethodReadFile:
		return x.readFile(r)
	case acp.MethodWriteFile:
		return x.writeFile(r)
	case acp.MethodTerminalCreate:
		return x.createTerminal(r)
	case acp.MethodTerminalOutput, acp.MethodTerminalWait, acp.MethodTerminalKill, acp.MethodTerminalRelease:
		return x.onTerminal(r)
	}
	return acp.Errorf(acp.CodeUnknownMethod, "there is no method %s here", clip(r.Method))
}

// update records an update of the agent.
func (x *exchange) update(r *acp.Request) error {
	var p acp.UpdateParams
	if err := r.Decode(&p); err != nil {
		return err // to a notification no answer goes: an update that can't be read is passed over
	}
	switch u := &p.Update; u.SessionUpdate {
	case acp.MessageChunk, acp.ThoughtChunk:
		b := u.Block()
		switch {
		case b.Type == "", b.Type == "text" && b.Text == "": // it can't be read, or has no text, as one with a count of tokens
		case u.SessionUpdate == acp.MessageChunk:
			return x.appendText(provider.Text{Piece: b.Markdown()})
		default:
			return x.appendText(provider.Thinking{Piece: b.Markdown()})
		}
	case acp.NewToolCall, acp.ToolUpdate:
		return x.toolCall(u)
	case acp.PlanUpdate:
		return x.planned(planText(u.Entries))
	case acp.ModeUpdate, acp.ConfigUpdate:
		return x.modeChanged(u.Mode())
	}
	return nil
}

// ended closes a prompt that the agent has ended.
func (x *exchange) ended(m message) error {
	x.s.busy = false
	if m.err != nil { // end records what it had begun
		if e, ok := errors.AsType[*acp.Error](m.err); ok {
			return x.s.failed(provider.KindRefused, "answered with an error: %s.", clip(e.Error()))
		}
		return x.s.crashed(m.err)
	}
	if err := x.release(isAny); err != nil {
		return err
	}
	if err := x.endTerminals(); err != nil {
		return err
	}
	if err := x.settle(agentSilentOn); err != nil {
		return err
	}
	x.spend(m)
	if err := x.flush(stopOf(m.stop), nil); err != nil {
		return err
	}
	return errPromptEnded
}

// end leaves the exchange: nil for a prompt that has ended, record.ErrWaiting for a human who
// has to decide. After anything else what the agent said is closed, its calls get a
// result, and its process is ended unless it let itself be stopped.
func (x *exchange) end(err error) error {
	switch {
	case errors.Is(err, errPromptEnded):
		return nil
	case errors.Is(err, record.ErrWaiting):
		return err
	}
	cause := context.Cause(x.turn.Context())
	quiet := (cause == record.ErrStopped || cause == record.ErrFinished) && x.cancelPrompt()
	if !quiet {
		x.End()
	}
	if errors.Is(cause, record.ErrDeleted) {
		return err
	}
	stop, why := "error", agentBroke
	if cause != nil {
		stop, why = "interrupted", record.CutOff(cause)
	}
	// Calls that it announced and does not finish are recorded, too.
	lost := errors.Join(x.release(isInProgress), x.endTerminals(), x.settle(why), x.giveUpHeld())
	if x.last.ended {
		x.spend(x.last)
	}
	if x.w != nil && (x.w.Began() || x.w.Finish != nil) {
		lost = errors.Join(lost, x.flush(stop, nil))
	}
	lost = errors.Join(lost, x.appendPlans())
	if lost != nil {
		return lost
	}
	return err
}

// cancelPrompt cancels the agent's prompt and waits for the end of its prompt. It reports
// whether that came.
func (x *exchange) cancelPrompt() bool {
	if err := x.s.proc.Notify(acp.MethodCancel, acp.CancelParams{SessionID: x.s.id}); err != nil {
		return false
	}
	x.s.refuseAsks()
	late := time.NewTimer(cancelWait)
	defer late.Stop()
	for x.s.busy {
		select {
		case m := <-x.s.in:
			if m.ended && m.err != nil {
				return false
			}
			x.s.busy = !m.ended
			if m.ended {
				x.last = m
			}
			if m.req != nil {
				refuseRequest(m.req)
			}
		case <-late.C:
			return false
		case <-x.all.Context.Done():
			return false
		}
	}
	return true
}
