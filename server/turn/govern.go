package turn

import (
	"slices"

	"vibey/dialog"
	"vibey/dialog/governor"
	"vibey/dialog/grant"
	"vibey/dialog/history"
	"vibey/server/hub"
	"vibey/server/turn/record"
	"vibey/server/view"
)

// governed is what the governor says of a turn. The rules are those of doc-main.md as
// it stands when the request comes, and hold until the turn is over; all else is
// derived from the dialog.
type governed struct {
	rules *grant.Rules // nil until they are asked for
	judge *governor.Judge

	budget governor.Budget // as it was published last
	phase  governor.Phase
}

// projectRules reads the rules of the project, once a turn.
func (t *turn) projectRules() (grant.Rules, error) {
	if t.gov.rules == nil {
		doc, err := t.in.Project.LeadingDoc()
		if err != nil {
			return grant.Rules{}, err
		}
		rules, _ := grant.ParseRules(doc.Content, t.r.Names())
		t.gov.rules = &rules
	}
	return *t.gov.rules, nil
}

// judged is the governor's judgement of the dialog as it stands.
func (t *turn) judged() (*governor.Judge, error) {
	d := t.dialog() // an edited file's text has a judge of its own
	if t.gov.judge == nil {
		rules, err := t.projectRules()
		if err != nil {
			return nil, err
		}
		t.gov.judge = t.r.Judge(d, rules)
	}
	t.gov.judge.Extend(d)
	return t.gov.judge, nil
}

// appendNotes appends the governor's Notes, in one append.
func (t *turn) appendNotes(notes []governor.Note) error {
	secs := make([]dialog.Section, len(notes))
	for i, n := range notes {
		secs[i] = record.Judged(t.dialog(), t.r.w.Now(), i, n)
	}
	if err := t.append(secs...); err != nil {
		return err
	}
	for _, n := range notes {
		switch n.Kind {
		case "mistake":
			t.publish(hub.MistakeEvent, history.RawJSON(n.JSON))
		case "phase":
			t.publishPhase(governor.Phase(n.Meta.Get("Phase")))
		}
	}
	return nil
}

func (t *turn) publish(typ string, data any) { t.hub.Publish(hub.Event{Type: typ, Data: data}) }

// publishStanding publishes the rounds that are used, once there is one or they are used
// up, and the phase, each only if it has changed since the last time.
func (t *turn) publishStanding(j *governor.Judge) {
	if b := j.Budget(); b != t.gov.budget && (b.Used > 0 || j.Stopped() == governor.StopBudget) {
		t.gov.budget = b
		t.publish(hub.BudgetEvent, view.Rounds{Used: b.Used, Limit: b.Limit})
	}
	if p := j.Phase(); p != t.gov.phase {
		t.publishPhase(p)
	}
}

func (t *turn) publishPhase(p governor.Phase) {
	t.gov.phase = p
	t.publish(hub.PhaseEvent, struct {
		Phase governor.Phase `json:"phase"`
		Label string         `json:"label"`
	}{p, p.Label()})
}

// held reports whether the governor keeps a dialog from being done: it stopped the
// turn, or what the turn changed is not verified.
func (t *turn) held() bool {
	j, err := t.judged()
	return err != nil || j.Stopped() != "" || j.Unverified()
}

// refusal is the result of an open call that a rule refuses, before a human is asked
// about it.
func (t *turn) refusal(c grant.Call) (dialog.Section, bool, error) {
	if t.ofBefore(&c) {
		return dialog.Section{}, false, nil
	}
	j, err := t.judged()
	if err != nil {
		return dialog.Section{}, false, err
	}
	runsReadOnly := (c.Tool == "run_command" || c.Tool == "start_server") && t.r.w.Sandbox.HoldsReadOnly()
	// A tried command changes nothing by itself, and its effect is the mutation that it is.
	why, refused := j.Refuses(c.Tool, c.Effect == nil && (runsReadOnly || c.Tried))
	if !refused {
		return dialog.Section{}, false, nil
	}
	return t.result(c, dialog.CallError, record.Failure(why.Text), dialog.Fields{{Key: "Refused", Value: why.Rule}}.With("Failure", why.Failure)...), true, nil
}

// ofBefore reports whether a call was asked for before the last prompt, which it was
// approved with: the rules judged it when it was asked for.
func (t *turn) ofBefore(c *grant.Call) bool {
	return slices.ContainsFunc(t.dialog().Sections[c.Section:], func(s dialog.Section) bool { return s.Role == dialog.User && !s.Torn })
}
