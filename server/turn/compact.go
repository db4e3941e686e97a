package turn

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"

	"vibey/dialog"
	"vibey/dialog/governor"
	"vibey/dialog/history"
	"vibey/provider"
	"vibey/server/project"
)

// compact appends the Summaries of what came earlier. From here on the model reads them in
// its place; in the file it stays.
func (t *turn) compact() error {
	room, err := t.room()
	if err != nil {
		return err
	}
	return t.compactInto(room)
}

func (t *turn) compactInto(room governor.Room) error {
	d := t.dialog()
	return t.append(governor.Summaries(d, t.r.w.Now(), governor.Compact(d, room))...)
}

// room is what is known before a provider refuses the next request.
func (t *turn) room() (governor.Room, error) {
	window, err := t.window()
	return governor.Room{Window: window, TooLong: governor.TooLong(t.dialog())}, err
}

// requestInWindow is requestModel. If the provider refuses the request as too long, what came
// earlier is summed up once, and the request is made again.
func (t *turn) requestInWindow(noTools bool) error {
	err := t.requestModel(noTools)
	pe, ok := errors.AsType[*provider.Error](err)
	if !ok || pe.Kind != provider.KindTooLong {
		return err
	}
	window, lost := t.window()
	if lost != nil {
		return lost
	}
	if window == 0 || pe.Window > 0 && pe.Window < window {
		window = pe.Window
	}
	n := len(t.dialog().Sections)
	if err := t.compactInto(governor.Room{Window: window, TooLong: true}); err != nil {
		return err
	}
	if len(t.dialog().Sections) == n {
		again := *pe
		again.Message = "The request is too long for this model, and nothing more of the dialog can be summed up: what is left is the system text with " + project.MainDoc + ", the tools, and the last message. Go on with a model that has a larger window, or shorten " + project.MainDoc + " and begin a new dialog. It said: " + pe.Message
		return &again
	}
	t.b.Extend(t.dialog())
	err = t.requestModel(noTools)
	if pe, ok := errors.AsType[*provider.Error](err); ok && pe.Kind == provider.KindTooLong {
		again := *pe
		again.Message = "The request is still too long for this model, though what came earlier was summed up. Press Continue to sum up more of it, or go on with a model that has a larger window. " + pe.Message
		return &again
	}
	return err
}

// compactWhenFull is compact if the next request takes most of the model's window.
func (t *turn) compactWhenFull() error {
	window, err := t.window()
	if err != nil || !governor.Full(t.dialog(), window) {
		return err
	}
	return t.compact()
}

// window is how many tokens the model can read, as the project's rules or the table of
// models have it; 0 if neither does.
func (t *turn) window() (int, error) {
	rules, err := t.projectRules()
	if err != nil {
		return 0, err
	}
	_, model := t.dialog().Model()
	return cmp.Or(rules.Window, provider.Known(model).Window), nil
}

// undoSummary appends the Note that undoes a Summary: the model reads the turns again
// that it stands for. A Summary that stands for nothing, or does no more, is ErrNothing.
func (t *turn) undoSummary(summary string) error {
	d := t.dialog()
	if !slices.ContainsFunc(history.Covers(d), func(c history.Cover) bool { return d.Sections[c.By].ID == summary }) {
		return notUndone(d, summary)
	}
	return t.note("summary-undone", "human", "The summary "+summary+" was undone: the model reads again what it stood for.", dialog.Field{Key: "Parent", Value: summary})
}

// notUndone is why id can't be undone in d.
func notUndone(d *dialog.Dialog, id string) error {
	kind, what := fs.ErrNotExist, "there is nothing of that id in this dialog"
	if i := slices.IndexFunc(d.Sections, func(s dialog.Section) bool { return s.ID == id }); i >= 0 {
		kind, what = ErrNothing, "only what calls changed, an undo of that, and a summary can be taken back, and that is none of them"
		if d.Sections[i].Role == dialog.Summary {
			what = "that summary stands for nothing any more: it was undone, or a newer one took its place"
		}
	}
	return refuse(kind, "%s: %s. Nothing was done", dialog.Clean(id, 100), what)
}
