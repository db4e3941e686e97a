package turn

import (
	"slices"
	"time"

	"vibey/dialog"
	"vibey/dialog/governor"
	"vibey/provider"
)

// compactable refuses to sum up a dialog in which nothing is to be.
func compactable(d *dialog.Dialog) error {
	if _, ok := governor.Compact(d); ok {
		return nil
	}
	return refuse(ErrNothing, "there is nothing to sum up: the last four turns stay whole, and what stands before them is summed up already, or there is nothing. Nothing was done")
}

// compact appends the Summary of the earlier turns. From here on the model reads it in
// their place; in the file they stay.
func (t *turn) compact() error {
	c, ok := governor.Compact(t.dialog())
	if !ok {
		return nil
	}
	return t.append(summary(t.dialog(), t.r.w.Now(), c))
}

// summary is the section of a compaction.
func summary(d *dialog.Dialog, now time.Time, c governor.Compaction) dialog.Section {
	return dialog.Section{
		Role: dialog.Summary, ID: d.NextID(dialog.Summary, now, 0), Time: dialog.Span(now, now),
		Meta:     dialog.Fields{{Key: "Covers", Value: c.Covers}},
		Payloads: []dialog.Payload{{Type: dialog.SummaryMarkdown, Text: c.Text}},
	}
}

// compactWhenFull is compact where the last request took most of the model's window.
func (t *turn) compactWhenFull() error {
	window, err := t.window()
	if err != nil || !governor.Full(t.dialog(), window) {
		return err
	}
	return t.compact()
}

// window is how many tokens the model can read, as the project's rules or the table of
// models say; 0 where neither does.
func (t *turn) window() (int, error) {
	rules, err := t.projectRules()
	if err != nil {
		return 0, err
	}
	_, model := t.dialog().Model()
	return windowOf(rules, model), nil
}

func windowOf(r dialog.Rules, model string) int {
	if r.Window > 0 {
		return r.Window
	}
	return provider.Known(model).Window
}

// undoSummary appends the Note that undoes a Summary: the model reads the turns again
// that it stands for. A Summary that stands for nothing, or does no more, is ErrNothing.
func (t *turn) undoSummary(summary string) error {
	d := t.dialog()
	if !slices.ContainsFunc(d.Covers(), func(c dialog.Cover) bool { return d.Sections[c.By].ID == summary }) {
		return notUndone(d, summary)
	}
	return t.note("summary-undone", "human", "The summary "+summary+" was undone: the model reads again what it stood for.", dialog.Field{Key: "Parent", Value: summary})
}

// notUndone is why id can't be undone in d.
func notUndone(d *dialog.Dialog, id string) error {
	what := "there is nothing of that id in this dialog"
	switch i := slices.IndexFunc(d.Sections, func(s dialog.Section) bool { return s.ID == id }); {
	case i < 0:
	case d.Sections[i].Role == dialog.Summary:
		what = "that summary stands for nothing any more: it was undone, or a newer one took its place"
	default:
		what = "only what calls changed, an undo of that, and a summary can be taken back, and that is none of them"
	}
	return refuse(ErrNothing, "%s: %s. Nothing was done", dialog.Clean(id, 100), what)
}
