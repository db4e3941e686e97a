package turn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/jsontext"
	"vibey/server/project"
	"vibey/server/turn/record"
	"vibey/tools"
)

// Undoing is what a human takes back: the call, the undo or the Summary with that ID, or
// the calls of the turn that begins with the User section Turn.
type Undoing struct{ DialogID, ID, Turn string }

// Undone is what came of an undo: of files, or of the Summary with that id.
type Undone struct {
	dialog.Undone
	Summary string
}

// Undo takes back what calls of a dialog changed, file by file, each only where it still
// is as the last of them left it, and appends the Note that says so, or, to the human
// alone, why none was put back, where no Note says so yet. A kill between the two leaves files that are as before,
// without a Note; the same undo once more says of them that they are so already. Errors: ErrActive; ErrNothing
// where the id changed no file; ErrDeed where files of a deed that can't be reached would
// have to be put back.
func (r *Runner) Undo(ctx context.Context, p *project.Project, u Undoing) (Undone, error) {
	if r.Running(p.Name(), u.DialogID) {
		return Undone{}, activeRefusal()
	}
	in := Input{Project: p, DialogID: u.DialogID}
	f, err := r.openSoon(ctx, p, u.DialogID, settleWait) // another undo may hold it for a moment
	if errors.Is(err, project.ErrBusy) {
		return Undone{}, busyRefusal(in, err)
	}
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
	changes := dialog.ChangesOf(t.dialog())
	files, why := changes.Undo(id, whole)
	switch {
	case why != "":
		return Undone{}, refuse(ErrNothing, "%s: %s. Nothing was done", dialog.Clean(id, 100), why)
	case len(files) == 0:
		return Undone{Summary: id}, t.undoSummary(id)
	}
	b, err := t.newPutter(context.WithoutCancel(ctx), changes, files) // who asked may leave
	if err != nil {
		return Undone{}, err
	}
	done := b.all(files)
	if len(done.Undone) == 0 && !slices.ContainsFunc(files, func(f dialog.FileUndo) bool { return f.Why == "" }) {
		return Undone{Undone: done}, nil // the Notes of the undos before tell it
	}
	return Undone{Undone: done}, t.tellUndone(id, done)
}

// tellUndone appends the Note of an undo of id. One that put nothing back is nothing to
// the model, and stands once behind the last section, however often it is asked for.
func (t *turn) tellUndone(id string, done dialog.Undone) error {
	b, err := jsontext.Marshal(done)
	if err != nil {
		return err
	}
	to := "model"
	if len(done.Undone) == 0 {
		if to = "human"; t.toldUndone(id, string(b)) {
			return nil
		}
	}
	n := t.newNote(0, dialog.UndoKind, to, t.undoneText(id, done), dialog.Field{Key: "Parent", Value: id}, dialog.Field{Key: "By", Value: "human"})
	n.Payloads = append(n.Payloads, dialog.Payload{Type: dialog.NoteJSON, Text: string(b)})
	return t.append(n)
}

// toldUndone reports whether the last section is the Note of an undo of id with that answer.
func (t *turn) toldUndone(id, answer string) bool {
	d := t.dialog()
	last := &d.Sections[len(d.Sections)-1]
	return last.Kind() == dialog.UndoKind && last.Meta.Get("Parent") == id && last.Payload(dialog.NoteJSON) == answer
}

// undoneText tells the human and the model what an undo of id did.
func (t *turn) undoneText(id string, done dialog.Undone) string {
	d, what := t.dialog(), "what the call "+id+" did"
	switch {
	case d.Find(dialog.Note, id) >= 0 && d.Find(dialog.ToolRequest, id) < 0:
		what = "the undo " + id
	case d.Find(dialog.User, id) >= 0:
		what = "what the calls behind the message " + id + " did"
	}
	var b strings.Builder
	if len(done.Undone) == 0 {
		b.WriteString("[UNDO] Nothing was put back of " + what + ".\n")
	} else {
		b.WriteString("[UNDO] A human took back " + what + ". No call of yours is needed for it.\n")
	}
	for _, f := range done.Undone {
		if f.SHA256 == "" {
			fmt.Fprintf(&b, "\n- %s is not there any more.", dialog.Clean(f.Path, 300))
			continue
		}
		fmt.Fprintf(&b, "\n- %s is again as it was before (sha256 %s).", dialog.Clean(f.Path, 300), f.SHA256)
	}
	for _, f := range done.Refused {
		fmt.Fprintf(&b, "\n- %s could not be put back, or not all the way: %s.", dialog.Clean(f.Path, 300), dialog.Clean(f.Why, 300))
	}
	return b.String()
}

// putter puts files back for one undo.
type putter struct {
	t       *turn
	ctx     context.Context
	env     tools.Env
	changes *dialog.Changes
	git     bool // the deed is a git work tree
}

// newPutter opens the deed. Where that can't be reached, as an unmounted one, a file of it
// looks as if it were gone, which an undo must not take for its own doing.
func (t *turn) newPutter(ctx context.Context, changes *dialog.Changes, files []dialog.FileUndo) (*putter, error) {
	p := t.in.Project
	deed, err := p.DeedDir()
	inDeed := func(f dialog.FileUndo) bool { return strings.HasPrefix(f.Path, "deed/") }
	switch {
	case errors.Is(err, project.ErrLeads):
		return nil, err
	case err != nil && slices.ContainsFunc(files, inDeed):
		return nil, refuse(ErrDeed, "deed/ of this project can't be reached now, so its files can't be put back. Nothing was changed. Mount or make the folder that it leads to, then try again")
	}
	return &putter{t: t, ctx: ctx, changes: changes, git: err == nil && isRepository(filepath.Join(deed, ".git")), env: tools.Env{
		Project: p.Root(), ProjectDir: p.Root().Name(), DeedDir: deed, Sandbox: t.r.w.Sandbox,
		ChangeAs: p.ChangeAs, Chmod: p.Chmod, Remove: p.Remove, Bringing: t.voidsMark(p),
	}}, nil
}

// all puts all files back, that with the last change first. Its lists are never nil:
// they stand in JSON.
func (b *putter) all(files []dialog.FileUndo) dialog.Undone {
	done := dialog.Undone{Undone: []dialog.UndoneFile{}, Refused: []dialog.RefusedFile{}}
	for _, f := range removalsFirst(files) {
		is, moved, why := b.file(f)
		if moved {
			done.Undone = append(done.Undone, is)
		}
		if why != "" {
			done.Refused = append(done.Refused, dialog.RefusedFile{Path: f.Path, Why: why})
		}
	}
	return done
}

// removalsFirst orders files whose paths differ only in case, such as both of a renaming to
// other capitals: on a disk that folds names they are one, which must be gone under the new
// name before it comes back under the old one.
func removalsFirst(files []dialog.FileUndo) []dialog.FileUndo {
	files = slices.Clone(files)
	removes := func(f dialog.FileUndo) bool { return len(f.Steps) > 0 && f.Steps[len(f.Steps)-1].Before == "" }
	at := make(map[string]int, len(files))
	for i, f := range files {
		low := strings.ToLower(f.Path)
		if other, twice := at[low]; twice && removes(f) && !removes(files[other]) {
			files[i], files[other] = files[other], files[i]
			continue
		}
		at[low] = i
	}
	return files
}

// file puts one file back, as far as its changes follow on each other and their bytes are
// known. back reports whether any was taken back, and is what the file is then; why says
// what kept it from the rest.
func (b *putter) file(f dialog.FileUndo) (is dialog.UndoneFile, back bool, why string) {
	is.Path = f.Path
	if f.Why != "" {
		return is, false, f.Why
	}
	if why := b.unknown(f.Steps[0]); why != "" {
		return is, false, why
	}
	left := fs.FileMode(dialog.PermAfter(f.Steps))
	place := tools.NewPutBack(b.env, f.Steps[0], left)
	now, err := place.Look(b.ctx)
	if err != nil {
		return is, false, place.Why(err)
	}
	is.SHA256 = now.SHA256
	if now.SHA256 != f.Steps[0].After {
		return is, false, b.changedSince(f.Steps, now.SHA256)
	}
	to, before, taken, why := b.back(f.Steps, now.SHA256, now.Content)
	perm := fs.FileMode(dialog.PermBefore(f.Steps[:taken]))
	if now.SHA256 != "" && left != 0 && now.Perm != left && now.Perm != perm {
		perm = 0 // somebody gave it others since, which stay
		if to == now.SHA256 && taken > 0 {
			return is, false, "its permissions were changed since"
		}
	}
	switch {
	case to == now.SHA256 && (to == "" || perm == 0 || perm == now.Perm):
	case to == now.SHA256:
		err = place.Chmod(b.ctx, to, perm)
	case to == "":
		if err = place.Remove(b.ctx, now.SHA256); !dialog.NewPerm(uint32(now.Perm)) {
			is.ReplacedMode = dialog.Octal(uint32(now.Perm))
		}
	default:
		err = place.Write(b.ctx, now.SHA256, before, perm)
	}
	if err != nil {
		return dialog.UndoneFile{Path: f.Path, SHA256: now.SHA256}, false, place.Why(err)
	}
	is.SHA256 = to
	return is, taken > 0, why
}

// back follows steps from what the file is now, as far as they lead. It returns the hash
// and the bytes of the place farthest back of which the bytes are known, and how many
// steps it is away.
func (b *putter) back(steps []dialog.Change, now string, content []byte) (to string, before []byte, taken int, why string) {
	to = now
	at := now
	for i, s := range steps {
		if why = b.unknown(s); why != "" {
			break
		}
		if s.After != at {
			why = "before " + steps[i-1].ID + ", " + b.changedSince(steps[i:], at)
			break
		}
		at = s.Before
		var known bool
		if content, known = b.before(s, content); known {
			to, before, taken = at, content, i+1
		}
	}
	if taken < len(steps) && why == "" {
		why = "what stood there before is not kept any more: it was too large, or newer changes took its place"
	}
	return to, before, taken, why
}

// unknown says why a change can't be taken back by any means, "" where it can.
func (b *putter) unknown(s dialog.Change) string {
	if (s.Tool == "run_command" || dialog.ServerTool(s.Tool)) && !b.git {
		return "a command or an MCP server changed it, and what these change can be taken back only where the deed is a git work tree"
	}
	return s.Unknown
}

// before returns what the file held before a change: nothing, what is kept, or what
// follows from the call's own text and what it left, which is nil where that is not known.
func (b *putter) before(s dialog.Change, after []byte) (content []byte, known bool) {
	if s.Before == "" {
		return nil, true
	}
	if kept, err := b.t.in.Project.Kept(s.Before); err == nil {
		return kept, true
	}
	if s.Before == s.After {
		return after, after != nil // only its permissions changed
	}
	if s.Tool != "" {
		if content, ok := tools.Reverse(s.Tool, b.input(s), after); ok && record.Hash(string(content)) == s.Before {
			return content, true
		}
		return nil, false
	}
	took := b.changes.Took(s)
	for i := len(took) - 1; i >= 0; i-- {
		var ok bool
		if after, ok = tools.Repeat(took[i].Tool, b.input(took[i]), after); !ok || record.Hash(string(after)) != took[i].After {
			return nil, false
		}
	}
	return after, record.Hash(string(after)) == s.Before
}

// input is the text of the call that made a change.
func (b *putter) input(s dialog.Change) string {
	d := b.t.dialog()
	if i := d.Find(dialog.ToolRequest, s.ID); i >= 0 {
		return d.Sections[i].Text()
	}
	return ""
}

// changedSince says who made a file another one than the last change left, which is the
// first of steps.
func (b *putter) changedSince(steps []dialog.Change, sha string) string {
	if by := b.t.whoLeft(steps[0].Path, sha, steps[0].Section); by != "" {
		return "it was changed since: " + by
	}
	if slices.ContainsFunc(steps, func(s dialog.Change) bool { return s.Unknown == "" && s.Before == sha }) {
		return "it is already as it was before; somebody put it back, or an undo that was cut off"
	}
	return "a human or a command changed it since"
}
