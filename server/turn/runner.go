package turn

import (
	"context"
	"errors"
	"slices"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/provider"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/server/turn/agent"
	"vibey/server/turn/record"
	"vibey/server/view"
)

// New returns a runner with no turn running.
func New(w *World) *Runner {
	ctx, cancel := context.WithCancelCause(context.Background())
	r := &Runner{w: w, ctx: ctx, cancel: cancel, running: make(map[hub.Key]*turn), sights: make(map[hub.Key]*sight)}
	r.agents = agent.New(agent.Config{
		Context: ctx, Authority: func(project, id string) grant.Authority { return r.Authority(project, id) }, Log: w.Log,
		Provider: func(name string) (provider.Provider, bool) { return w.Provider(name) },
		Dir:      func(project, id string) (string, func(), error) { return w.AgentDir(project, id) },
		Path:     func() string { return w.AgentPath() },
		Secrets:  func() []string { return w.Secrets() },
		Now:      func() time.Time { return w.Now() },
		Ended:    func(p *project.Project, id string) { r.failOrphaned(p, id) },
	})
	r.endAll = func() {
		r.agents.EndAll(nil)
		w.MCP.Close("")
		w.Sandbox.End()
	}
	r.Reader = view.NewReader(ctx, &w.World, view.Turns{Hub: r.hub, HasAgent: r.agents.Run, FailOrphaned: r.failOrphaned})
	return r
}

// Draft creates a waiting dialog without a word in it.
func (r *Runner) Draft(ctx context.Context, in Input) (view.State, error) {
	if err := in.Check(); err != nil {
		return view.State{}, err
	}
	f, err := r.create(ctx, in, dialog.Waiting, nil)
	if err != nil {
		return view.State{}, err
	}
	defer f.Close()
	return r.StateOf(in.Project, f), nil
}

// Start creates a dialog and runs its first turn. The first event of the
// stream is the User section; a control that comes with it stands before that.
func (r *Runner) Start(ctx context.Context, in Input) (*hub.Sub, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	if in.Prompt == nil {
		return nil, refuse(ErrInput, "a new dialog that runs needs a prompt; to create a draft, POST …/dialog/new")
	}
	if err := r.deed(in.Project); err != nil {
		return nil, err
	}
	on, err := in.passages()
	if err != nil {
		return nil, err
	}
	f, err := r.create(ctx, in, dialog.Active, nil)
	if err != nil {
		return nil, err
	}
	return r.prompt(f, in, in.author(), on...)
}

// Put changes an existing dialog. With a stream something runs; without one the
// state is the answer.
func (r *Runner) Put(ctx context.Context, in Input) (st view.State, sub *hub.Sub, err error) {
	if err = in.Check(); err != nil {
		return st, nil, err
	}
	switch {
	case in.titleAlone():
		st, err = r.retitle(ctx, in)
		return st, nil, err
	case in.statusAlone():
		st, err = r.setStatus(ctx, in)
		return st, nil, err
	case in.Prompt == nil && in.Control == nil && !in.Continue && !in.Compact:
		return st, nil, refuse(ErrInput, "nothing to do: send prompt, control, continue, compact, title or status (a provider or model goes with a prompt)")
	}
	f, err := r.open(ctx, in)
	if err != nil {
		return st, nil, err
	}
	t := r.turn(f, in)
	handed := false // to the turn, which closes the file
	defer func() {
		if !handed {
			t.partner.Release()
			f.Close()
		}
	}()
	for _, pass := range gates {
		if err = pass(t, ctx); err != nil {
			return st, nil, err
		}
	}
	t.todo = t.in.stepsOf(t.calls(), t.decides)
	switch {
	case t.todo.streams():
		handed = true
		sub, err = t.start(false)
	case slices.Contains(t.todo, executeStep):
		handed = true
		st, err = t.finish(ctx)
	default:
		st, err = t.settle()
	}
	return st, sub, err
}

// prompt runs a turn on a new file. by is the author of the prompt: Input.author, or
// the id of the dialog that launched this one.
func (r *Runner) prompt(f *project.DialogFile, in Input, by string, on ...dialog.Passage) (*hub.Sub, error) {
	in.DialogID = f.ID()
	t := r.turn(f, in)
	t.on = on
	t.claim()
	t.by, t.todo = by, steps{promptStep, askStep}
	if err := t.storeControl(t.r.ctx); err != nil {
		t.partner.Release()
		t.discard()
		f.Close()
		return nil, err
	}
	return t.start(true)
}

// failOrphaned answers the calls of a dialog whose agent has ended. If a turn holds the dialog,
// that one does it. It returns false if no results were written, and none will be.
func (r *Runner) failOrphaned(p *project.Project, id string) bool {
	f, err := p.OpenDialog(id)
	if err != nil {
		return errors.Is(err, project.ErrBusy)
	}
	defer f.Close()
	t := r.turn(f, Input{Project: p, DialogID: id})
	if a := t.claim(); a != nil {
		defer a.Release()
		if _, err = a.Check(); err != nil {
			r.w.Log.Warn("the calls of an agent that has ended could not be answered", "project", p.Name(), "dialog", id, "err", err)
		}
	}
	p.SweepAgent(id)
	return err == nil
}

// EndAgent ends the agent of a dialog that is about to be deleted, if one runs here and no
// turn does.
func (r *Runner) EndAgent(p *project.Project, id string) { r.agents.End(p, id) }

// setStatus is a PUT of a status alone: stop, or mark as done or open again.
func (r *Runner) setStatus(ctx context.Context, in Input) (view.State, error) {
	if t := r.find(in.Project.Name(), in.DialogID); t != nil && !r.yield(ctx, in, t) {
		if in.Status == dialog.Done {
			t.cancel(record.ErrFinished)
		} else {
			t.cancel(record.ErrStopped)
		}
		if err := t.wait(ctx); err != nil {
			return view.State{}, err
		}
	}
	f, err := openSoon(ctx, in, settleWait)
	if err != nil {
		return view.State{}, err
	}
	defer f.Close()
	t := r.turn(f, in)
	t.claim()
	defer t.partner.Release()
	if err := t.appendTitle(); err != nil {
		return view.State{}, err
	}
	if in.Status == dialog.Waiting {
		if err := t.partner.Drain(); err != nil {
			return view.State{}, err
		}
		if err := t.partner.Cancel(); err != nil {
			return view.State{}, err
		}
	}
	t.todo = in.stepsOf(t.calls(), false)
	return t.settle()
}

// retitle appends the Note of another title, to a dialog that runs too.
func (r *Runner) retitle(ctx context.Context, in Input) (view.State, error) {
	err := soon(ctx, in, settleWait, func() error {
		return in.Project.Insert(in.DialogID, func(taken func(string) bool) (dialog.Section, bool) {
			return dialog.Retitled(*in.Title, r.w.Now(), taken), true
		})
	})
	if err != nil {
		return view.State{}, err
	}
	v, err := r.View(in.Project, in.DialogID)
	return v.State, err
}
