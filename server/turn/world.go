// Package turn is the one loop that joins a dialog's text, a partner and the tools. A turn
// runs from one User section to the next. It owns what a dialog gets while it runs: whatever
// a turn does is on disk first, then in memory, then at the hub's watchers (turn.append).
//
//	runner := turn.New(&turn.World{…})
//	sub, err := runner.Start(ctx, turn.Input{Project: p, Provider: "claude", Prompt: &turn.Prompt{Text: "hi"}})
//	for batch, ok := sub.Next(ctx); ok; batch, ok = sub.Next(ctx) { … }
//
// Begin with loop.go: processTurn carries out the steps of a request (gates.go), asks the
// partner, and goes on while mail comes; processRounds asks a model, round for round:
// requestModel, then executeToolCalls, which runs what may run (runCall) and stops at a call
// that waits for a human. Before it Runner.Put passes the gates (gates.go), and begin writes
// what the request itself brings (appendPrompt); after it endTurn closes the turn in the
// file. partner.go has what the loop asks of a model and of an agent alike.
package turn

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"vibey/server/hub"
	"vibey/server/project"
	"vibey/server/turn/agent"
	"vibey/server/turn/family"
	"vibey/server/turn/record"
	"vibey/server/view"
	"vibey/tools/codebase"
)

// World is everything a turn reaches beyond its dialog. Its Runner owns Sandbox and MCP: no
// other Runner uses them, and Runner.Shutdown ends what runs in them.
type World struct {
	view.World
	// Providers names those that can be asked.
	Providers func() []string
	// ServerHome makes and names the HOME of an MCP server that has a key or the network.
	// No command of the project sees it. It is nil if there is none.
	ServerHome func(project, server string) (string, error)
	// AgentDir makes and names the empty folder in which the agent of a dialog starts, and
	// returns what removes it: no tool and no command writes there. AgentPath is the PATH
	// by which the agent, and what it starts, is found.
	AgentDir  func(project, dialogID string) (dir string, remove func(), err error)
	AgentPath func() string
	// Secrets are the provider keys, which no result may hold.
	Secrets func() []string
}

// Runner runs turns: at most one a dialog, each in a goroutine of its own.
type Runner struct {
	*view.Reader // of the same dialogs

	w      *World
	ctx    context.Context // ends all turns
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup

	mu      sync.Mutex
	running map[hub.Key]*turn
	agents  *agent.Agents
	sights  map[hub.Key]*sight
	// endAll ends agents and servers; a test hangs in it.
	endAll   func()
	stopping bool

	fitting sync.Mutex // held while a picture is scaled

	families family.Families
	deeds    codebase.Cache
}

// Running reports whether a turn of that dialog runs in this process.
func (r *Runner) Running(project, id string) bool { return r.find(project, id) != nil }

func (r *Runner) find(project, id string) *turn {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.running[hub.Key{Project: project, Dialog: id}]
}

// hub returns the hub of the turn that runs in a dialog, nil for none.
func (r *Runner) hub(key hub.Key) *hub.Hub {
	if t := r.find(key.Project, key.Dialog); t != nil {
		return t.hub
	}
	return nil
}

// begin registers a turn; after it, others find the dialog running.
func (r *Runner) begin(t *turn) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.free(t.key()); err != nil {
		return err
	}
	r.running[t.key()] = t
	r.wg.Add(1)
	return nil
}

func (r *Runner) end(t *turn) {
	r.mu.Lock()
	delete(r.running, t.key())
	r.mu.Unlock()
	r.wg.Done()
}

// StopProject ends all turns and servers of a project and waits until nothing
// of them is left.
func (r *Runner) StopProject(ctx context.Context, p *project.Project) error {
	turns := r.ofProject(p)
	for _, t := range turns {
		t.cancel(record.ErrDeleted)
	}
	for _, t := range turns {
		if err := t.wait(ctx); err != nil {
			return err
		}
	}
	r.agents.EndAll(p)
	r.w.MCP.Close(p.Root().Name())
	r.w.Sandbox.StopServers(p.Root().Name())
	r.families.Forget(p.Name())
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.sights, func(k hub.Key, _ *sight) bool { return k.Project == p.Name() })
	return nil
}

// Wait returns when no turn of a project runs in this process, those that were
// launched meanwhile too, or when ctx ends.
func (r *Runner) Wait(ctx context.Context, p *project.Project) error {
	for {
		turns := r.ofProject(p)
		if len(turns) == 0 {
			return nil
		}
		for _, t := range turns {
			if err := t.wait(ctx); err != nil {
				return err
			}
		}
	}
}

// ofProject returns the turns of a project that run now.
func (r *Runner) ofProject(p *project.Project) (turns []*turn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.running {
		if t.in.Project == p {
			turns = append(turns, t)
		}
	}
	return turns
}

// Shutdown ends all turns, each closed in its file as interrupted, and lets no
// new one begin; then it ends agents and servers. It returns an error if ctx ends before
// the turns are closed, or ErrLate.
func (r *Runner) Shutdown(ctx context.Context) error {
	r.mu.Lock()
	r.stopping = true
	r.mu.Unlock()
	r.agents.Close()
	r.cancel(record.ErrShutdown)
	var err error
	if !within(ctx.Done(), r.wg.Wait) {
		err = ctx.Err()
	}
	if !within(time.After(endMost), r.endAll) && err == nil { // also if a turn hangs: what runs here ends with the process
		err = ErrLate
	}
	return err
}

// ErrLate is of Shutdown: the turns are closed, and the rest takes longer than endMost. It
// ends with the process.
var ErrLate = errors.New("an agent or a server did not end in time")

// endMost is how long Shutdown waits for the end of agents and servers: they are killed, and on
// a machine under load that alone has taken more than a second.
const endMost = 5 * time.Second

// within calls f, which can't panic, and reports whether it returned before over fired.
func within[T any](over <-chan T, f func()) bool {
	done := make(chan struct{})
	go func() { f(); close(done) }()
	select {
	case <-done:
		return true
	case <-over:
		return false
	}
}

// free returns why no turn can begin in a dialog now, or nil. The caller must hold r.mu.
func (r *Runner) free(key hub.Key) error {
	switch {
	case r.stopping:
		return refuse(ErrStopping, "the server is stopping; start it again and send this once more")
	case r.running[key] != nil:
		return activeRefusal()
	}
	return nil
}

func activeRefusal() error {
	return refuse(ErrActive, "this dialog is working. Wait until it is done, or stop it first (status \"waiting\")")
}

// busyRefusal refuses a request to a dialog whose file is locked: by a turn of
// this process, or by another process, in which nothing can be stopped from here. busy is
// the error of its lock.
func busyRefusal(in Input, busy error) error {
	if in.Project.Holds(in.DialogID) {
		return activeRefusal()
	}
	return refuse(ErrActive, "%s is writing this dialog. Nothing was changed. Stop it there, or wait until it ends", project.HolderOf(busy))
}

// How long to wait for a lock that is held: noteWait if another may be writing a section of
// its own, or a turn of another process runs, which is to be refused soon; settleWait if
// only such moments can hold it.
const (
	noteWait   = 100 * time.Millisecond
	settleWait = 2 * time.Second
)

// open opens the dialog of a request for a turn, if one could begin now. A turn that yields
// is over then.
func (r *Runner) open(ctx context.Context, in Input) (*project.DialogFile, error) {
	key := hub.Key{Project: in.Project.Name(), Dialog: in.DialogID}
	if t := r.find(key.Project, key.Dialog); t != nil {
		r.yield(ctx, in, t)
	}
	r.mu.Lock()
	err := r.free(key)
	r.mu.Unlock()
	if err == nil {
		err = r.deed(in.Project)
	}
	if err != nil {
		return nil, err
	}
	return openSoon(ctx, in, noteWait)
}

// openSoon opens the dialog of a request. It refuses a lock that is held for longer than most.
func openSoon(ctx context.Context, in Input, most time.Duration) (f *project.DialogFile, err error) {
	err = soon(ctx, in, most, func() error { f, err = in.Project.OpenDialog(in.DialogID); return err })
	return f, err
}

// soon calls do until it does not find the dialog's lock held, for about as long as most.
// Then it refuses the request.
func soon(ctx context.Context, in Input, most time.Duration, do func() error) error {
	for wait := time.Millisecond; ; wait *= 2 {
		err := do()
		switch {
		case !errors.Is(err, project.ErrBusy):
			return err
		case wait > most/2:
			return busyRefusal(in, err)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// deed refuses a turn in a project whose deed leads to a folder that agents must not write,
// before anything of the turn stands in a file. A missing deed is no error: the first call
// makes it, or fails if it is a link to nowhere.
func (r *Runner) deed(p *project.Project) error {
	if _, err := p.DeedDir(); errors.Is(err, project.ErrLeads) {
		return err
	}
	return nil
}

// yield ends a turn in which nothing happens but what AwaitApproved waits for: the human's
// request may be what the agent waits for. It reports whether the turn is over, which it is
// soon.
func (r *Runner) yield(ctx context.Context, in Input, t *turn) (over bool) {
	if in.By != "" || !r.agents.Yield(t.key()) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, settleWait)
	defer cancel()
	return t.wait(ctx) == nil
}
