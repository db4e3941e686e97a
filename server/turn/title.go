package turn

import (
	"context"
	"errors"

	"vibey/dialog"
	"vibey/server/project"
	"vibey/server/view"
)

// checkTitle trims a title. One without a word is refused for a dialog that exists,
// and is none for a new one: a form sends what was not filled in.
func (in *Input) checkTitle() error {
	if in.Title == nil {
		return nil
	}
	title, problem := dialog.CheckTitle(*in.Title)
	switch {
	case problem != "":
		return refuse(ErrInput, "%s. Nothing was done", problem)
	case title == "" && in.DialogID != "":
		return refuse(ErrInput, "the title is empty; write what the dialog is to be called, or leave title out. Nothing was done")
	case title == "":
		in.Title = nil
	default:
		in.Title = &title
	}
	return nil
}

// title is the title of a new dialog, or "".
func (in *Input) title() string {
	if in.Title == nil {
		return ""
	}
	return *in.Title
}

// titleAlone reports whether a request only gives a dialog another title, which a
// running turn does not refuse, and need not know of.
func (in *Input) titleAlone() bool {
	rest := *in
	rest.Title = nil
	return in.Title != nil && rest.empty()
}

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
