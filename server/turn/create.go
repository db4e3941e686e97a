package turn

import (
	"cmp"
	"context"
	"errors"
	"time"

	"vibey/dialog"
	"vibey/provider"
	"vibey/server/project"
)

// modelsWait is how long a provider has to list its models, if none was named.
const modelsWait = 10 * time.Second

// create makes the file of a new dialog. meta is what a launched one's header
// has beyond a human's.
func (r *Runner) create(ctx context.Context, in Input, st dialog.Status, meta dialog.Fields) (*project.DialogFile, error) {
	model, err := r.model(ctx, in.Provider, in.Model)
	if err != nil {
		return nil, err
	}
	words := cmp.Or(in.Slug, in.title())
	if words == "" && in.Prompt != nil {
		words = firstWords(in.Prompt.Text)
	}
	words = cmp.Or(words, "dialog")
	now := r.w.Now()
	h := dialog.Header{Provider: in.Provider, Model: model, Status: st, Started: dialog.FormatTime(now), Meta: dialog.Titled(in.title(), meta)}
	return in.Project.NewDialog(words, now, h, nil)
}

// firstWords returns the name of a dialog that has none.
func firstWords(prompt string) string {
	n, words := 0, 0
	for i, c := range prompt {
		if n++; n > 50 {
			return prompt[:i]
		}
		if c == ' ' || c == '\n' {
			if words++; words == 6 {
				return prompt[:i]
			}
		}
	}
	return prompt
}

// model checks that the provider is there, and finds the model if none is named.
func (r *Runner) model(ctx context.Context, name, model string) (string, error) {
	if name == "" {
		return "", refuse(ErrInput, "provider is missing; GET /models lists those that are configured")
	}
	p, ok := r.w.Provider(name)
	if !ok {
		return "", refuse(ErrInput, "there is no provider %q; GET /models lists those that are configured, and --provider NAME=API,BASE_URL adds one", name)
	}
	if model != "" {
		return model, nil
	}
	ctx, cancel := context.WithTimeout(ctx, modelsWait)
	defer cancel()
	models, err := p.Models(ctx)
	if err != nil || len(models) == 0 {
		why := "it lists none"
		if pe, ok := errors.AsType[*provider.Error](err); ok {
			why = pe.Message
		}
		return "", refuse(ErrInput, "model is missing and %s has no first one to take (%s); name a model", name, why)
	}
	return models[0].ID, nil
}
