package turn

import (
	"slices"

	"vibey/dialog/governor"
	"vibey/provider"
	"vibey/server/turn/brief"
	"vibey/server/turn/record"
)

// extract asks the dialog's own model, once and without tools, what the turn brought
// for the plan, and writes it there as tentative. It is a conversation of its own: the
// dialog's history stays as it is. What came of it is a Note to the human.
func (t *turn) extract() error {
	rules, err := t.projectRules()
	if err != nil || !t.asked || !slices.Contains(rules.Tools, "plan") {
		return err
	}
	turnText, ok := governor.LastTurn(t.dialog())
	if !ok {
		return nil
	}
	name, model := t.dialog().Model()
	p, known := t.r.w.Provider(name)
	if !known || p.API() == "replay" {
		return nil // a recording answers nothing that was not asked when it was made
	}
	start := t.r.w.Now()
	text, spent, err := brief.Extract(t.ctx, p, provider.Request{Provider: name, Model: model}, turnText, t.in.Project, t.f.ID())
	if err != nil || text == "" {
		return err
	}
	n := t.newNote(0, "plan", "human", text)
	spent.MS, spent.Tools = record.Since(start, t.r.w.Now()), 0
	n.Resources = spent
	return t.append(n)
}
