package turn

import (
	"context"
	"slices"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/history"
	"vibey/provider/acp"
	"vibey/server/hub"
	"vibey/server/turn/agent"
	"vibey/server/turn/record"
	"vibey/tools"
)

// model is the partner that keeps nothing between two requests.
type model struct{ t *turn }

func (m model) Ask() error                       { return m.t.processRounds() }
func (model) Check() (elsewhere bool, err error) { return false, nil }
func (model) CatchUp() (over bool, err error)    { return false, nil }
func (model) Drain() error                       { return nil }
func (model) AwaitApproved() error               { return record.ErrWaiting }
func (m model) Finish() error                    { return m.t.denyWaiting() }
func (model) Cancel() error                      { return nil }
func (model) Runs(*grant.Call) bool              { return false }
func (model) Begin(*grant.Call) (bool, error)    { return false, nil }
func (model) Answered()                          {}
func (model) Unsent() bool                       { return false }
func (model) Release()                           {}
func (model) Hash(_ *grant.Call, named func(string) (string, bool)) func(string) (string, bool) {
	return named
}

// checkPartner claims the partner, and refuses a request about calls whose agent runs in
// another process.
func (t *turn) checkPartner(context.Context) error {
	t.claim()
	elsewhere, err := t.partner.Check()
	if elsewhere {
		return refuse(ErrActive, "the agent of this dialog runs in another program, and only there can it be answered. Nothing was changed. Decide in its window, or stop it there")
	}
	return err
}

// claim makes the dialog's agent the partner, if its text names one or has an open call of
// one, and claims its process, if that runs. Release gives it back.
func (t *turn) claim() {
	if t.namesAgent() || slices.ContainsFunc(t.calls(), func(c grant.Call) bool { return c.Agent }) {
		t.partner = t.r.agents.Partner(t.host())
	}
}

// namesAgent reports whether the dialog's next message goes to an agent.
func (t *turn) namesAgent() bool {
	name, _ := t.dialog().Model()
	return name == acp.API && t.r.agents.Configured()
}

// host is the turn as an agent sees it.
func (t *turn) host() *agent.Host {
	return &agent.Host{
		Project: t.in.Project, ID: t.f.ID(), Prompt: t.in.Prompt != nil,
		ByHuman: t.in.By == "" && (t.in.Continue || t.in.Prompt != nil),
		Context: func() context.Context { return t.ctx },
		Status:  t.f.Status, Dialog: t.dialog, Calls: t.calls, Refresh: t.refresh,
		Grants: func() grant.Grants { return t.gr.Extend(t.dialog()) },
		History: func() history.History {
			t.b.Extend(t.dialog())
			return t.b.History()
		},
		Append: t.append, AppendResponse: t.appendResponse, AppendSystem: t.appendSystem, Response: t.target,
		Publish: func(e hub.Event) { t.hub.Publish(e) },
		Answer:  t.executeToolCalls, DenyWaiting: t.denyWaiting, Env: t.env, BeforeCommand: t.beforeCommand, Tools: t.set,
		RunHere: func(c *grant.Call, within string) error {
			return t.runHere(c, t.r.w.Now(), dialog.Field{Key: "Within", Value: within})
		},
		Deed: func() (string, error) {
			err := t.findDeed()
			return t.deed, err
		},
	}
}

// beforeCommand appends what stood uncommitted, if a commit may follow. Meanwhile the file
// may have been edited: ok is false if the call must not run any more.
func (t *turn) beforeCommand(c *grant.Call, env tools.Env) (ok bool, err error) {
	if env.Committed == nil {
		return true, nil
	}
	if asked, err := t.noteUncommitted(env, tools.See(t.deedEnv())); err != nil || !asked {
		return err == nil, err
	}
	if _, ok, err := t.stillApproved(c); err != nil || ok {
		return ok, err
	}
	return false, t.notRun(c)
}
