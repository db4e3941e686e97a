package brief

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/dialog/plan"
	"vibey/provider"
	"vibey/server/project"
)

// planWait is how long a model has to answer what a turn brought for the plan.
const planWait = 30 * time.Second

// Extract asks a model, once and without tools, what a turn brought for the plan, and
// writes it there as tentative. record is what the governor made of the turn. It returns
// the text of the Note to the human, "" for none.
func Extract(ctx context.Context, p provider.Provider, req provider.Request, record string, of *project.Project, id string) (text string, spent dialog.Resources, err error) {
	req.Schema, req.History = plan.Schema, history.History{System: plan.Question, Items: []history.Item{{Kind: history.UserText, Text: record}}}
	answer, spent, err := askAside(ctx, p, &req)
	if stopped := context.Cause(ctx); stopped != nil {
		return "", spent, stopped
	}
	if err == nil {
		text, err = addToPlan(of, id, answer)
	}
	switch {
	case err != nil:
		text = "The plan could not be brought up to date after this turn; it is as it was. Why: " + planTrouble(err) + "."
	case text == "" && spent.Total > 0:
		text = "This turn brought nothing new for the plan."
	}
	return text, spent, nil
}

func planTrouble(err error) string {
	if pe, ok := errors.AsType[*provider.Error](err); ok {
		return strings.TrimSuffix(pe.Message, ".")
	}
	return err.Error()
}

// addToPlan adds the items of an answer to the plan, and returns the Note of that to the
// human, "" if none is new.
func addToPlan(p *project.Project, id, answer string) (string, error) {
	items, err := plan.FromAnswer(answer, id)
	if err != nil || len(items) == 0 {
		return "", err
	}
	added := 0
	_, err = p.Change(p.Root(), plan.File, func(old *os.File) ([]byte, error) {
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
func askAside(of context.Context, p provider.Provider, req *provider.Request) (text string, spent dialog.Resources, err error) {
	ctx, cancel := context.WithTimeout(of, planWait)
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
		return askAside(of, p, &plain)
	}
	return b.String(), spent, err
}
