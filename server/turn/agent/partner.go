package agent

import (
	"context"
	"errors"
	"slices"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/provider"
	"vibey/provider/acp"
	"vibey/server/turn/record"
)

// Check gives the calls of an agent that has ended their results. elsewhere reports that
// open calls can only be answered by another process, in which the agent runs.
func (p *Partner) Check() (elsewhere bool, err error) {
	var secs []dialog.Section
	for _, c := range p.turn.Calls() {
		switch {
		case c.Agent && c.Started && !p.all.Run(p.turn.Project, p.turn.ID):
			secs = append(secs, p.result(c, dialog.CallError, record.Failure(record.OutcomeUnknown)))
		case c.Verdict == grant.Lapsed:
			secs = append(secs, p.result(c, dialog.CallError, record.Failure(record.AgentEnded)))
		}
	}
	if err := p.appendResults(secs); err != nil {
		return false, err
	}
	return p.s == nil && p.turn.Project.AgentRuns(p.turn.ID) && slices.ContainsFunc(p.turn.Calls(), func(c grant.Call) bool {
		return c.Agent && c.Verdict != grant.Lapsed
	}), nil
}

// Ask goes on with the agent's prompt, or begins the next, until the agent ends it or a
// human has to decide, which is record.ErrWaiting.
func (p *Partner) Ask() error {
	if over, err := p.CatchUp(); over || err != nil {
		return err
	}
	if err := p.turn.Answer(); err != nil {
		return err
	}
	if err := p.turn.AppendSystem(); err != nil {
		return err
	}
	agents, name := p.agentNamed()
	s, err := p.resume(agents, name)
	if err != nil {
		return err
	}
	if a, ok := agents.Agent(name); ok && !s.busy && p.settingsChanged(a, s) {
		if s, err = p.resume(agents, name); err != nil {
			return err
		}
		if p.settingsChanged(a, s) { // written while it started: it asks what it is to do
			return s.failed(provider.KindRefused, "was ended before it got your message: settings in deed/ that it reads change all the time. Press Continue when that is over.")
		}
	}
	if !s.busy {
		if err := p.keepAsking(s); err != nil {
			p.End()
			return err
		}
		blocks, err := p.promptBlocks(s)
		if err != nil {
			return err
		}
		s.prompted = lastUser(p.turn.Dialog())
		if err := s.prompt(blocks); err != nil {
			p.End()
			return s.crashed(err)
		}
	}
	x := p.newExchange(s, agents.Idle())
	defer x.hold.Stop()
	return x.end(x.receive())
}

// CatchUp takes what an agent that waits for a human has sent since: it may have asked
// more, have gone on without an answer, or have ended its prompt, when over is true.
func (p *Partner) CatchUp() (over bool, err error) {
	agents, _ := p.agentNamed()
	s := p.busySession()
	if agents == nil || s == nil {
		return false, nil
	}
	return p.newExchange(s, agents.Idle()).catchUp()
}

// Drain is CatchUp before what runs and what waits at the agent is settled, because the
// human goes on to something else: what the agent has done stands in the file first. An
// agent that has broken off needs no settling.
func (p *Partner) Drain() error {
	s := p.busySession()
	if s == nil {
		return nil
	}
	x := p.newExchange(s, 0)
	x.onlyNews = true
	over, err := x.catchUp()
	if err == nil && !over {
		err = x.release(isInProgress)
	}
	if _, broke := errors.AsType[*provider.Error](err); broke {
		return nil
	}
	return err
}

// AwaitApproved waits for the end of what a human has approved while other calls wait for
// a decision. The agent may need that decision to go on: the request that brings it ends
// this (Agents.Yield), and so does its silence, since some are asked one by one.
func (p *Partner) AwaitApproved() error {
	agents, _ := p.agentNamed()
	s := p.busySession()
	if agents == nil || s == nil || !s.runsApproved() {
		return record.ErrWaiting
	}
	x := p.newExchange(s, min(agents.Idle(), besideMost))
	defer x.hold.Stop()
	yielded, yield := context.WithCancel(context.Background())
	defer yield()
	p.all.setYield(s, yield)
	defer p.all.setYield(s, nil)
	x.yield = yielded.Done()
	return x.end(x.receive())
}

// besideMost is how long an agent may be silent while AwaitApproved waits for it.
const besideMost = 5 * time.Second

// Finish waits for the end of what a human has approved, because the human goes on to
// something else behind it: what waits is denied, and so is what the agent asks meanwhile.
// An agent that asks on and on is not waited for.
func (p *Partner) Finish() error {
	agents := p.all.provider(acp.API) // also if the prompt goes to a model
	for range finishAsks {
		if err := p.turn.DenyWaiting(); err != nil {
			return err
		}
		s := p.busySession()
		if agents == nil || s == nil || !s.runsApproved() {
			return nil
		}
		x := p.newExchange(s, agents.Idle())
		x.until = func() bool { return !s.runsApproved() }
		err := x.receive()
		x.hold.Stop()
		switch {
		case errors.Is(err, errFarEnough):
			return x.pause()
		case !errors.Is(err, record.ErrWaiting):
			return x.end(err)
		}
	}
	return nil
}

// finishAsks is how many questions are denied while Finish waits.
const finishAsks = 20

// Cancel ends the prompt that is under way, because the human stops it or goes on to another
// one. An agent that does not end it is ended itself. Its open calls get a result.
func (p *Partner) Cancel() error {
	s := p.busySession()
	if s == nil {
		return nil
	}
	if err := p.failCalls(dialog.StoppedByUser); err != nil {
		return err
	}
	x := &exchange{Partner: p, s: s}
	if !x.cancelPrompt() {
		p.End()
		return nil
	}
	for _, term := range s.terms {
		term.cancel()
		<-term.done
		term.ended = true // its call has a result
	}
	for _, c := range s.calls {
		c.over, c.runs = true, nil
	}
	s.terms = nil
	s.held, s.plans = nil, nil
	x.spend(x.last)
	return x.flush("interrupted", nil) // what it remembers, and what it cost
}

// Unsent reports whether the agent ended its prompt without mail that came meanwhile and
// was to wake it. The next prompt brings other mail.
func (p *Partner) Unsent() bool {
	agents, _ := p.agentNamed()
	return agents != nil && slices.ContainsFunc(unsent(p.turn.Dialog()), func(s *dialog.Section) bool { return s.Wakes() })
}

// Partner returns the agent of a turn's dialog. It claims a process that runs here.
func (a *Agents) Partner(h *Host) *Partner {
	return &Partner{turn: h, all: a, s: a.claim(keyOf(h), nil)}
}
