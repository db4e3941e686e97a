package turn

import (
	"context"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/history"
	"vibey/server/hub"
	"vibey/server/turn/agent"
	"vibey/server/turn/record"
)

// model is the partner that keeps nothing between two requests.
type model struct{ t *turn }

func (m model) Ask() error                    { return m.t.processRounds() }
func (model) CatchUp() (over bool, err error) { return false, nil }
func (model) Drain() error                    { return nil }
func (model) AwaitApproved() error            { return record.ErrWaiting }
func (m model) Finish() error                 { return m.t.denyWaiting() }
func (model) Cancel() error                   { return nil }
func (model) Runs(*grant.Call) bool           { return false }
func (model) Begin(*grant.Call) (bool, error) { return false, nil }
func (model) Answered()                       {}
func (model) Unsent() bool                    { return false }
func (model) Release()                        {}
func (model) Hash(_ *grant.Call, named func(string) (string, bool)) func(string) (string, bool) {
	return named
}

// claim makes the dialog's agent the partner, if it has one, claims the process, if that
// runs, and returns it, or nil. Release gives the process back.
func (t *turn) claim() *agent.Partner {
	if !t.hasAgent() {
		return nil
	}
	a := t.r.agents.Partner(t.host())
	t.partner = a
	return a
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
		Pictures: func(sees bool) (map[string][]byte, error) {
			tail := func(h history.History) []history.Item { return h.Items[h.Stable:] }
			return t.requestPictures("", "", func() bool { return sees }, tail) // asked of each: no name is of an agent that ran before
		},
		Append: t.append, AppendResponse: t.appendResponse, AppendSystem: t.appendSystem, Response: t.target,
		Publish: func(e hub.Event) { t.hub.Publish(e) },
		Answer:  t.executeToolCalls, DenyWaiting: t.denyWaiting, Env: t.env, Tools: t.set,
		RunHere: func(c *grant.Call, within string) error {
			return t.runHere(c, t.r.w.Now(), dialog.Field{Key: "Within", Value: within})
		},
		Deed: func() (string, error) {
			err := t.findDeed()
			return t.deed, err
		},
	}
}
