package turn

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/dialog/jsontext"
	"vibey/server/project"
	"vibey/server/turn/undo"
	"vibey/tools"
)

// Undoing is what a human takes back: the call, the undo or the Summary with that ID, or
// the calls of the turn that begins with the User section Turn.
type Undoing struct{ DialogID, ID, Turn string }

// Undone is what came of an undo: of files, or of the Summary with that id.
type Undone struct {
	change.Undone
	Summary string
}

// Undo takes back what calls of a dialog changed, file by file, each only if it still is as
// the last of them left it, and appends a Note of that; if none was put back, a Note to the
// human of the reasons, once. A kill between the two leaves files that are as before, without
// a Note; the same undo once more reports that they are so already. Errors: ErrActive;
// ErrNothing if the id changed no file, fs.ErrNotExist if the dialog has none of that id; ErrDeed if files of a deed that can't be reached
// would have to be put back.
func (r *Runner) Undo(ctx context.Context, p *project.Project, u Undoing) (Undone, error) {
	if r.Running(p.Name(), u.DialogID) {
		return Undone{}, activeRefusal()
	}
	in := Input{Project: p, DialogID: u.DialogID}
	f, err := openSoon(ctx, in, settleWait) // another undo may hold it for a moment
	if err != nil {
		return Undone{}, err
	}
	defer f.Close()
	t := r.turn(f, in)
	id, whole := u.ID, u.Turn != ""
	if whole {
		id = u.Turn
	}
	if !dialog.OneLine(id) {
		return Undone{}, notUndone(t.dialog(), id)
	}
	changes := change.Of(t.dialog())
	files, why := changes.Undo(id, whole)
	switch {
	case why != "":
		kind := ErrNothing
		if whole && t.dialog().Find(dialog.User, id) < 0 {
			kind = fs.ErrNotExist
		}
		return Undone{}, refuse(kind, "%s: %s. Nothing was done", dialog.Clean(id, 100), why)
	case len(files) == 0:
		return Undone{Summary: id}, t.undoSummary(id)
	}
	b, err := t.putter(changes, files)
	if err != nil {
		return Undone{}, err
	}
	done := b.PutBack(context.WithoutCancel(ctx), files) // also if the request ends
	if len(done.Undone) == 0 && !slices.ContainsFunc(files, func(f change.FileUndo) bool { return f.Why == "" }) {
		return Undone{Undone: done}, nil // the Notes of the undos before have it
	}
	return Undone{Undone: done}, t.appendUndone(id, done)
}

// appendUndone appends the Note of an undo of id. One that put nothing back is nothing to
// the model, and stands once behind the last section, however often it is asked for.
func (t *turn) appendUndone(id string, done change.Undone) error {
	b, err := jsontext.Marshal(done)
	if err != nil {
		return err
	}
	to := "model"
	if len(done.Undone) == 0 {
		if to = "human"; t.hasUndone(id, string(b)) {
			return nil
		}
	}
	n := t.newNote(dialog.UndoNote, to, undo.Text(t.dialog(), id, done), dialog.Field{Key: "Parent", Value: id}, dialog.Field{Key: "By", Value: "human"})
	n.Payloads = append(n.Payloads, dialog.Payload{Type: dialog.NoteJSON, Text: string(b)})
	return t.append(n)
}

// hasUndone reports whether the last section is the Note of an undo of id with that answer.
func (t *turn) hasUndone(id, answer string) bool {
	d := t.dialog()
	last := &d.Sections[len(d.Sections)-1]
	return last.Kind() == dialog.UndoNote && last.Meta.Get("Parent") == id && last.Payload(dialog.NoteJSON) == answer
}

// putter opens the deed for an undo. If the deed can't be reached, as an unmounted one, a
// file of it looks as if it were gone, which an undo must not take for its own doing.
func (t *turn) putter(changes *change.Log, files []change.FileUndo) (*undo.Putter, error) {
	p := t.in.Project
	deed, err := p.DeedDir()
	inDeed := func(f change.FileUndo) bool { return strings.HasPrefix(f.Path, "deed/") }
	switch {
	case errors.Is(err, project.ErrLeads):
		return nil, err
	case err != nil && slices.ContainsFunc(files, inDeed):
		return nil, refuse(ErrDeed, "deed/ of this project can't be reached now, so its files can't be put back. Nothing was changed. Mount or make the folder that it leads to, then try again")
	}
	return &undo.Putter{Project: p, ID: t.f.ID(), Dialog: t.dialog(), Changes: changes, Env: tools.Env{
		Project: p.Root(), ProjectDir: p.Root().Name(), DeedDir: deed, Sandbox: t.r.w.Sandbox,
		ChangeAs: p.ChangeAs, Chmod: p.Chmod, Remove: p.Remove, RemoveEmpty: p.RemoveEmpty, Bringing: t.voidsMark(p),
	}}, nil
}
