package turn

import (
	"context"
	"errors"

	"vibey/dialog"
	"vibey/server/project"
	"vibey/server/view"
)

// retitle appends the Note of another title, to a dialog that runs too.
func (r *Runner) retitle(ctx context.Context, in Input) (view.State, error) {
	err := soon(ctx, settleWait, func() error {
		return in.Project.Insert(in.DialogID, func(taken func(string) bool) (dialog.Section, bool) {
			return dialog.Retitled(*in.Title, r.w.Now(), taken), true
		})
	})
	if errors.Is(err, project.ErrBusy) {
		return view.State{}, busyRefusal(in, err)
	}
	if err != nil {
		return view.State{}, err
	}
	v, err := r.View(in.Project, in.DialogID)
	return v.State, err
}

// appendTitle appends the Note of a title that comes with more, to the file that t holds.
func (t *turn) appendTitle() error {
	if t.in.Title == nil {
		return nil
	}
	if err := t.f.Append(dialog.Retitled(*t.in.Title, t.r.w.Now(), t.dialog().HasID)); err != nil {
		return err
	}
	t.stored++
	return nil
}
