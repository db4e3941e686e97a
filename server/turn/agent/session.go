package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/provider/acp"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/tools"
	"vibey/tools/disk"
	"vibey/tools/sandbox"
)

// Bounds of an agent.
const (
	agentIdle  = 10 * time.Minute       // that it lives between two turns
	agentLook  = 2 * time.Second        // after which it is seen that another program has ended its dialog
	agentGrace = 300 * time.Millisecond // to end by itself when it is told to
	cancelWait = 2 * time.Second        // for the end of a prompt that was cancelled
)

// session is an agent that runs, and its conversation with one dialog.
type session struct {
	key  hub.Key
	name string // the agent's
	proc *acp.Process
	lock *disk.Held
	p    *project.Project
	id   string // the session's, as the agent calls it
	cwd  string // the session's folder: the deed
	dir  string // the empty folder that its process started in

	images bool   // a prompt may have pictures
	loaded bool   // it goes on with a session of an earlier process
	edited bool   // it began because what the one before remembers was edited
	sealed string // the last Prefix that names what it remembers, see Partner.seal

	beside  string          // the hash of those that it was started beside
	leave   func()          // removes dir
	outside sandbox.Outside // by which what it starts is found

	in   chan message  // what counts of what it sends, in order
	open atomic.Bool   // a prompt is under way, so that messages count
	over chan struct{} // closed by end
	deaf chan struct{} // closed once nothing more is read of it
	once sync.Once
	idle *time.Timer // runs while no turn has claimed the session

	claimed bool               // by a turn; guarded by Agents.mu, as is yield
	yield   context.CancelFunc // ends what a turn awaits beside a question, nil for nothing

	stray atomic.Pointer[string] // the first line of its output that is no message, nil for none

	mode atomic.Pointer[mode] // the last that it reported, nil for none

	// What follows belongs to the turn that has claimed the session.
	asking  string     // the id of the mode that asks, in which it is kept; "" for none
	setBack bool       // it left that mode before
	setting chan error // gets the answer to the request to go back, nil if none waits

	busy     bool                 // a prompt was sent that has no answer yet
	prompted string               // the id of the last User section then
	bytes    int                  // of messages since that prompt
	plans    []string             // not in a Note yet
	read     map[string]string    // the hashes of files that it has read by us, by path
	calls    map[string]*toolCall // by the agent's own id
	held     []*toolCall          // they may still ask
	asks     []*question          // requests that wait for an answer
	terms    []*terminal
}

// message is one thing that came of an agent: a request or notification, or the
// end of the prompt.
type message struct {
	req   *acp.Request
	term  *terminal // whose command has ended
	ended bool
	stop  string // why the prompt ended
	spent dialog.Resources
	err   error // or what went wrong
}

// question is a request of the agent that waits for the end or the decision of one of
// our calls.
type question struct {
	id      string // of the call
	tool    string // of the call, and the hash of its input, as they were appended
	sha256  string
	req     *acp.Request
	options []acp.PermissionOption  // of a permission, else nil
	call    *toolCall               // of a permission
	targets map[string]grant.Target // of a permission: the files that its diffs are for, by path
	term    *terminal               // of a terminal that is to be made
}

// toolCall is a tool call of the agent, as far as the agent has sent it.
type toolCall struct {
	now   acp.ToolCall
	over  bool      // the agent sent its end
	taken bool      // a request of it was appended
	runs  []running // our requests that run: without a result
	held  bool
	first bool // it was in progress before the question that a human is at
}

// running is a Tool Request for a call that runs at the agent.
type running struct {
	id      string
	asked   bool                    // a human, or an allow line, was asked
	targets map[string]grant.Target // see question
	used    map[string]bool         // what it was used for: a write by its path, a command by ""
}

// terminal is a command that the agent runs by us: a run_command of ours.
type terminal struct {
	id, call string // its own, and the Tool Request's
	limit    int    // bytes of output that are sent, 0 for all
	within   string // the agent's call for which a human approved it, "" for none
	cancel   context.CancelFunc
	done     chan struct{} // closed when res is set
	res      tools.Result
	written  atomic.Pointer[func() string] // what it wrote until now, nil before it runs
	start    int64                         // milliseconds, by the runner's clock
	ended    bool                          // its result stands in the file, or is given up
	waiters  []*acp.Request
}

// Many agents begin in a mode in which they decide themselves what may run. Ours work in
// one that asks, if they offer one.

// mode is the mode of a session, as the agent calls both.
type mode struct{ session, id string }

// handle takes what the agent sends, in order. What comes while no prompt is under way
// does not count.
func (s *session) handle(r *acp.Request) {
	s.seeMode(r)
	if s.open.Load() {
		s.push(message{req: r})
		return
	}
	r.Fail(acp.Errorf(acp.CodeInvalidRequest, "no prompt is under way, so nothing can be done for it"))
}

// seeMode keeps which mode the agent says that it is in, also between two prompts.
func (s *session) seeMode(r *acp.Request) {
	if r.Method != acp.MethodUpdate || !bytes.Contains(r.Params, []byte(`"`+acp.ModeUpdate+`"`)) && !bytes.Contains(r.Params, []byte(`"`+acp.ConfigUpdate+`"`)) {
		return
	}
	var p acp.UpdateParams
	if r.Decode(&p) != nil {
		return
	}
	if id := p.Update.Mode(); id != "" {
		s.mode.Store(&mode{p.SessionID, id})
	}
}

// push hands a message to the turn that has claimed the session, and waits for one.
func (s *session) push(m message) {
	select {
	case s.in <- m:
	case <-s.over:
		if m.req != nil {
			refuseRequest(m.req)
		}
	}
}

// refuseAsks answers what waits as cancelled.
func (s *session) refuseAsks() {
	for _, a := range s.asks {
		refuseRequest(a.req)
	}
	s.asks = nil
}

// refuseRequest answers a request of a prompt that is over or was cancelled.
func refuseRequest(r *acp.Request) {
	if r.Method == acp.MethodPermission {
		r.Reply(acp.PermissionResult{Outcome: acp.Cancelled})
		return
	}
	r.Fail(acp.Errorf(acp.CodeCancelled, "the prompt was cancelled"))
}

// askOf returns the permission of c that waits, nil for none.
func (s *session) askOf(c *toolCall) *question {
	if i := slices.IndexFunc(s.asks, func(a *question) bool { return a.call == c }); i >= 0 {
		return s.asks[i]
	}
	return nil
}

// unhold takes a call off the held ones.
func (s *session) unhold(c *toolCall) {
	c.held = false
	s.held = slices.DeleteFunc(s.held, func(h *toolCall) bool { return h == c })
}

// works reports whether a command of ours runs for the agent.
func (s *session) works() bool {
	return slices.ContainsFunc(s.terms, func(t *terminal) bool { return !t.ended })
}

// runsApproved reports whether something runs at the agent, or by us for it, that a human,
// or an allow line, was asked about.
func (s *session) runsApproved() bool {
	for _, c := range s.calls {
		if slices.ContainsFunc(c.runs, func(r running) bool { return r.asked }) {
			return true
		}
	}
	return s.works()
}

// inCall reports whether a call runs at the agent, by what it sent.
func (s *session) inCall() bool {
	for _, c := range s.calls {
		if len(c.runs) > 0 || c.held && c.now.Status == acp.InProgress {
			return true
		}
	}
	return false
}

// prompt sends a prompt. From here to its answer what the agent sends counts.
func (s *session) prompt(blocks []acp.ContentBlock) error {
	s.busy, s.bytes = true, 0
	s.open.Store(true)
	_, err := s.proc.Begin(acp.MethodPrompt, acp.PromptParams{SessionID: s.id, Prompt: blocks}, func(raw json.RawMessage, err error) {
		s.open.Store(false)
		var result acp.PromptResult
		if err == nil {
			err = json.Unmarshal(raw, &result)
		}
		s.push(message{ended: true, stop: result.StopReason, spent: resourcesOf(result.Tokens()), err: err})
	})
	return err
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

// knows keeps the hash of a file that the agent has read: a write of it is for that.
func (s *session) knows(path, sha string) {
	if s.read == nil || len(s.read) >= readMost {
		s.read = map[string]string{}
	}
	s.read[path] = sha
}

// readMost is how many files that an agent has read are kept in mind.
const readMost = 10_000

// call returns the agent's call of that id. A new one begins if the last of that id
// has ended and the agent announces it again; it is never laxer than that one.
func (s *session) call(id string, announced bool) *toolCall {
	c := s.calls[id]
	if c == nil || announced && c.over {
		kind := ""
		if c != nil {
			kind = c.now.Kind
		}
		c = &toolCall{now: acp.ToolCall{ToolCallID: id, Kind: kind}}
		s.calls[id] = c
	}
	return c
}

// callsMost is how many calls of one session are kept in mind.
const callsMost = 10_000

// room reports whether the call of that id can be kept in mind. If there are too many,
// those that have ended are forgotten.
func (s *session) room(id string) bool {
	if len(s.calls) < callsMost || s.calls[id] != nil {
		return true
	}
	maps.DeleteFunc(s.calls, func(_ string, c *toolCall) bool { return c.over && s.askOf(c) == nil })
	return len(s.calls) < callsMost
}

// holdMost is how long a call that is in progress may still ask: some agents send the
// progress first and the question a few milliseconds later.
const holdMost = 500 * time.Millisecond
