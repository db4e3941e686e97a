package turn

import (
	"errors"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"vibey/dialog"
	"vibey/provider"
	"vibey/provider/acp"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/server/turn/record"
	"vibey/tools/caught"
	"vibey/tools/sandbox"
)

// An agent over ACP holds a conversation of its own. Its process is an agentSession,
// which outlives the turn in which a human has to decide; what it asks and tells is
// appended by the turn that has claimed it, and by nothing else. While none has, the
// agent waits: nothing of what it sends is read. Its lock (project.AgentLock) tells
// every process whether it still runs; the calls of one that has ended have lapsed.

// Bounds of an agent.
const (
	agentIdle  = 10 * time.Minute       // that it lives between two turns
	agentLook  = 2 * time.Second        // after which it is seen that another program has ended its dialog
	agentGrace = 300 * time.Millisecond // to end by itself when it is told to
	agentBytes = 64 << 20               // that it may send for one prompt
	cancelWait = 2 * time.Second        // for the end of a prompt that was cancelled
)

// agentSession is an agent that runs, and its conversation with one dialog.
type agentSession struct {
	key  hub.Key
	name string // the agent's
	proc *acp.Process
	lock *project.AgentLock
	p    *project.Project
	id   string // the session's, as the agent calls it
	cwd  string // the session's folder: the deed
	dir  string // the empty folder that its process started in

	loaded bool   // it goes on with a session of an earlier process
	edited bool   // it began because what the one before remembers was edited
	sealed string // the last Prefix that names what it remembers, see turn.seal

	settings string          // the hash of those that it was started beside
	leave    func()          // removes dir
	outside  sandbox.Outside // by which what it starts is found

	in   chan agentMessage // what counts of what it sends, in order
	open atomic.Bool       // a prompt is under way, so that messages count
	over chan struct{}     // closed by end
	deaf chan struct{}     // closed once nothing more is read of it
	once sync.Once
	idle *time.Timer // runs while no turn has claimed the session

	claimed bool // by a turn; guarded by Runner.mu

	stray atomic.Pointer[string] // the first line that it wrote and that is no message, nil for none

	mode atomic.Pointer[agentMode] // that it said last that it is in, nil for none

	// What follows belongs to the turn that has claimed the session.
	asking  string     // the id of the mode that asks, which it is kept in; "" for none
	setBack bool       // it left that mode before
	setting chan error // gets the answer to the request to go back, nil where none waits

	busy  bool                  // a prompt was sent that has no answer yet
	bytes int                   // that came for it
	plans []string              // that no Note tells yet
	read  map[string]string     // the hashes of files that it has read by us, by path
	calls map[string]*agentCall // by the agent's own id
	held  []*agentCall          // of which it is not known yet whether they ask
	asks  []*agentAsk           // requests that wait for an answer
	terms []*terminal
}

// agentMessage is one thing that came of an agent: a request or notification, or the
// end of the prompt.
type agentMessage struct {
	req   *acp.Request
	term  *terminal // whose command has ended
	ended bool
	stop  string // why the prompt ended
	spent dialog.Resources
	err   error // or what went wrong
}

// agentAsk is a request of the agent that waits for the end or the decision of one of
// our calls.
type agentAsk struct {
	id      string // of the call
	tool    string // of the call, and the hash of its input, as they were appended
	sha256  string
	req     *acp.Request
	options []acp.PermissionOption   // of a permission, else nil
	call    *agentCall               // of a permission
	targets map[string]dialog.Target // of a permission: what stands where it shows diffs, by path
	term    *terminal                // of a terminal that is to be made
}

// asksAgent returns the provider of agents that the dialog's next message goes to and
// the agent's name, or nil.
func (t *turn) asksAgent() (*acp.Provider, string) {
	name, model := t.dialog().Model()
	return t.r.agentsOf(name), model
}

// agentsOf returns the provider of that name if it is that of agents, else nil.
func (r *Runner) agentsOf(name string) *acp.Provider {
	if name != acp.API {
		return nil
	}
	p, _ := r.w.Provider(name)
	agents, _ := p.(*acp.Provider)
	return agents
}

// speaksToAgent reports whether the message of this request goes to an agent, also where
// none is defined any more.
func (t *turn) speaksToAgent() bool {
	name := t.in.Provider
	if name == "" {
		name, _ = t.dialog().Model()
	}
	return name == acp.API
}

// session claims the dialog's agent for this turn, if it runs in this process. It
// returns nil if it does not.
func (t *turn) session() *agentSession {
	if t.agent != nil || t.f == nil {
		return t.agent
	}
	t.r.mu.Lock()
	defer t.r.mu.Unlock()
	if s := t.r.agents[t.key()]; s != nil && !s.claimed {
		s.claimed = true
		s.idle.Stop()
		t.agent = s
	}
	return t.agent
}

// hasAgent reports whether the agent of a dialog runs, here or in another process.
func (r *Runner) hasAgent(p *project.Project, id string) bool {
	r.mu.Lock()
	s := r.agents[hub.Key{Project: p.Name(), Dialog: id}]
	r.mu.Unlock()
	return s != nil || p.AgentRuns(id)
}

// freeAgent gives the agent back at the end of the turn. It lives on while a human
// decides or may go on soon, and ends otherwise.
func (t *turn) freeAgent() {
	s := t.agent
	if s == nil {
		return
	}
	t.agent = nil
	keep := t.f.Status() == dialog.Waiting && (!s.busy || len(s.asks) > 0) && t.r.ctx.Err() == nil
	t.r.mu.Lock()
	s.claimed = false
	keep = keep && !t.r.stopping
	if keep {
		s.idle.Reset(agentIdle)
	}
	t.r.mu.Unlock()
	select {
	case <-s.proc.Exited():
		keep = false
	default:
	}
	if !keep {
		t.r.endAgent(s)
	}
}

// endAgent ends the agent that this turn has claimed, if any.
func (t *turn) endAgent() {
	if s := t.session(); s != nil {
		t.agent = nil
		t.r.endAgent(s)
	}
}

// endAgent ends an agent and returns when nothing of what it started is left.
func (r *Runner) endAgent(s *agentSession) {
	s.once.Do(func() {
		close(s.over)
		for _, term := range s.terms {
			term.cancel()
		}
		for _, term := range s.terms {
			<-term.done
		}
		if s.busy {
			s.proc.Notify(acp.MethodCancel, acp.CancelParams{SessionID: s.id})
		}
		s.refuseAsks()
		s.proc.Flush(agentGrace)
		s.proc.Kill(agentGrace)
		s.outside.End()
		s.leave()
		r.mu.Lock()
		if r.agents[s.key] == s {
			delete(r.agents, s.key)
		}
		r.mu.Unlock()
		s.lock.Release()
	})
}

// endAgents ends the agents of a project, or of all for nil, that no turn has claimed.
func (r *Runner) endAgents(p *project.Project) {
	var all sync.WaitGroup
	for _, s := range r.freeAgents(p) {
		all.Go(func() { r.endAgent(s) }) // it waits, and can't panic
	}
	all.Wait()
}

// freeAgents claims the agents of a project that no turn has claimed.
func (r *Runner) freeAgents(p *project.Project) (free []*agentSession) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.agents {
		if !s.claimed && (p == nil || s.p == p) {
			s.claimed = true
			free = append(free, s)
		}
	}
	return free
}

// EndAgent ends the agent of a dialog that is about to be deleted, if one runs here and
// no turn does.
func (r *Runner) EndAgent(p *project.Project, id string) {
	if s := r.claimAgent(hub.Key{Project: p.Name(), Dialog: id}, nil); s != nil {
		r.endAgent(s)
	}
}

// claimAgent claims the agent of a dialog, if no turn has; where s is not nil, only
// that one.
func (r *Runner) claimAgent(key hub.Key, s *agentSession) *agentSession {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.agents[key]
	if now == nil || now.claimed || s != nil && now != s {
		return nil
	}
	now.claimed = true
	return now
}

// watch ends an agent that no turn has claimed when its process has ended, was idle for
// too long, or its dialog is done or gone by another program's hand. The calls that it asked for lapse. A turn that has claimed it sees the
// end in the order of the messages.
func (r *Runner) watch(s *agentSession) {
	look := time.NewTicker(agentLook)
	defer look.Stop()
	for {
		select {
		case <-s.proc.Exited():
		case <-s.idle.C:
		case <-look.C:
			if st, err := s.p.StatusOf(s.key.Dialog); st != dialog.Done && !errors.Is(err, fs.ErrNotExist) {
				continue
			}
		case <-s.over:
			return
		}
		if r.claimAgent(s.key, s) != nil {
			r.endAgent(s)
			r.lapse(s.p, s.key.Dialog)
			return
		}
		select {
		case <-s.proc.Exited(): // the turn ends it
			return
		default:
		}
	}
}

// lapse answers the calls of a dialog whose agent has ended. Where a turn holds the
// dialog, that one does it. It returns false if no results were written, and none will be.
func (r *Runner) lapse(p *project.Project, id string) bool {
	f, err := p.OpenDialog(id)
	if err != nil {
		return errors.Is(err, project.ErrBusy)
	}
	defer f.Close()
	t := r.turn(f, Input{Project: p, DialogID: id})
	if err = t.answerLapsed(); err != nil {
		r.w.Log.Warn("the calls of an agent that has ended could not be answered", "project", p.Name(), "dialog", id, "err", err)
	}
	p.SweepAgent(id)
	return err == nil
}

// answerLapsed gives the calls of an agent that has ended their results.
func (t *turn) answerLapsed() error {
	var secs []dialog.Section
	for _, c := range t.calls() {
		switch {
		case c.Agent && c.Started && !t.r.hasAgent(t.in.Project, t.f.ID()):
			secs = append(secs, t.result(c, dialog.CallError, record.Failure(record.OutcomeUnknown)))
		case c.Verdict == dialog.Lapsed:
			secs = append(secs, t.result(c, dialog.CallError, record.Failure(record.AgentEnded)))
		}
	}
	return t.appendResults(secs)
}

// serve reads what an agent sends until it ends.
func (r *Runner) serve(s *agentSession) {
	caught.Go(r.w.Log, "the connection to an agent", func() {
		defer s.proc.Kill(agentGrace) // also one that only closed its output
		defer close(s.deaf)
		s.proc.Serve()
	})
	caught.Go(r.w.Log, "waiting for the end of an agent", func() { r.watch(s) })
}

// handle takes what the agent sends, in order. What comes while no prompt is under way
// does not count.
func (s *agentSession) handle(r *acp.Request) {
	s.seeMode(r)
	if s.open.Load() {
		s.push(agentMessage{req: r})
		return
	}
	r.Fail(acp.Errorf(acp.CodeInvalidRequest, "no prompt is under way, so nothing can be done for it"))
}

// push hands a message to the turn that has claimed the session, and waits for one.
func (s *agentSession) push(m agentMessage) {
	select {
	case s.in <- m:
	case <-s.over:
		if m.req != nil {
			refuseRequest(m.req)
		}
	}
}

// failed is an error of an agent in words for a human.
func (s *agentSession) failed(kind provider.Kind, text string) error {
	return &provider.Error{Kind: kind, Message: text}
}
