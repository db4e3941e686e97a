package turn

import (
	"context"
	"fmt"
	"slices"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/server/turn/undo"
)

// undoHunk takes back one hunk of the call id, and appends the Note of that. A hunk that is
// taken back already has one.
func (t *turn) undoHunk(ctx context.Context, changes *change.Log, id string, part change.Part) (Undone, error) {
	made := changes.Made(id, false)
	at := slices.IndexFunc(made, func(s change.Step) bool { return s.Path == part.Path })
	if at < 0 || !dialog.OneLine(part.Path) {
		return Undone{}, t.noHunk(id, part, "")
	}
	s := made[at]
	b, err := t.putter(changes, []change.FileUndo{{Path: s.Path}})
	if err != nil {
		return Undone{}, err
	}
	is, why, found := t.takeHunk(ctx, b, s, part)
	done := Undone{Undone: change.Undone{Undone: []change.UndoneFile{}, Refused: []change.RefusedFile{}}}
	by := changes.Taken(s, part)
	switch {
	case !found:
		return Undone{}, t.noHunk(id, part, why)
	case by != "":
		done.Refused = []change.RefusedFile{{Path: s.Path, Why: change.TakenBack + by}}
		return done, nil
	case why != "":
		done.Refused = []change.RefusedFile{{Path: s.Path, Why: why}}
	default:
		done.Undone.Undone = []change.UndoneFile{is}
	}
	return done, t.appendUndone(id, done.Undone, undo.PartText(id, part, done.Undone), part.Field())
}

// takeHunk puts the lines of a hunk back, unless it is taken back already. why says within a
// sentence what kept it from that. found is false if the change has no such hunk.
func (t *turn) takeHunk(ctx context.Context, b *undo.Putter, s change.Step, part change.Part) (is change.UndoneFile, why string, found bool) {
	now, why := b.Now(ctx, s)
	if why != "" {
		return is, why, true
	}
	x, why := b.Sides(s, now)
	if why != "" {
		return is, why, why != undo.NoText
	}
	h, found := change.FindHunk(x.Before, x.After, part)
	if !found || b.Changes.Taken(s, part) != "" {
		return is, "", found
	}
	is, why = b.Part(ctx, s, h, x, now)
	return is, why, true
}

// noHunk refuses what is no hunk of a call. why says within a sentence what the id is instead.
func (t *turn) noHunk(id string, part change.Part, why string) error {
	if why == "" && !t.dialog().HasID(id) {
		return notUndone(t.dialog(), id)
	}
	if why == "" {
		why = fmt.Sprintf("there the call changed no lines that are exactly %s of %s; GET …/changes lists those that it did", part.Lines(), dialog.Clean(part.Path, 200))
	}
	return refuse(ErrInput, "%s: %s. Nothing was done", dialog.Clean(id, 100), why)
}
