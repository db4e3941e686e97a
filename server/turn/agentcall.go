package turn

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"vibey/dialog"
	"vibey/dialog/jsontext"
	"vibey/provider"
	"vibey/provider/acp"
	"vibey/server/turn/record"
)

// agentCall is a tool call of the agent, as far as it has told of it.
type agentCall struct {
	now   acp.ToolCall
	over  bool      // the agent told its end
	taken bool      // a request of it was appended
	runs  []running // our requests that run: without a result
	held  bool
	first bool // it was told to be in progress before the question that a human is at
}

// running is a Tool Request for a call that runs at the agent.
type running struct {
	id      string
	asked   bool                     // a human, or an allow line, was asked
	targets map[string]dialog.Target // see agentAsk
	used    map[string]bool          // what it was used for: a write by its path, a command by ""
}

// call returns the agent's call of that id. A new one begins where the last of that id
// has ended and the agent announces it again; it is never laxer than that one.
func (s *agentSession) call(id string, announced bool) *agentCall {
	c := s.calls[id]
	if c == nil || announced && c.over {
		kind := ""
		if c != nil {
			kind = c.now.Kind
		}
		c = &agentCall{now: acp.ToolCall{ToolCallID: id, Kind: kind}}
		s.calls[id] = c
	}
	return c
}

// callsMost is how many calls of one session are kept in mind.
const callsMost = 10_000

// room reports whether the call of that id can be kept in mind. Where there are too many,
// those that have ended are forgotten.
func (s *agentSession) room(id string) bool {
	if len(s.calls) < callsMost || s.calls[id] != nil {
		return true
	}
	maps.DeleteFunc(s.calls, func(_ string, c *agentCall) bool { return c.over && !s.waitsFor(c) })
	return len(s.calls) < callsMost
}

// toolCall records what the agent tells of one of its calls. A new one is held until it
// is known whether it asks: it is appended when a permission names it, when it has ended
// or was in progress for a while, or when the agent goes on to something else.
func (x *exchange) toolCall(u *acp.Update) error {
	if u.ToolCallID == "" {
		return nil
	}
	if !x.s.room(u.ToolCallID) {
		return x.s.failed(provider.KindMalformed, fmt.Sprintf("The agent %s has more than %d calls under way at once, so its process was ended. What it said before is kept.", x.s.name, callsMost))
	}
	c := x.s.call(u.ToolCallID, u.SessionUpdate == acp.NewToolCall)
	if c.over {
		return nil
	}
	c.now.Merge(u.ToolCall)
	if len(c.runs) == 0 && !c.held && !x.s.waitsFor(c) && !c.taken {
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

// waitsFor reports whether a permission of c waits for a human.
func (s *agentSession) waitsFor(c *agentCall) bool { return s.askOf(c) != nil }

// askOf returns the permission of c that waits, nil for none.
func (s *agentSession) askOf(c *agentCall) *agentAsk {
	for _, a := range s.asks {
		if a.call == c {
			return a
		}
	}
	return nil
}

// release begins the calls that are held and of that status, "" for all of them: the
// agent went on without asking.
func (x *exchange) release(status string) error {
	for _, c := range slices.Clone(x.s.held) {
		if status != "" && c.now.Status != status {
			continue
		}
		if err := x.begin(c); err != nil {
			return err
		}
	}
	return nil
}

// releaseBeside begins the calls that are held and are in progress beside a question. One
// that was so before it may ask behind it: some agents ask one question after another about
// calls that they announced together.
func (x *exchange) releaseBeside() error {
	for _, c := range slices.Clone(x.s.held) {
		if c.now.Status != acp.InProgress || c.first {
			continue
		}
		if err := x.begin(c); err != nil {
			return err
		}
	}
	return nil
}

// unhold takes a call off the held ones.
func (s *agentSession) unhold(c *agentCall) {
	c.held = false
	s.held = slices.DeleteFunc(s.held, func(h *agentCall) bool { return h == c })
}

// begin records a call that runs unasked: its request, and that it has started.
func (x *exchange) begin(c *agentCall) error {
	x.s.unhold(c)
	id, err := x.request(c)
	if err != nil {
		return err
	}
	c.runs = append(c.runs, running{id: id})
	return x.t.note("started", "", c.tool()+record.StartedUnasked, dialog.Field{Key: "Parent", Value: id})
}

// request appends the Tool Request of a call as it stands now, behind what was said, and
// returns its id.
func (x *exchange) request(c *agentCall) (id string, err error) {
	c.taken = true // a later one gets another id: it has other bytes, or is decided
	return x.ask(c.now.ToolCallID, c.tool(), c.payload())
}

// ask appends a Tool Request of the agent behind what it said. want is the id that it
// gets where that can be kept.
func (x *exchange) ask(want, tool, payload string) (id string, err error) {
	w := x.response()
	if id = want; !dialog.ValidCallID(id) || w.Has(id) {
		id = w.FreshID()
	}
	now := x.t.r.w.Now()
	return id, x.flush("calls", []string{id}, dialog.Section{
		Role: dialog.ToolRequest, ID: id, Time: dialog.Span(now, now),
		Meta: dialog.Fields{{Key: "Parent", Value: w.Parent}, {Key: "Tool", Value: tool},
			{Key: "Status", Value: dialog.CallPending}, {Key: "Api", Value: dialog.APIAgent}},
		Payloads: []dialog.Payload{{Type: dialog.ToolInput, Text: payload}},
	})
}

// tool is the name of the call's tool: acp_<kind>.
func (c *agentCall) tool() string {
	if slices.Contains(acp.Kinds, c.now.Kind) {
		return "acp_" + c.now.Kind
	}
	return "acp_" + acp.KindOther
}

// payload is what a human is shown of the call: what the agent has told of it up to now,
// its own JSON to the byte.
func (c *agentCall) payload() string {
	name := ""
	if c.now.Title != nil {
		name = *c.now.Title
	}
	b := jsontext.AppendString([]byte(`{"title":`), name)
	b = jsontext.AppendString(append(b, `,"kind":`...), c.now.Kind)
	b = append(append(b, `,"locations":`...), or(c.now.Locations, "[]")...)
	b = append(append(b, `,"rawInput":`...), or(c.now.RawInput, "null")...)
	b = append(append(b, `,"content":`...), or(c.now.Content, "[]")...)
	return string(append(b, '}'))
}

// result is what the agent told of the call's end. Where it names no content, what its
// tool brought stands there.
func (c *agentCall) result() string {
	b := strconv.AppendBool([]byte(`{"success":`), c.now.Status == acp.Completed)
	b = jsontext.AppendString(append(b, `,"status":`...), c.now.Status)
	b = append(append(b, `,"content":`...), or(c.now.Content, string(or(c.now.RawOutput, "[]")))...)
	return string(append(b, '}'))
}

// or returns raw, or text where there is none.
func or(raw json.RawMessage, text string) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage(text)
	}
	return raw
}

// shed forgets what the agent told of a call that has its result in the file, but its id
// and its title: a session can have ten thousand of them.
func (c *agentCall) shed() {
	name := dialog.Clean(title(c.now), 200)
	c.now = acp.ToolCall{ToolCallID: c.now.ToolCallID, Title: &name, Kind: c.now.Kind, Status: c.now.Status}
}

// finish appends the results of a call that has ended.
func (x *exchange) finish(c *agentCall) error {
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
		open, ok := x.t.openCall(r.id)
		if !ok {
			continue // another program took it out of the file
		}
		sec := x.t.result(open, dialog.CallApproved, x.t.masked(c.result()))
		sec.Resources.Tools = 1
		secs = append(secs, sec)
	}
	if len(c.runs) == 0 && c.taken && c.now.Status == acp.Completed {
		return x.t.note("warning", "human", "The agent says that it did what was not allowed: "+dialog.Clean(title(c.now), 200)+". Look at what it changed; nothing here can hold it.")
	}
	c.runs = nil
	return x.t.appendResults(secs)
}

// finishUndecided ends a call whose agent did not wait for the answer to its question.
func (x *exchange) finishUndecided(c *agentCall, a *agentAsk) error {
	x.t.takeAsk(a.id)
	a.refuse()
	open, ok := x.t.openCall(a.id)
	if !ok {
		return nil
	}
	if c.now.Status != acp.Completed || len(c.runs) > 0 {
		return x.t.appendResults([]dialog.Section{x.t.result(open, dialog.CallError, record.Failure(agentGaveUp))})
	}
	sec := x.t.result(open, dialog.CallApproved, x.t.masked(c.result()))
	sec.Resources.Tools = 1
	sec.Meta = sec.Meta.With("Asked", "no")
	if err := x.t.appendResults([]dialog.Section{sec}); err != nil {
		return err
	}
	return x.t.note("warning", "human", "The agent says that it did this before it was answered: "+dialog.Clean(title(c.now), 200)+". Look at what it changed; nothing here can hold it.")
}

// agentGaveUp is the result of a call that ended before it was decided.
const agentGaveUp = "never started: the agent ended this call before it was decided."

func title(c acp.ToolCall) string {
	if c.Title == nil || *c.Title == "" {
		return "a call without a title"
	}
	return *c.Title
}

// openCall returns the call of that id which has no result yet.
func (t *turn) openCall(id string) (dialog.Call, bool) {
	for _, c := range t.calls() {
		if c.ID == id {
			return c, true
		}
	}
	return dialog.Call{}, false
}

// settle gives the calls that run at the agent a result that says why none is known,
// and those that still wait for a decision one that says that none is needed any more.
func (x *exchange) settle(why string) error {
	for _, c := range x.s.calls {
		c.runs = nil
		if !c.held {
			c.shed()
		}
	}
	return x.t.settleAgent(why)
}

// settleAgent is settle by the file alone.
func (t *turn) settleAgent(why string) error {
	var secs []dialog.Section
	for _, c := range t.calls() {
		if c.Agent {
			secs = append(secs, t.result(c, dialog.CallError, record.Failure(why)))
		}
	}
	return t.appendResults(secs)
}

// giveUpHeld records the calls that the agent has only announced: they never started.
func (x *exchange) giveUpHeld() error {
	for _, c := range slices.Clone(x.s.held) {
		x.s.unhold(c)
		id, err := x.request(c)
		if err != nil {
			return err
		}
		if open, ok := x.t.openCall(id); ok {
			if err := x.t.appendResults([]dialog.Section{x.t.result(open, dialog.CallError, record.Failure(agentGaveUp))}); err != nil {
				return err
			}
		}
	}
	return nil
}

// permission records a request for permission and decides it, if that can be done
// without a human; else the error is record.ErrWaiting.
func (x *exchange) permission(r *acp.Request) error {
	var p acp.PermissionParams
	if err := r.Decode(&p); err != nil {
		r.Fail(err)
		return nil
	}
	if p.ToolCall.ToolCallID == "" || !x.s.room(p.ToolCall.ToolCallID) {
		r.Fail(acp.Errorf(acp.CodeInvalidParams, "toolCallId is missing, or there are too many calls"))
		return nil
	}
	c := x.s.call(p.ToolCall.ToolCallID, true)
	c.now.Merge(p.ToolCall)
	x.s.unhold(c)
	id, err := x.request(c)
	if err != nil {
		return err
	}
	x.await(&agentAsk{id: id, req: r, options: append([]acp.PermissionOption{}, p.Options...), call: c, targets: x.targets(c.payload())})
	return x.t.answer()
}

// await keeps a request until its call, which stands in the file, is decided or over.
func (x *exchange) await(a *agentAsk) {
	if c, ok := x.t.openCall(a.id); ok {
		a.tool, a.sha256 = c.Tool, c.SHA256
	}
	x.s.asks = append(x.s.asks, a)
}

// runsAtAgent reports whether a call runs at the agent that this turn has claimed: its
// result comes from there.
func (t *turn) runsAtAgent(c *dialog.Call) bool {
	if !c.Agent || !c.Started {
		return false
	}
	s := t.session()
	if s == nil {
		return false
	}
	if slices.ContainsFunc(s.terms, func(term *terminal) bool { return term.call == c.ID && !term.told }) {
		return true
	}
	for _, a := range s.calls {
		if slices.ContainsFunc(a.runs, func(r running) bool { return r.id == c.ID }) {
			return true
		}
	}
	return false
}

// beginAtAgent lets a call run that the agent asked for; began is false for one that
// runs here. The Note that it started stands in the file.
func (t *turn) beginAtAgent(c *dialog.Call) (began bool, err error) {
	if !c.Agent {
		return false, nil
	}
	a := t.takeAsk(c.ID)
	switch {
	case a == nil:
		return true, t.append(t.result(*c, dialog.CallError, record.Failure(record.AgentEnded)))
	case a.tool != c.Tool || a.sha256 != c.SHA256:
		// The file was edited while the call waited: what was approved is not what the agent asked.
		a.refuse()
		return true, t.append(t.result(*c, dialog.CallError, record.Failure(record.ChangedCall)))
	case a.term != nil:
		return true, t.startTerminal(c, a)
	case a.options == nil:
		t.agent.asks = append(t.agent.asks, a) // answered with the result
		return false, nil
	}
	chosen := acp.Choose(a.options, acp.AllowOnce)
	if chosen == acp.Cancelled {
		a.req.Reply(acp.PermissionResult{Outcome: chosen})
		return true, t.append(t.result(*c, dialog.CallError, record.Failure(noAllowOnce)))
	}
	a.call.runs = append(a.call.runs, running{id: c.ID, asked: true, targets: a.targets, used: map[string]bool{}})
	a.req.Reply(acp.PermissionResult{Outcome: chosen})
	return true, nil
}

// refuse tells the agent that its request comes to nothing.
func (a *agentAsk) refuse() {
	if a.options != nil {
		a.req.Reply(acp.PermissionResult{Outcome: acp.Cancelled})
		return
	}
	a.req.Fail(acp.Errorf(acp.CodeInvalidParams, "the text of this call was changed while it waited, so it was not run"))
}

const noAllowOnce = "never started: the agent offered no answer that allows this once, so it was told that nothing was decided."

// takeAsk takes the request off that waits for a call.
func (t *turn) takeAsk(id string) *agentAsk {
	s := t.session()
	if s == nil {
		return nil
	}
	i := slices.IndexFunc(s.asks, func(a *agentAsk) bool { return a.id == id })
	if i < 0 {
		return nil
	}
	a := s.asks[i]
	s.asks = slices.Delete(s.asks, i, i+1)
	return a
}

// tellAgent answers the agent's requests whose calls have their result by now: what
// stands in the file is what it is told.
func (t *turn) tellAgent() {
	if t.agent == nil {
		return
	}
	d := t.dialog()
	for _, a := range slices.Clone(t.agent.asks) {
		if i := d.Find(dialog.ToolResult, a.id); i >= 0 {
			t.takeAsk(a.id)
			a.answer(&d.Sections[i], t.agent.read)
		}
	}
}

// answer tells the agent what became of a call that it asked for. read is what it has read.
func (a *agentAsk) answer(result *dialog.Section, read map[string]string) {
	if a.options == nil {
		a.answerOurs(result, read)
		return
	}
	outcome := acp.Cancelled
	if result.Meta.Get("Status") == dialog.CallDenied {
		outcome = acp.Choose(a.options, acp.RejectOnce)
	}
	a.req.Reply(acp.PermissionResult{Outcome: outcome})
}

// answerOurs answers a request that a tool of ours has carried out, or refused.
func (a *agentAsk) answerOurs(result *dialog.Section, read map[string]string) {
	var said struct {
		Success bool   `json:"success"`
		Error   string `json:"error"`
	}
	for _, f := range dialog.Named(result.Text()) {
		delete(read, f.Path) // what it has written, or is told to stand there, is named by that result
	}
	if json.Unmarshal([]byte(result.Text()), &said) == nil && said.Success {
		a.req.Reply(struct{}{})
		return
	}
	a.req.Fail(acp.Errorf(acp.CodeInternal, "%s", said.Error))
}

// refuseRequest answers a request of a prompt that is over or was cancelled.
func refuseRequest(r *acp.Request) {
	if r.Method == acp.MethodPermission {
		r.Reply(acp.PermissionResult{Outcome: acp.Cancelled})
		return
	}
	r.Fail(acp.Errorf(acp.CodeCancelled, "the prompt was cancelled"))
}

// refuseAsks answers what waits as cancelled.
func (s *agentSession) refuseAsks() {
	for _, a := range s.asks {
		refuseRequest(a.req)
	}
	s.asks = nil
}

// cancelPrompt ends the prompt that the agent is at: its human goes on to another one. An
// agent that does not end it is ended itself. The calls have their results.
func (t *turn) cancelPrompt() error {
	s := t.session()
	if s == nil || !s.busy {
		return nil
	}
	x := &exchange{t: t, s: s}
	if !x.cancel() {
		t.endAgent()
		return nil
	}
	for _, term := range s.terms {
		term.cancel()
		<-term.done
		term.told = true // dismiss has answered its call
	}
	for _, c := range s.calls {
		c.over, c.runs = true, nil
	}
	s.terms = nil
	s.held, s.plans = nil, nil
	x.spend(x.last)
	return x.flush("interrupted", nil) // what it remembers, and what it cost
}

// stopAgent ends the prompt of an agent that waits for a human, who stops it instead: what
// it asked is answered as cancelled.
func (t *turn) stopAgent() error {
	s := t.session()
	if s == nil || !s.busy {
		return nil
	}
	if err := t.hearOut(); err != nil || !s.busy {
		return err
	}
	if err := t.settleAgent(dialog.StoppedByUser); err != nil {
		return err
	}
	return t.cancelPrompt()
}

// elsewhere refuses a request about calls whose agent runs in another process: only
// that one can answer it.
func (t *turn) elsewhere(calls []dialog.Call) error {
	for _, c := range calls {
		if c.Agent && c.Verdict != dialog.Lapsed && t.session() == nil && t.in.Project.AgentRuns(t.f.ID()) {
			return refuse(ErrActive, "the agent of this dialog runs in another program, and only there can it be answered. Nothing was changed. Decide in its window, or stop it there")
		}
	}
	return nil
}

// late refuses to approve a call whose agent has ended since it asked.
func (t *turn) late(control string) error {
	lines, _ := dialog.ParseControl(control)
	d := t.dialog()
	for _, l := range lines {
		if l.Verb != dialog.Approve || l.ID == "" {
			continue
		}
		if c, open := t.openCall(l.ID); open && c.Verdict == dialog.Lapsed {
			return refuse(ErrStale, lapsedCall, l.ID)
		}
		i, k := d.Find(dialog.ToolRequest, l.ID), d.Find(dialog.ToolResult, l.ID)
		if i < 0 || k < 0 || d.Sections[k].Meta.Get("Status") != dialog.CallError {
			continue
		}
		if s := &d.Sections[i]; (dialog.AgentTool(s.Tool()) || s.Meta.Get("Api") == dialog.APIAgent) && t.gr.Extend(d).Decisions[l.ID].Verb != dialog.Approve {
			return refuse(ErrStale, lapsedCall, l.ID)
		}
	}
	return nil
}

const lapsedCall = "%s: the agent that asked for this has ended, so it can't be approved any more. Nothing was decided. Send a message to go on"
