package turn

import (
	"context"

	"vibey/dialog"
	"vibey/provider/acp"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/server/turn/agent"
	"vibey/server/turn/record"
	"vibey/tools"
)

// partner answers a dialog's prompts. There are two: model, which is asked over HTTP and
// does nothing in between, and agent.Partner, a process that asks back.
type partner interface {
	// Check fails the calls whose agent has ended. elsewhere reports that the open calls can
	// only be answered by another process.
	Check() (elsewhere bool, err error)
	// Ask asks until nothing is left to ask, or a human has to decide: record.ErrWaiting.
	Ask() error
	// CatchUp takes what was sent since the last turn; over reports that the prompt has ended.
	CatchUp() (over bool, err error)
	// Drain is CatchUp before the human goes on to something else.
	Drain() error
	// AwaitApproved waits for the end of approved calls beside one that waits for a human.
	AwaitApproved() error
	// Finish waits for the end of approved calls and denies all others.
	Finish() error
	// Cancel ends the prompt that is under way. Stop does so for a human who stops it.
	Cancel() error
	Stop() error
	// Runs reports whether the result of a call comes from the partner.
	Runs(*dialog.Call) bool
	// Begin lets a call run; began is false for one that runs here.
	Begin(*dialog.Call) (began bool, err error)
	// Answered is called when results stand in the file.
	Answered()
	// Hash is the hash that a call's write of a file is for.
	Hash(c *dialog.Call, named func(path string) (string, bool)) func(path string) (string, bool)
	// Unsent reports whether mail that wakes came too late for the last prompt.
	Unsent() bool
	// Release gives the process back at the end of the turn, End ends it.
	Release()
	End()
}

// model is the partner that keeps nothing between two requests.
type model struct{ t *turn }

func (m model) Ask() error                       { return m.t.processRounds() }
func (model) Check() (elsewhere bool, err error) { return false, nil }
func (model) CatchUp() (over bool, err error)    { return false, nil }
func (model) Drain() error                       { return nil }
func (model) AwaitApproved() error               { return record.ErrWaiting }
func (m model) Finish() error                    { return m.t.denyWaiting() }
func (model) Cancel() error                      { return nil }
func (model) Stop() error                        { return nil }
func (model) Runs(*dialog.Call) bool             { return false }
func (model) Begin(*dialog.Call) (bool, error)   { return false, nil }
func (model) Answered()                          {}
func (model) Unsent() bool                       { return false }
func (model) Release()                           {}
func (model) End()                               {}
func (model) Hash(_ *dialog.Call, named func(string) (string, bool)) func(string) (string, bool) {
	return named
}

// claim chooses the partner of the dialog as it stands, and claims its process, if one
// runs. Release gives it back.
func (t *turn) claim() {
	t.claimed = true
	if a := t.r.agents.Partner(host{t}); a != nil {
		t.partner = a
	}
}

// speaksToAgent reports whether the message of this request goes to an agent, also if none
// is defined any more.
func (t *turn) speaksToAgent() bool {
	name := t.in.Provider
	if name == "" {
		name, _ = t.dialog().Model()
	}
	return name == acp.API
}

// host is the turn as an agent sees it.
type host struct{ *turn }

var _ agent.Host = host{}

func (h host) Context() context.Context                { return h.ctx }
func (h host) Project() *project.Project               { return h.in.Project }
func (h host) ID() string                              { return h.f.ID() }
func (h host) Status() dialog.Status                   { return h.f.Status() }
func (h host) Dialog() *dialog.Dialog                  { return h.dialog() }
func (h host) Calls() []dialog.Call                    { return h.calls() }
func (h host) Grants() dialog.Grants                   { return h.gr.Extend(h.dialog()) }
func (h host) Refresh() error                          { return h.refresh() }
func (h host) Append(secs ...dialog.Section) error     { return h.append(secs...) }
func (h host) AppendResponse(s []dialog.Section) error { return h.appendResponse(s) }
func (h host) AppendSystem() error                     { return h.appendSystem() }
func (h host) Response() record.Target                 { return h.target() }
func (h host) Publish(e hub.Event)                     { h.hub.Publish(e) }
func (h host) Answer() error                           { return h.executeToolCalls() }
func (h host) DenyWaiting() error                      { return h.denyWaiting() }
func (h host) Env(c *dialog.Call) (tools.Env, error)   { return h.env(c) }
func (h host) Tools() *tools.Set                       { return h.set() }

func (h host) Deed() (string, error) {
	err := h.findDeed()
	return h.deed, err
}

func (h host) History() dialog.History {
	h.b.Extend(h.dialog())
	return h.b.History()
}

func (h host) Request() (byHuman, prompt bool) {
	prompt = h.in.Prompt != nil
	return h.in.By == "" && (h.in.Continue || prompt), prompt
}

func (h host) RunHere(c *dialog.Call, within string) error {
	return h.runHere(c, h.r.w.Now(), dialog.Field{Key: "Within", Value: within})
}

// BeforeCommand appends what stood uncommitted, if a commit may follow. Meanwhile the file
// may have been edited.
func (h host) BeforeCommand(c *dialog.Call, env tools.Env) (ok bool, err error) {
	if env.Committed == nil {
		return true, nil
	}
	if asked, err := h.noteUncommitted(env, tools.See(env)); err != nil || !asked {
		return err == nil, err
	}
	if _, ok, err := h.stillApproved(c); err != nil || ok {
		return ok, err
	}
	return false, h.notRun(c)
}
