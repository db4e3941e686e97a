package tools

import (
	"context"
	"os"

	"vibey/dialog"
	"vibey/dialog/plan"
)

type planDecisionLogInput struct {
	Kind        string `json:"kind" jsonschema:"enum=decision,enum=task,enum=idea"`
	Title       string `json:"title" jsonschema:"minLength=1"`
	Choice      string `json:"choice" jsonschema:"minLength=1"`
	Why         string `json:"why"`
	Words       string `json:"words,omitempty"`
	Description string `json:"description,omitempty"`
}

// logged is the body of the result of plan_decision_log.
type logged struct {
	Success    bool   `json:"success"`
	Path       string `json:"path"`
	Bytes      int    `json:"bytes"`
	SHA256     string `json:"sha256"`
	Replaced   string `json:"replaced,omitempty"` // SHA-256 of what stood there before
	Confidence string `json:"confidence"`         // of the item as it stands now
	Note       string `json:"note,omitempty"`
}

// planDecisionLog adds an item to the plan. Its confidence is a human's only if they
// said its words in this dialog.
func planDecisionLog(ctx context.Context, env Env, in planDecisionLogInput) Result {
	it := plan.Item{
		Kind: plan.Kind(in.Kind), Title: in.Title, Choice: in.Choice, Why: in.Why, Confidence: plan.Auto, Source: plan.Explicit, From: env.DialogID,
	}
	lacks := ""
	if in.Words != "" && env.Said != nil {
		var ok bool
		if ok, lacks = env.Said(it, in.Words); ok {
			it.Confidence = plan.User
		}
	}
	p, err := findDoc(env, plan.File, plan.File)
	if err != nil {
		return fileFailure(plan.File, err)
	}
	body := &logged{Success: true, Path: plan.File}
	_, err = env.Write(p.dir, p.base, func(f *os.File) ([]byte, error) {
		if ctx.Err() != nil {
			return nil, errEnded{interrupted()}
		}
		old, err := read(plan.File, f, true)
		if err != nil {
			return nil, err
		}
		doc := plan.Add(string(old.content), it)
		now, ok := plan.Find(doc, it)
		switch {
		case !ok:
			return nil, errEnded{failed(Schema, "the item was not written: its title has no letters that can be kept. Send another title.")}
		case len(doc) > maxFile:
			return nil, errEnded{failed(ExecError, "doc-plan.md would be larger than %d bytes. Tell the human to shorten it.", maxFile)}
		}
		body.set([]byte(doc), old.sha, now, it, lacks)
		if doc == string(old.content) && f != nil {
			return nil, errEnded{Result{Success: true, body: body}}
		}
		return []byte(doc), nil
	})
	if err != nil {
		return fileFailure(plan.File, err)
	}
	return Result{Success: true, body: body}
}

// set takes down what the plan says of the item now, and what its words lack.
func (l *logged) set(doc []byte, replaced string, now, sent plan.Item, lacks string) {
	l.Bytes, l.SHA256, l.Replaced, l.Confidence = len(doc), dialog.SHA256(doc), replaced, now.Confidence
	switch {
	case now.Confirmed() && !sent.Confirmed():
		l.Note = "It stood there already, confirmed by a human."
	case !now.Confirmed() && lacks != "":
		l.Note = "It is tentative: " + lacks + ". The human can confirm it in the plan."
	case !now.Confirmed():
		l.Note = "It is tentative until the human confirms it."
	}
}
