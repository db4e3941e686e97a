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
// the calls of the turn that begins with the User section Turn; with Hunk that part of the
// call alone.
type Undoing struct {
	DialogID, ID, Turn string
	Hunk               *change.Part
}

// Undone is what came of an undo: of files, or of the Summary with that id.
type Undone struct {
	change.Undone
	Summary string
}

// Undo takes back what calls of a dialog changed, file by file, each only if it still is as
// the last of them left it, and appends a Note of that; if none was put back, a Note to the
// human of the reasons, once. A kill between the two leaves files that are as before, without
// a Note; the same undo once more reports that they are so already. Errors: ErrActive;
// ErrNothing if the id changed no file, fs.ErrNotExist if the dialog has none of that id; ErrInput if a call has no such hunk;
// ErrDeed if files of a deed that can't be reached would have to be put back.
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
	case u.Hunk != nil && len(files) == 0 && !changes.Changed(id):
		return Undone{}, t.noHunk(id, *u.Hunk, why)
	case why != "":
		kind := ErrNothing
		if whole && t.dialog().Find(dialog.User, id) < 0 {
			kind = fs.ErrNotExist
		}
		return Undone{}, refuse(kind, "%s: %s. Nothing was done", dialog.Clean(id, 100), why)
	case len(files) == 0:
		return Undone{Summary: id}, t.undoSummary(id)
	}
	if u.Hunk != nil {
		return t.undoHunk(context.WithoutCancel(ctx), changes, id, *u.Hunk)
	}
	b, err := t.putter(changes, files)
	if err != nil {
		return Undone{}, err
	}
	done := b.PutBack(context.WithoutCancel(ctx), files) // also if the request ends
	if len(done.Undone) == 0 && !slices.ContainsFunc(files, func(f change.FileUndo) bool { return f.Why == "" }) {
		return Undone{Undone: done}, nil // the Notes of the undos before have it
	}
	return Undone{Undone: done}, t.appendUndone(id, done, undo.Text(t.dialog(), id, done))
}

// appendUndone appends the Note of an undo of id, with that text. One that put nothing back is
// nothing to the model, and stands once behind the last section, however often it is asked for.
func (t *turn) appendUndone(id string, done change.Undone, text string, more ...dialog.Field) error {
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
	n := t.newNote(dialog.UndoNote, to, text, append([]dialog.Field{{Key: "Parent", Value: id}, {Key: "By", Value: "human"}}, more...)...)
	n.Payloads = append(n.Payloads, dialog.Payload{Type: dialog.NoteJSON, Text: string(b)})
	return t.append(n)
}

// hasUndone reports whether the last section is the Note of an undo of id with that answer.
func (t *turn) hasUndone(id, answer string) bool {
	d := t.dialog()
	last := &d.Sections[len(d.Sections)-1]
	return last.Kind() == dialog.UndoNote && last.Meta.Get("Parent") == id && last.Payload(dialog.NoteJSON) == answer
}

// putter opens the deed for an undo.
func (t *turn) putter(changes *change.Log, files []change.FileUndo) (*undo.Putter, error) {
	p := t.in.Project
	b, err := t.r.putter(p, t.f.ID(), t.dialog(), changes, files)
	if err == nil {
		b.Env.Bringing = t.voidsMark(p)
	}
	return b, err
}

// putter is one that looks at what stands in the place of files. If the deed can't be
// reached, as an unmounted one, a file of it looks as if it were gone, which an undo must not
// take for its own doing.
func (r *Runner) putter(p *project.Project, id string, d *dialog.Dialog, changes *change.Log, files []change.FileUndo) (*undo.Putter, error) {
	deed, err := p.DeedDir()
	inDeed := func(f change.FileUndo) bool { return strings.HasPrefix(f.Path, "deed/") }
	switch {
	case errors.Is(err, project.ErrLeads):
		return nil, err
	case err != nil && slices.ContainsFunc(files, inDeed):
		return nil, refuse(ErrDeed, "deed/ of this project can't be reached now, so its files can't be put back. Nothing was changed. Mount or make the folder that it leads to, then try again")
	}
	return &undo.Putter{Project: p, ID: id, Dialog: d, Changes: changes, Env: tools.Env{
		Project: p.Root(), ProjectDir: p.Root().Name(), DeedDir: deed, Sandbox: r.w.Sandbox,
		ChangeAs: p.ChangeAs, Chmod: p.Chmod, Remove: p.Remove, RemoveEmpty: p.RemoveEmpty,
	}}, nil
}
