package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"vibey/dialog/plan"
)

type planGetInput struct {
	Description string `json:"description,omitempty"`
}

// planMost is how many items of a kind are told, the first of them.
const planMost = 200

// planned is the body of the result of plan_get.
type planned struct {
	Success   bool        `json:"success"`
	Decisions []plan.Item `json:"decisions" mask:"text"`
	Tasks     []plan.Item `json:"tasks" mask:"text"`
	Ideas     []plan.Item `json:"ideas" mask:"text"`
	Note      string      `json:"note,omitempty"`
}

func planGet(_ context.Context, env Env, _ planGetInput) Result {
	p, err := findDoc(env, plan.File, plan.File)
	if err != nil {
		return readFailure(plan.File, err)
	}
	f, err := p.file()
	doc := &content{}
	if err == nil {
		defer f.Close()
		doc, err = read(plan.File, f, true)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return readFailure(plan.File, err)
	}
	body := &planned{Success: true, Decisions: []plan.Item{}, Tasks: []plan.Item{}, Ideas: []plan.Item{}}
	if doc.info == nil {
		body.Note = "There is no plan yet. plan_decision_log writes its first item."
	}
	more := 0
	for _, it := range plan.Items(string(doc.content)) {
		to := map[plan.Kind]*[]plan.Item{plan.Decision: &body.Decisions, plan.Task: &body.Tasks, plan.Idea: &body.Ideas}[it.Kind]
		if len(*to) >= planMost {
			more++
			continue
		}
		*to = append(*to, it)
	}
	if more > 0 {
		body.Note = fmt.Sprintf("%d items more are not told here; read doc-plan.md for them.", more)
	}
	if odd := plan.Problems(string(doc.content)); len(odd) > 0 {
		body.Note = strings.TrimSpace(body.Note + fmt.Sprintf(" %d lines of doc-plan.md look like items and are none, the first of them line %d; read it for them.", len(odd), odd[0].Line))
	}
	return Result{Success: true, body: body}
}
