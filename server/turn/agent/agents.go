// Package agent is a dialog's partner that is a process: an agent over ACP, which holds a
// conversation of its own and asks back. It owns the processes of agents, and what one may
// do to a turn: Host is all of that.
//
// A process is a session, which outlives the turn in which a human has to decide. What it
// asks and says is appended by the turn that has claimed it, and by nothing else. While no
// turn has, the agent waits: nothing that it sends is read. Its lock (Project.LockAgent)
// shows every process whether it still runs; the calls of one that has ended have lapsed.
//
// Begin with Agents (the processes), Partner (one turn's agent) and its Ask, Host, session
// (one process), exchange (the part of a prompt that one turn takes) and its receive and take,
// toolCall, question (a request that waits for a decision), terminal.
package agent

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/provider"
	"vibey/provider/acp"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/tools/caught"
)

// Agents are the agents that run in this process, at most one a dialog.
type Agents struct {
	Config
	mu      sync.Mutex
	running map[hub.Key]*session
	closed  bool // no agent is kept any more

	SentMost  int           // bytes that an agent may send for one prompt
	StartWait time.Duration // for each answer by which an agent begins
	StartSoon time.Duration // after which watchers hear that an agent still starts
}

// Config is what agents need beyond their dialogs.
type Config struct {
	Context context.Context // ends all turns
	// Provider returns the provider of that name.
	Provider func(name string) (provider.Provider, bool)
	// Dir makes and names the empty folder in which the agent of a dialog starts, and
	// returns what removes it. Path is the PATH of agents.
	Dir       func(project, dialogID string) (dir string, remove func(), err error)
	Path      func() string
	Secrets   func() []string
	Authority func(project, dialogID string) grant.Authority
	// Ended is called when an agent has ended that no turn had claimed.
	Ended func(p *project.Project, dialogID string)
	Now   func() time.Time
	Log   *slog.Logger
}

// New returns Agents, none of them running.
func New(c Config) *Agents {
	return &Agents{
		Config: c, running: map[hub.Key]*session{}, SentMost: 64 << 20, StartSoon: 4 * time.Second,
		StartWait: 3 * time.Minute, // the first start of opencode, which makes its database then, took 68 s on two busy cores
	}
}

// provider returns the provider of agents of that name, or nil.
func (a *Agents) provider(name string) *acp.Provider {
	if name != acp.API {
		return nil
	}
	p, _ := a.Provider(name)
	agents, _ := p.(*acp.Provider)
	return agents
}

// Configured reports whether there are agents here.
func (a *Agents) Configured() bool { return a.provider(acp.API) != nil }

// Run reports whether the agent of a dialog runs, here or in another process.
func (a *Agents) Run(p *project.Project, id string) bool {
	a.mu.Lock()
	s := a.running[hub.Key{Project: p.Name(), Dialog: id}]
	a.mu.Unlock()
	return s != nil || p.AgentRuns(id)
}

// Yield ends what a turn of that dialog awaits beside a call that waits for a human
// (Partner.AwaitApproved). It reports whether there was such a turn.
func (a *Agents) Yield(key hub.Key) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.running[key]
	if s == nil || s.yield == nil {
		return false
	}
	s.yield()
	s.yield = nil
	return true
}

// Info describes an agent that runs, for tests.
type Info struct {
	Key      hub.Key
	Mode     string // that it says that it is in
	Calls    int    // that are kept in mind
	Bytes    int    // that are kept of them
	Awaiting bool   // Yield would end what a turn awaits
}

// Running describes the agents that run. Of one that a turn has claimed the calls
// are not counted.
func (a *Agents) Running() (all []Info) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range a.running {
		i := Info{Key: s.key, Awaiting: s.yield != nil}
		if m := s.mode.Load(); m != nil {
			i.Mode = m.id
		}
		if !s.claimed {
			i.Calls = len(s.calls)
			for _, c := range s.calls {
				i.Bytes += len(c.now.RawInput) + len(c.now.Content) + len(c.now.RawOutput) + len(c.now.Locations)
			}
		}
		all = append(all, i)
	}
	return all
}

// setYield sets what Yield calls, nil for nothing.
func (a *Agents) setYield(s *session, yield context.CancelFunc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s.yield = yield
}

// claim claims the agent of a dialog, if one runs here and no turn has it; if s is not
// nil, only that one.
func (a *Agents) claim(key hub.Key, s *session) *session {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.running[key]
	if now == nil || now.claimed || s != nil && now != s {
		return nil
	}
	now.claimed = true
	now.idle.Stop()
	return now
}

// release gives a session back that a turn has claimed. keep is false if it ends now.
func (a *Agents) release(s *session, keep bool) {
	a.mu.Lock()
	s.claimed = false
	if keep = keep && !a.closed; keep {
		s.idle.Reset(agentIdle)
	}
	a.mu.Unlock()
	if !keep || s.proc.Ended() {
		a.end(s)
	}
}

// end ends an agent and returns when nothing that it started is left.
func (a *Agents) end(s *session) {
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
		grace, cancel := context.WithTimeout(context.Background(), agentGrace)
		s.proc.Flush(grace)
		cancel()
		s.proc.Kill(agentGrace)
		s.outside.End()
		s.leave()
		a.mu.Lock()
		if a.running[s.key] == s {
			delete(a.running, s.key)
		}
		a.mu.Unlock()
		s.lock.Release()
	})
}

// End ends the agent of a dialog that is about to be deleted, if one runs here and no
// turn has claimed it.
func (a *Agents) End(p *project.Project, id string) {
	if s := a.claim(hub.Key{Project: p.Name(), Dialog: id}, nil); s != nil {
		a.end(s)
	}
}

// EndAll ends the agents of a project, or of all for nil, that no turn has claimed.
func (a *Agents) EndAll(p *project.Project) {
	a.mu.Lock()
	var free []*session
	for _, s := range a.running {
		if !s.claimed && (p == nil || s.p == p) {
			s.claimed = true
			free = append(free, s)
		}
	}
	a.mu.Unlock()
	var all sync.WaitGroup
	for _, s := range free {
		all.Go(func() { a.end(s) }) // it waits, and can't panic
	}
	all.Wait()
}

// Close makes Release end agents from here on.
func (a *Agents) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
}

// serve reads what an agent sends until it ends.
func (a *Agents) serve(s *session) {
	a.mu.Lock()
	a.running[s.key] = s
	a.mu.Unlock()
	caught.Go(a.Log, "the connection to an agent", func() {
		defer s.proc.Kill(agentGrace) // also one that only closed its output
		defer close(s.deaf)
		s.proc.Serve()
	})
	caught.Go(a.Log, "waiting for the end of an agent", func() { a.watch(s) })
}

// watch ends an agent that no turn has claimed when its process has ended, it was idle for
// too long, or another program has ended its dialog. The calls that it asked for lapse. A
// turn that has claimed it sees the end in the order of the messages.
func (a *Agents) watch(s *session) {
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
		if a.claim(s.key, s) != nil {
			a.end(s)
			a.Ended(s.p, s.key.Dialog)
			return
		}
		if s.proc.Ended() { // the turn ends it
			return
		}
	}
}
