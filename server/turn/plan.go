package turn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/dialog/governor"
	"vibey/dialog/plan"
	"vibey/provider"
	"vibey/server/turn/brief"
	"vibey/server/turn/record"
)

// planWait is how long a model has to say what a turn brought for the plan.
const planWait = 30 * time.Second

// plan is the plan as the model is told it, "" where there is none.
func (t *turn) plan() string {
	f, err := t.in.Project.ReadFile(plan.File)
	if err != nil {
		return "" // a plan that can't be read is told as none; plan_get says why
	}
	return plan.Told(brief.Readable(f.Content))
}

// tellPlan is the Note before a prompt where the plan is another one than the model was
// told last. told are sections that will stand before it and are not appended yet.
func (t *turn) tellPlan(told []dialog.Section) []dialog.Section {
	text := t.plan()
	hash := record.Hash(text)
	known, ever := t.known(told, "plan", "Plan")
	if known == hash || !ever && text == "" {
		return nil
	}
	if text == "" {
		text = "The plan is empty now."
	}
	return t.tellAnew(told, "plan", "[PLAN CHANGED] It replaces what you were told of the plan before.\n\n"+text, dialog.Field{Key: "Plan", Value: hash})
}

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
	answer, spent, err := t.askAside(p, &provider.Request{Provider: name, Model: model, Schema: plan.Schema, History: dialog.History{
		System: plan.Question, Items: []dialog.Item{{Kind: dialog.UserText, Text: turnText}},
	}})
	if stopped := context.Cause(t.ctx); stopped != nil {
		return stopped
	}
	text := ""
	if err == nil {
		text, err = t.addToPlan(answer)
	}
	if err != nil {
		text = "The plan could not be brought up to date after this turn; it is as it was. Why: " + planTrouble(err) + "."
	}
	if text == "" && spent.Total == 0 {
		return nil
	}
	if text == "" {
		text = "This turn brought nothing new for the plan."
	}
	n := t.newNote(0, "plan", "human", text)
	spent.MS, spent.Tools = record.Since(start, t.r.w.Now()), 0
	n.Resources = spent
	return t.append(n)
}

func planTrouble(err error) string {
	if pe, ok := errors.AsType[*provider.Error](err); ok {
		return strings.TrimSuffix(pe.Message, ".")
	}
	return err.Error()
}

// addToPlan writes what an answer says into the plan, and returns what the human is
// told of it, "" where there is nothing new.
func (t *turn) addToPlan(answer string) (string, error) {
	items, err := plan.FromAnswer(answer, t.f.ID())
	if err != nil || len(items) == 0 {
		return "", err
	}
	added := 0
	_, err = t.in.Project.Change(t.in.Project.Root(), plan.File, func(old *os.File) ([]byte, error) {
		var was []byte
		if old != nil {
			if was, err = io.ReadAll(io.LimitReader(old, planMost+1)); err != nil {
				return nil, err
			}
		}
		if len(was) > planMost {
			return nil, errors.New("doc-plan.md is too large")
		}
		now := plan.Add(string(was), items...)
		if added = len(plan.Items(now)) - len(plan.Items(string(was))); now == string(was) {
			return nil, errSamePlan
		}
		return []byte(now), nil
	})
	if errors.Is(err, errSamePlan) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	// One that replaced another adds none.
	return fmt.Sprintf("%d items of this turn stand in the plan now, as tentative. Confirm or delete them in %s.", max(added, 1), plan.File), nil
}

// planMost is how many bytes a plan may have that a program adds to.
const planMost = 1 << 20

var errSamePlan = errors.New("the plan has it already")

// sameRequest reports whether two requests are the same to the byte: not every API has
// a place for a schema.
func sameRequest(p provider.Provider, a, b *provider.Request) bool {
	w, ok := p.(provider.Writer)
	if !ok || string(a.Schema) == string(b.Schema) {
		return string(a.Schema) == string(b.Schema)
	}
	one, _ := w.Request(a)
	other, _ := w.Request(b)
	return bytes.Equal(one, other)
}

// askAside asks a model something that is no part of the dialog. A server that takes
// no schema is asked again without one.
func (t *turn) askAside(p provider.Provider, req *provider.Request) (text string, spent dialog.Resources, err error) {
	ctx, cancel := context.WithTimeout(t.ctx, planWait)
	defer cancel()
	var b strings.Builder
	for e, fail := range p.Stream(ctx, req) {
		if fail != nil {
			err = fail
			break
		}
		switch e := e.(type) {
		case provider.Text:
			b.WriteString(e.Piece)
		case provider.Finish:
			spent = e.Resources
		}
		if b.Len() > planMost {
			return "", spent, errors.New("the model's answer was too long")
		}
	}
	plain := *req
	plain.Schema = ""
	if pe, refused := errors.AsType[*provider.Error](err); refused && pe.Kind == provider.KindRefused && !sameRequest(p, req, &plain) {
		return t.askAside(p, &plain)
	}
	return b.String(), spent, err
}
