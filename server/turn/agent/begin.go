package agent

import (
	"encoding/json"
	"strings"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/jsontext"
	"vibey/provider/acp"
	"vibey/server/turn/record"
)

// Begin lets a call run that the agent asked for; began is false for one that
// runs here. The Note that it started stands in the file.
func (p *Partner) Begin(c *grant.Call) (began bool, err error) {
	if !c.Agent {
		return false, nil
	}
	a := p.takeAsk(c.ID)
	switch {
	case a == nil:
		return true, p.turn.Append(p.result(*c, dialog.CallError, record.Failure(record.AgentEnded)))
	case a.tool != c.Tool || a.sha256 != c.SHA256:
		// The file was edited while the call waited: what was approved is not what the agent asked.
		a.refuse()
		return true, p.turn.Append(p.result(*c, dialog.CallError, record.Failure(record.ChangedCall)))
	case a.term != nil:
		return true, p.startTerminal(c, a)
	case a.options == nil:
		p.s.asks = append(p.s.asks, a) // answered with the result
		return false, nil
	}
	chosen := acp.Choose(a.options, acp.AllowOnce)
	if chosen == acp.Cancelled {
		a.req.Reply(acp.PermissionResult{Outcome: chosen})
		return true, p.turn.Append(p.result(*c, dialog.CallError, record.Failure(noAllowOnce)))
	}
	a.call.runs = append(a.call.runs, running{id: c.ID, asked: true, targets: a.targets, used: map[string]bool{}})
	a.req.Reply(acp.PermissionResult{Outcome: chosen})
	return true, nil
}

// runWithin runs a call of ours that a human approved as a part of the agent's call
// within.
func (p *Partner) runWithin(c *grant.Call, within string) error {
	if err := p.note("started", "", c.Tool+" started.", dialog.Field{Key: "Parent", Value: c.ID}); err != nil {
		return err
	}
	if began, err := p.Begin(c); began || err != nil {
		return err
	}
	return p.turn.RunHere(c, within)
}

// covers returns the request of a call that runs, which a human approved by its id and
// whose bytes the condition holds for, and what stood at path when the human was asked.
// It covers once: what the agent does again is asked again.
func (x *exchange) covers(holds func(approved) bool, path string) (id string, at grant.Target, ok bool) {
	d := x.turn.Dialog()
	decisions := x.turn.Grants().Decisions
	for _, c := range x.s.calls {
		for _, r := range c.runs {
			l, i := decisions[r.id], d.Find(dialog.ToolRequest, r.id)
			if !r.asked || r.used[path] || i < 0 || l.Verb != grant.Approve || l.SHA256 != grant.InputHash(d.Sections[i].Text()) {
				continue
			}
			at, looked := r.targets[path]
			if path != "" && !looked {
				continue // what the human was shown of it is not what stands there
			}
			if holds(approved{d.Sections[i].Text()}) {
				r.used[path] = true
				return r.id, at, true
			}
		}
	}
	return "", grant.Target{}, false
}

// approved is the payload of a call that a human approved.
type approved struct{ payload string }

// memberOf returns the member of an object that has exactly that name. ok is false if
// there is none, or if another one could be read in its place: what a human was shown
// would not be certain.
func memberOf(object json.RawMessage, name string) (value json.RawMessage, ok bool) {
	members, err := jsontext.Members(object)
	if err != nil {
		return nil, false
	}
	n := 0
	for _, m := range members {
		if strings.EqualFold(m.Name, name) {
			value, ok = m.Value, m.Name == name
			n++
		}
	}
	return value, ok && n == 1
}

// textMember is memberOf for a JSON string.
func textMember(object json.RawMessage, name string) (s string, ok bool) {
	value, ok := memberOf(object, name)
	return s, ok && json.Unmarshal(value, &s) == nil && !jsontext.LoneSurrogate(value)
}
