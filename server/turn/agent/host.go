package agent

import (
	"context"
	"fmt"
	"slices"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/history"
	"vibey/provider/acp"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/server/turn/record"
	"vibey/tools"
)

// Host is the turn as its agent sees it: the only way in which an agent reads and writes
// the dialog, and runs what it asked for.
type Host struct {
	Project *project.Project
	ID      string // the dialog's
	ByHuman bool   // a human's prompt, or Continue, began the turn
	Prompt  bool   // the request has a prompt

	Context func() context.Context // of all that the turn does
	Status  func() dialog.Status
	Dialog  func() *dialog.Dialog
	Calls   func() []grant.Call // the open ones
	Grants  func() grant.Grants
	History func() history.History
	// Pictures returns the bytes of the pictures behind the last answer, by their SHA-256, if
	// the agent sees any. Those that can't be shown it withdraws first.
	Pictures func(sees bool) (map[string][]byte, error)
	Refresh  func() error // reads what another program saved

	Append         func(...dialog.Section) error
	AppendResponse func([]dialog.Section) error
	AppendSystem   func() error // the System section, if the file has none
	Response       func() record.Target
	Publish        func(hub.Event)

	Answer      func() error // runs what may run; record.ErrWaiting if a human has to decide
	DenyWaiting func() error // the calls that wait
	RunHere     func(c *grant.Call, within string) error
	Env         func(*grant.Call) (tools.Env, error)
	Tools       func() *tools.Set
	Deed        func() (string, error) // where it leads
}

// Partner is the agent of a dialog, for one turn.
type Partner struct {
	turn     *Host
	all      *Agents
	s        *session // that this turn has claimed, nil for none
	prefixes history.Prefixes
}

// agentNamed returns the provider of agents that the dialog's next message goes to and the
// agent's name, or nil.
func (p *Partner) agentNamed() (agents *acp.Provider, agent string) {
	name, model := p.turn.Dialog().Model()
	return p.all.provider(name), model
}

// Blind reports whether the agent runs, and takes no pictures.
func (p *Partner) Blind() bool { return p.s != nil && !p.s.images }

// busySession returns the claimed session if a prompt is under way at it, else nil.
func (p *Partner) busySession() *session {
	if p.s == nil || !p.s.busy {
		return nil
	}
	return p.s
}

// End ends the agent that this turn has claimed, if any.
func (p *Partner) End() {
	if s := p.s; s != nil {
		p.s = nil
		p.all.end(s)
	}
}

// Release gives the agent back at the end of the turn. It lives on while a human decides
// or may go on soon, and ends otherwise.
func (p *Partner) Release() {
	if s := p.s; s != nil {
		p.s = nil
		p.all.release(s, p.turn.Status() == dialog.Waiting && (!s.busy || len(s.asks) > 0) && p.all.Context.Err() == nil)
	}
}

// Runs reports whether a call runs at the agent: its result comes from there.
func (p *Partner) Runs(c *grant.Call) bool {
	if !c.Agent || !c.Started || p.s == nil {
		return false
	}
	if slices.ContainsFunc(p.s.terms, func(term *terminal) bool { return term.call == c.ID && !term.ended }) {
		return true
	}
	for _, a := range p.s.calls {
		if slices.ContainsFunc(a.runs, func(r running) bool { return r.id == c.ID }) {
			return true
		}
	}
	return false
}

// Hash is the hash by which a write of the agent's finds a file changed: that of what it
// has read by us, or else what the dialog's results name.
func (p *Partner) Hash(c *grant.Call, named func(path string) (string, bool)) func(path string) (string, bool) {
	if !c.Agent || p.s == nil {
		return named
	}
	s := p.s
	return func(path string) (string, bool) {
		if sha, ok := s.read[path]; ok {
			return sha, true
		}
		return named(path)
	}
}

// Answered answers the agent's requests whose calls have their result by now: what stands
// in the file is what the agent gets.
func (p *Partner) Answered() {
	if p.s == nil {
		return
	}
	d := p.turn.Dialog()
	for _, a := range slices.Clone(p.s.asks) {
		if i := d.Find(dialog.ToolResult, a.id); i >= 0 {
			p.takeAsk(a.id)
			a.answer(&d.Sections[i], p.s.read)
		}
	}
}

// takeAsk takes the request off that waits for a call, nil for none.
func (p *Partner) takeAsk(id string) *question {
	if p.s == nil {
		return nil
	}
	i := slices.IndexFunc(p.s.asks, func(a *question) bool { return a.id == id })
	if i < 0 {
		return nil
	}
	a := p.s.asks[i]
	p.s.asks = slices.Delete(p.s.asks, i, i+1)
	return a
}

// openCall returns the call of that id which has no result yet.
func (p *Partner) openCall(id string) (grant.Call, bool) {
	return grant.Find(p.turn.Calls(), id)
}

// result makes the result of a call.
func (p *Partner) result(c grant.Call, status, json string, more ...dialog.Field) dialog.Section {
	return record.Result(p.turn.Dialog(), p.all.Now(), c, status, json, more...)
}

// fail appends the result of a call that did not run, or whose end is not known.
func (p *Partner) fail(c grant.Call, why string) error {
	return p.appendResults([]dialog.Section{p.result(c, dialog.CallError, record.Failure(why))})
}

// appendResults appends results, and answers the agent's requests for them.
func (p *Partner) appendResults(secs []dialog.Section) error {
	err := p.turn.Append(secs...)
	if err == nil {
		p.Answered()
	}
	return err
}

// failCalls gives all open calls of the agent that failure as their result.
func (p *Partner) failCalls(why string) error {
	var secs []dialog.Section
	for _, c := range p.turn.Calls() {
		if c.Agent {
			secs = append(secs, p.result(c, dialog.CallError, record.Failure(why)))
		}
	}
	return p.appendResults(secs)
}

// note appends a Note. newNote makes one.
func (p *Partner) note(kind, to, text string, more ...dialog.Field) error {
	return p.turn.Append(p.newNote(0, kind, to, text, more...))
}

func (p *Partner) newNote(skip int, kind, to, text string, more ...dialog.Field) dialog.Section {
	return record.Note(p.turn.Dialog(), p.all.Now(), skip, kind, to, text, more...)
}

// masked hides this program's secrets in what an agent sends.
func (p *Partner) masked(text string) string { return tools.Masker(p.all.Secrets())(text) }

func keyOf(h *Host) hub.Key { return hub.Key{Project: h.Project.Name(), Dialog: h.ID} }

// soon is the context of one answer by which an agent begins.
func (p *Partner) soon() (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(p.turn.Context(), p.all.StartWait, fmt.Errorf("%w within %v", errAgentSilent, p.all.StartWait))
}
