package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/provider"
	"vibey/provider/acp"
	"vibey/server/turn/record"
)

// exchange is the part of a prompt that one turn takes: until the agent ends it, a
// human has to decide, or it is stopped.
type exchange struct {
	t    *turn
	s    *agentSession
	w    *record.Response // what it says now, nil before it says something
	last agentMessage     // the end of a prompt that was cancelled
	wait time.Duration
	hold *time.Timer // runs while a held call is told to be in progress
	// until, where it is not nil, reports that the exchange is over though the prompt is not.
	until func() bool
	// only its news count: what it asks now is refused, because its human goes on to
	// something else.
	onlyNews bool
	// way, where it is not nil, is closed by the human's next request, for which the
	// exchange ends: until then it goes on while what a human has approved runs, also where
	// another call waits for a decision.
	way <-chan struct{}
}

// errFarEnough ends an exchange that has until.
var errFarEnough = errors.New("what was waited for is over")

// errPromptEnded ends an exchange when the agent has ended its prompt.
var errPromptEnded = errors.New("the prompt has ended")

// converse is ask for an agent. Its errors are ask's.
func (t *turn) converse(p *acp.Provider, name string) error {
	over, err := t.catchUp(p)
	if over || err != nil {
		return err
	}
	if err := t.answer(); err != nil {
		return err
	}
	if err := t.tellSystem(); err != nil {
		return err
	}
	s, err := t.goOn(p, name)
	if err != nil {
		return err
	}
	if a, ok := p.Agent(name); ok && !s.busy && t.heedChange(a, s) {
		if s, err = t.goOn(p, name); err != nil {
			return err
		}
		if t.heedChange(a, s) { // written while it started: it asks what it is to do
			return s.failed(provider.KindRefused, fmt.Sprintf("The agent %s was ended before it got your message: settings in deed/ that it reads change all the time. Press Continue when that is over.", s.name))
		}
	}
	if !s.busy {
		if err := t.keepAsking(s); err != nil {
			t.endAgent()
			return err
		}
		blocks, err := t.promptBlocks(s)
		if err != nil {
			return err
		}
		if err := s.prompt(blocks); err != nil {
			t.endAgent()
			return s.crashed(err)
		}
	}
	return t.exchange(s, p.Idle())
}

// holdMost is how long a call that is told to be in progress may still ask: some agents
// say so first and ask then, a few milliseconds later.
const holdMost = 500 * time.Millisecond

// While a human has to decide, what the agent sends right behind its question is still
// taken: it may ask several at once. What comes later waits for the human's next request,
// which begins with what is there.
const (
	askGrace = 100 * time.Millisecond // of silence behind a question
	askMost  = time.Second            // behind the first question
	caughtUp = 50 * time.Millisecond  // of silence, when a turn begins
)

// exchange takes what the agent sends. wait is how long it may be silent.
func (t *turn) exchange(s *agentSession, wait time.Duration) error {
	x := t.newExchange(s, wait)
	defer x.hold.Stop()
	return x.end(x.run())
}

func (t *turn) newExchange(s *agentSession, wait time.Duration) *exchange {
	x := &exchange{t: t, s: s, wait: wait, hold: time.NewTimer(holdMost)}
	if !slices.ContainsFunc(s.held, func(c *agentCall) bool { return c.now.Status == acp.InProgress }) {
		x.hold.Stop() // until a call is told to be in progress
	}
	return x
}

// catchUp takes what an agent that waits for a human has sent since: it may have asked
// more, have gone on without an answer, or have ended its prompt, when over is true.
func (t *turn) catchUp(p *acp.Provider) (over bool, err error) {
	s := t.session()
	if s == nil || !s.busy {
		return false, nil
	}
	return t.newExchange(s, p.Idle()).catchUp()
}

// hearOut is catchUp before what runs and what waits at the agent is settled, because the
// human goes on to something else: what it has done stands in the file first. An agent
// that has broken off needs no settling.
func (t *turn) hearOut() error {
	s := t.session()
	if s == nil || !s.busy {
		return nil
	}
	x := t.newExchange(s, 0)
	x.onlyNews = true
	over, err := x.catchUp()
	if err == nil && !over {
		err = x.release(acp.InProgress)
	}
	if _, broke := errors.AsType[*provider.Error](err); broke {
		return nil
	}
	return err
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

// waits ends the exchange for a human who has to decide. What runs unasked meanwhile
// stands in the file.
func (x *exchange) waits() error {
	if err := x.releaseBeside(); err != nil {
		return err
	}
	if err := x.pause(); err != nil {
		return err
	}
	return record.ErrWaiting
}

// pause appends what the agent has said up to now, while its prompt goes on.
func (x *exchange) pause() error {
	if x.w == nil || !x.w.Began() {
		return nil
	}
	return x.flush("calls", nil)
}

// workBeside lets what a human has approved come to its end at the agent while other calls
// wait for a decision. The agent may need that decision to go on: the request that brings it
// ends this, see giveWay, and so does its silence, since some are asked one by one.
func (t *turn) workBeside() error {
	p, _ := t.asksAgent()
	s := t.session()
	if p == nil || s == nil || !s.busy || !s.runsApproved() {
		return record.ErrWaiting
	}
	x := t.newExchange(s, min(p.Idle(), besideMost))
	defer x.hold.Stop()
	way, over := t.beside()
	defer over()
	x.way = way.Done()
	return x.end(x.run())
}

// beside returns what ends when the turn is to give way, until over is called.
func (t *turn) beside() (way context.Context, over func()) {
	way, cancel := context.WithCancel(context.Background())
	t.yields.Store(&cancel)
	return way, func() {
		t.yields.Store(nil)
		cancel()
	}
}

// besideMost is how long an agent may be silent while workBeside waits for it.
const besideMost = 5 * time.Second

// giveWay ends a turn of that dialog in which nothing happens but what workBeside waits for,
// and returns when it is over, or does not end soon.
func (r *Runner) giveWay(ctx context.Context, in Input) {
	t := r.find(in.Project.Name(), in.DialogID)
	if t == nil {
		return
	}
	giveWay := t.yields.Swap(nil)
	if giveWay == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, settleWait)
	defer cancel()
	(*giveWay)()
	t.wait(ctx)
}

// rests reports whether nothing is to be done before a human has decided.
func (x *exchange) rests() bool {
	return (x.way == nil || !x.s.runsApproved()) && x.t.waitsForHuman()
}

// finishAtAgent lets what a human has approved come to its end at the agent, because the
// human goes on to something else behind it: what waits is denied, and what the agent asks
// meanwhile too. An agent that asks on and on is not waited for.
func (t *turn) finishAtAgent() error {
	p := t.r.agentsOf(acp.API) // also where the prompt goes to a model
	for range finishAsks {
		if err := t.denyWaiting(); err != nil {
			return err
		}
		s := t.session()
		if p == nil || s == nil || !s.busy || !s.runsApproved() {
			return nil
		}
		x := t.newExchange(s, p.Idle())
		x.until = func() bool { return !s.runsApproved() }
		err := x.run()
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

// finishAsks is how many questions are denied while finishAtAgent waits.
const finishAsks = 20

// runsApproved reports whether something runs at the agent, or by us for it, that a human,
// or an allow line, was asked about.
func (s *agentSession) runsApproved() bool {
	for _, c := range s.calls {
		if slices.ContainsFunc(c.runs, func(r running) bool { return r.asked }) {
			return true
		}
	}
	return s.works()
}

// callWaits is how many times as long an agent may be silent while a call runs at it.
const callWaits = 15

// inCall reports whether a call runs at the agent, by what it told.
func (s *agentSession) inCall() bool {
	for _, c := range s.calls {
		if len(c.runs) > 0 || c.held && c.now.Status == acp.InProgress {
			return true
		}
	}
	return false
}

// prompt sends a prompt. From here to its answer what the agent sends counts.
func (s *agentSession) prompt(blocks []acp.ContentBlock) error {
	s.busy, s.bytes = true, 0
	s.open.Store(true)
	_, err := s.proc.Begin(acp.MethodPrompt, acp.PromptParams{SessionID: s.id, Prompt: blocks}, func(raw json.RawMessage, err error) {
		s.open.Store(false)
		var result acp.PromptResult
		if err == nil {
			err = json.Unmarshal(raw, &result)
		}
		s.push(agentMessage{ended: true, stop: result.StopReason, spent: resourcesOf(result.Tokens()), err: err})
	})
	return err
}

// run takes messages until one ends the exchange. The error is never nil.
func (x *exchange) run() error {
	idle := time.NewTimer(x.wait)
	defer idle.Stop()
	var quiet, most <-chan time.Time // nil while no human has to decide
	for silent := 1; ; {
		if err := context.Cause(x.t.ctx); err != nil {
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
				quiet = time.After(askGrace)
			case err != nil && x.way == nil, x.way != nil && x.rests():
				quiet, most = time.After(askGrace), time.After(askMost)
			}
			idle.Reset(x.wait)
			silent = 1
		case <-quiet:
			if x.rests() {
				return x.waits()
			}
			quiet, most = nil, nil // it did not wait for the answer
		case <-most:
			if x.rests() {
				return x.waits()
			}
			quiet, most = nil, nil
		case <-x.way:
			return x.waits()
		case <-x.hold.C:
			if err := x.release(acp.InProgress); err != nil {
				return err
			}
		case err := <-x.s.setting:
			x.s.setting = nil
			if err != nil {
				return x.s.notAsking(err)
			}
		case <-x.t.ctx.Done():
		case <-idle.C:
			if x.s.works() {
				idle.Reset(x.wait) // a command of ours, which has its own limit
				continue
			}
			if x.way != nil {
				return x.waits()
			}
			if silent < callWaits && x.s.inCall() {
				idle.Reset(x.wait) // a command of its own, such as a test, may say nothing for long
				silent++
				continue
			}
			return x.s.failed(provider.KindIdle, fmt.Sprintf("The agent %s was silent for %v, so its process was ended. What it said before is kept; press Continue to start it again.", x.s.name, x.wait*time.Duration(silent)))
		}
	}
}

// take records one message.
func (x *exchange) take(m agentMessage) error {
	switch {
	case m.ended:
		return x.ended(m)
	case m.term != nil:
		return x.terminalEnded(m.term)
	}
	r := m.req
	if x.s.bytes += len(r.Params); x.s.bytes > x.t.r.agentMost {
		return x.s.failed(provider.KindMalformed, fmt.Sprintf("The agent %s sent more than %d MiB for one message, so its process was ended. What it said before is kept.", x.s.name, x.t.r.agentMost>>20))
	}
	var session struct {
		SessionID string `json:"sessionId"`
	}
	if err := r.Decode(&session); err != nil {
		r.Fail(err)
		return nil
	}
	if session.SessionID != x.s.id {
		r.Fail(acp.Errorf(acp.CodeInvalidParams, "there is no such session"))
		return nil
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
	r.Fail(acp.Errorf(acp.CodeUnknownMethod, "there is no method %s here", clip(r.Method)))
	return nil
}

// update records what the agent tells of its work.
func (x *exchange) update(r *acp.Request) error {
	var p acp.UpdateParams
	if err := r.Decode(&p); err != nil {
		r.Fail(err) // told only where it was a request; an update that can't be read is passed over
		return nil
	}
	switch u := &p.Update; u.SessionUpdate {
	case acp.MessageChunk, acp.ThoughtChunk:
		b := u.Block()
		switch {
		case b.Type == "", b.Type == "text" && b.Text == "": // it can't be read, or says nothing, as where it brings a count of tokens
		case u.SessionUpdate == acp.MessageChunk:
			return x.say(provider.Text{Piece: b.Markdown()})
		default:
			return x.say(provider.Thinking{Piece: b.Markdown()})
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

// say streams a piece of text. What the agent did before it stands before it.
func (x *exchange) say(e provider.Event) error {
	if err := x.release(""); err != nil {
		return err
	}
	return x.response().Take(e)
}

func (x *exchange) response() *record.Response {
	if x.w == nil {
		x.w = record.NewResponse(x.t.target(), acp.API)
	}
	return x.w
}

// flush appends what was said, and behind it sections that follow from it: calls, whose
// ids are given.
func (x *exchange) flush(stop string, calls []string, more ...dialog.Section) error {
	w := x.response()
	w.Calls = calls
	secs := w.Sections(stop, x.t.r.w.Now())
	for i := range secs {
		if secs[i].Role == dialog.Assistant {
			secs[i].Meta = secs[i].Meta.With(dialog.AnswersKey, x.t.answers)
		}
	}
	secs = append(secs, more...)
	x.w = nil
	if w.Finish != nil {
		if err := x.t.seal(x.s, secs); err != nil {
			return err
		}
	}
	if err := x.t.appendResponse(secs); err != nil {
		return err
	}
	return x.tellPlans()
}

// planned takes a plan. It is told at once where nothing else is open that came before it,
// and else behind that. Of many the last ones are kept.
func (x *exchange) planned(plan string) error {
	if s := x.s; plan != "" && (len(s.plans) == 0 || s.plans[len(s.plans)-1] != plan) {
		s.plans = append(s.plans, plan)
		s.plans = s.plans[max(0, len(s.plans)-plansMost):]
	}
	if x.w != nil && x.w.Began() || len(x.s.held) > 0 {
		return nil
	}
	return x.tellPlans()
}

// plansMost is how many plans wait to be told.
const plansMost = 20

// tellPlans appends the plans that came since the last response.
func (x *exchange) tellPlans() error {
	var secs []dialog.Section
	for i, plan := range x.s.plans {
		secs = append(secs, x.t.newNote(i, "plan", "human", plan))
	}
	x.s.plans = nil
	if len(secs) == 0 {
		return nil
	}
	return x.t.append(secs...)
}

// planText is an agent's plan as markdown.
func planText(entries []acp.PlanEntry) string {
	var b strings.Builder
	for _, e := range entries {
		mark, more := " ", ""
		switch e.Status {
		case "completed":
			mark = "x"
		case "in_progress": // for which markdown has no mark
			more = " (under way)"
		}
		fmt.Fprintf(&b, "- [%s] %s%s\n", mark, dialog.Clean(e.Content, 1000), more)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// ended closes a prompt that the agent has ended.
func (x *exchange) ended(m agentMessage) error {
	x.s.busy = false
	if m.err != nil { // end records what it had begun
		if e, ok := errors.AsType[*acp.Error](m.err); ok {
			return x.s.failed(provider.KindRefused, fmt.Sprintf("The agent %s answered with an error: %s.", x.s.name, clip(e.Error())))
		}
		return x.s.crashed(m.err)
	}
	if err := x.release(""); err != nil {
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

// spend puts what the prompt cost to what the agent says last.
func (x *exchange) spend(m agentMessage) {
	x.response().Finish = &provider.Finish{Stop: stopOf(m.stop), Resources: m.spent}
}

// resourcesOf is an agent's count in this format: of what goes in and comes out the
// whole, none below 0.
func resourcesOf(u acp.Usage) dialog.Resources {
	r := dialog.Resources{In: u.Input, Out: u.Output, Total: u.Total, Cached: u.Read, Written: u.Written, Reasoning: u.Thought}.Plus(dialog.Resources{})
	r.In = dialog.Resources{In: r.In}.Plus(dialog.Resources{In: r.Cached}).Plus(dialog.Resources{In: r.Written}).In
	if whole := (dialog.Resources{Out: r.Out}).Plus(dialog.Resources{Out: r.Reasoning}).Out; r.Reasoning > r.Out || r.Total == (dialog.Resources{Total: r.In}).Plus(dialog.Resources{Total: whole}).Total {
		r.Out = whole
	}
	return r
}

// agentBroke is the result of a call whose agent broke off.
const agentBroke = "interrupted: outcome unknown. The agent broke off while this call ran. Look at what it did before you do it again."

// agentSilentOn is the result of a call of which the agent told no end.
const agentSilentOn = "interrupted: outcome unknown. The agent ended its turn without telling what became of this call. Look at what it did before you rely on it."

// stopOf is an agent's reason for the end of a prompt in this format's words.
func stopOf(reason string) string {
	switch reason {
	case acp.StopEndTurn:
		return provider.StopEnd
	case acp.StopMaxTokens, acp.StopMaxRounds:
		return provider.StopLength
	case acp.StopRefusal:
		return provider.StopRefusal
	case acp.StopCancelled:
		return "interrupted"
	}
	return provider.StopOther
}

// crashed is the error of an agent whose process or connection has ended.
func (s *agentSession) crashed(err error) error {
	select {
	case <-s.proc.Exited():
	case <-time.After(agentGrace): // its output ended first
	}
	why := s.inWords(err)
	if errors.Is(err, io.EOF) || errors.Is(err, acp.ErrClosed) {
		why = s.why(errors.New("it closed its connection"))
	}
	return s.failed(provider.KindCut, fmt.Sprintf("The agent %s broke off: %s. What it said before is kept; press Continue to start it again.", s.name, clip(why)))
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
	cause := context.Cause(x.t.ctx)
	quiet := (cause == record.ErrStopped || cause == record.ErrFinished) && x.cancel()
	if !quiet {
		x.t.endAgent()
	}
	if errors.Is(cause, record.ErrDeleted) {
		return err
	}
	stop, why := "error", agentBroke
	if cause != nil {
		stop, why = "interrupted", record.CutOff(context.Cause(x.t.ctx))
	}
	// What it told of and does not finish stands there too.
	lost := errors.Join(x.release(acp.InProgress), x.endTerminals(), x.settle(why), x.giveUpHeld())
	if x.last.ended {
		x.spend(x.last)
	}
	if x.w != nil && (x.w.Began() || x.w.Finish != nil) {
		lost = errors.Join(lost, x.flush(stop, nil))
	}
	lost = errors.Join(lost, x.tellPlans())
	if lost != nil {
		return lost
	}
	return err
}

// cancel tells the agent to stop and waits for the end of its prompt. It reports
// whether that came.
func (x *exchange) cancel() bool {
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
		case <-x.t.r.ctx.Done():
			return false
		}
	}
	return true
}
