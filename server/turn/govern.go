package turn

import (
	"encoding/json"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/governor"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/server/turn/record"
)

// governed is what the governor says of a turn. The rules are those of doc-main.md as
// it stands when the request comes, and hold until the turn is over; all else is
// derived from the dialog.
type governed struct {
	rules *dialog.Rules // nil until they are asked for
	judge *governor.Judge

	budget governor.Budget // as watchers were told last
	phase  governor.Phase
}

// projectRules reads the rules of the project, once a turn.
func (t *turn) projectRules() (dialog.Rules, error) {
	if t.gov.rules == nil {
		doc, _, err := t.doc()
		if err != nil {
			return dialog.Rules{}, err
		}
		rules, _ := dialog.ParseRules(doc, t.r.names())
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
		t.gov.judge = t.r.judge(d, rules)
	}
	t.gov.judge.Extend(d)
	return t.gov.judge, nil
}

// judge returns a judge of d that has folded nothing yet. A tool that d's model was not
// told of has the class 0.
func (r *Runner) judge(d *dialog.Dialog, rules dialog.Rules) *governor.Judge {
	return governor.New(rules, func(tool string) dialog.Class {
		known, _ := r.sets.of(d).Lookup(tool)
		return known.Class
	})
}

// next judges what follows, appends the Notes that say so, and tells the watchers.
func (t *turn) next() (governor.Next, error) {
	j, err := t.judged()
	if err != nil {
		return governor.Next{}, err
	}
	if j.Spoken() {
		if err := t.tellEffect(); err != nil {
			return governor.Next{}, err
		}
		if j, err = t.judged(); err != nil {
			return governor.Next{}, err
		}
	}
	next := j.Next()
	if err := t.appendNotes(next.Notes); err != nil {
		return next, err
	}
	if j, err = t.judged(); err != nil { // of what stands there now
		return next, err
	}
	t.tellBudget(j)
	t.tellPhase(j)
	return next, nil
}

// appendNotes appends the governor's Notes, in one append.
func (t *turn) appendNotes(notes []governor.Note) error {
	if len(notes) == 0 {
		return nil
	}
	secs := make([]dialog.Section, len(notes))
	for i, n := range notes {
		secs[i] = t.newNote(i, n.Kind, n.To, n.Text, n.Meta...)
		if n.JSON != "" {
			secs[i].Payloads = append(secs[i].Payloads, dialog.Payload{Type: dialog.NoteJSON, Text: n.JSON})
		}
	}
	if err := t.append(secs...); err != nil {
		return err
	}
	for _, n := range notes {
		switch {
		case n.Kind == "mistake":
			t.publish(hub.MistakeEvent, dialog.RawJSON(n.JSON))
		case n.Kind == "phase":
			p := governor.Phase(n.Meta.Get("Phase"))
			t.publish(hub.PhaseEvent, phaseEvent{p, p.Label()})
			t.gov.phase = p
		}
	}
	return nil
}

// The data of the events that tell what the governor does.
type (
	budgetEvent struct {
		Used  int `json:"used"`
		Limit int `json:"limit"`
	}
	phaseEvent struct {
		Phase governor.Phase `json:"phase"`
		Label string         `json:"label"`
	}
)

func (t *turn) publish(typ string, data any) { t.hub.Publish(hub.Event{Type: typ, Data: data}) }

// tellBudget publishes how many rounds are used, once there is one, or one too many,
// where it is another number than the last.
func (t *turn) tellBudget(j *governor.Judge) {
	if b := j.Budget(); b != t.gov.budget && (b.Used > 0 || j.Stopped() == governor.StopBudget) {
		t.gov.budget = b
		t.publish(hub.BudgetEvent, budgetEvent{b.Used, b.Limit})
	}
}

// tellCheckpoint publishes what the model says before it changes anything.
func (t *turn) tellCheckpoint(c *dialog.Call) {
	var said struct {
		Goal     string `json:"goal"`
		Findings string `json:"findings"`
		Proposal string `json:"proposal"`
	}
	if json.Unmarshal([]byte(c.Input), &said) == nil {
		t.publish(hub.CheckEvent, said)
	}
}

// tellPhase publishes the phase that a dialog is in which was begun before.
func (t *turn) tellPhase(j *governor.Judge) {
	if p := j.Phase(); p != t.gov.phase {
		t.gov.phase = p
		t.publish(hub.PhaseEvent, phaseEvent{p, p.Label()})
	}
}

// held reports whether the governor keeps a dialog from being done: it stopped the
// turn, or what the turn changed is not verified.
func (t *turn) held() bool {
	j, err := t.judged()
	return err != nil || j.Stopped() != "" || j.Unverified()
}

// refusal is the result of an open call that a rule refuses, before a human is asked
// about it.
func (t *turn) refusal(c dialog.Call) (dialog.Section, bool, error) {
	if t.ofBefore(&c) {
		return dialog.Section{}, false, nil
	}
	j, err := t.judged()
	if err != nil {
		return dialog.Section{}, false, err
	}
	why, refused := j.Refuses(c.Tool, t.restrains(c.Tool))
	if !refused {
		return dialog.Section{}, false, nil
	}
	return t.result(c, dialog.CallError, record.Failure(why.Text), dialog.Fields{{Key: "Refused", Value: why.Rule}}.With("Failure", why.Failure)...), true, nil
}

// ofBefore reports whether a call was asked for before the last prompt, which it was
// approved with: the rules judged it when it was asked for.
func (t *turn) ofBefore(c *dialog.Call) bool {
	return slices.ContainsFunc(t.dialog().Sections[c.Section:], func(s dialog.Section) bool { return s.Role == dialog.User && !s.Torn })
}

// restrains reports whether a call of that tool can be run so that it changes nothing.
func (t *turn) restrains(tool string) bool {
	return (tool == "run_command" || tool == "start_server") && t.r.w.Sandbox.HoldsReadOnly()
}

// intent is what a prompt wants, as its writer said, or else as its words tell.
func (t *turn) intent() string {
	if t.in.Intent != "" {
		return t.in.Intent
	}
	return intentBy(t.dialog(), t.in.Prompt.read())
}

// Intent is what a text would want as the next prompt of a dialog, by its words; "" where
// they tell none.
func (r *Runner) Intent(p *project.Project, id, text string) (string, error) {
	t, err := p.ReadDialog(id)
	if err != nil {
		return "", err
	}
	return intentBy(dialog.Parse(t.Text), text), nil
}

// intentBy is what a prompt wants by its words. Who answers a question, praises a
// proposal, or says yes to what the model said, wants what was spoken of before; where
// that was only to look, what is agreed to may be more, and the intent is not known.
func intentBy(d *dialog.Dialog, text string) string {
	intent, yes := governor.Classify(text), governor.Assents(text)
	if intent != "conversational" && !yes {
		return intent
	}
	asked := false
	for i := len(d.Sections) - 1; i >= 0; i-- {
		s := &d.Sections[i]
		switch {
		case s.Torn:
		case s.Role == dialog.Assistant && !asked:
			if asked = yes || strings.Contains(s.Text(), "?") || governor.Proposes(s.Text()); !asked {
				return intent
			}
		case s.Role == dialog.User && asked:
			before := s.Meta.Get("Intent")
			switch {
			case before == "conversational":
			case slices.Contains(dialog.Intents, before) && before != "status_check" && before != "diagnose":
				return before
			default: // none, less than what was proposed, or what a hand wrote there
				return ""
			}
		}
	}
	if asked {
		return ""
	}
	return intent
}
