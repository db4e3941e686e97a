// Package undo takes back what calls changed, and finds what is to be committed. It owns
// what is known of a file before and behind a call: what it held, who left it so, and what
// was not committed.
//
// Begin with Putter, which puts files back, Text, which says what it did, and Changed, the
// files that a turn left for a commit.
// WhoLeft names the call that left a file as it is.
package undo

import (
	"context"
	"io/fs"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/server/project"
	"vibey/tools"
)

// Putter puts files back for one undo.
type Putter struct {
	Env     tools.Env // in which they are written
	Project *project.Project
	ID      string         // of the dialog
	Dialog  *dialog.Dialog // whose calls are taken back
	Changes *change.Log
}

// PutBack puts all files back, that with the last change first, and removes the folders that
// the calls made and that are empty then. Its lists are never nil: they stand in JSON.
func (b *Putter) PutBack(ctx context.Context, files []change.FileUndo) change.Undone {
	done := change.Undone{Undone: []change.UndoneFile{}, Refused: []change.RefusedFile{}}
	back := map[int]bool{} // by section
	for _, f := range removalsFirst(files) {
		is, moved, why := b.file(ctx, f)
		if moved {
			done.Undone = append(done.Undone, is)
			for _, s := range f.Steps {
				back[s.Section] = true
			}
		}
		if why != "" {
			done.Refused = append(done.Refused, change.RefusedFile{Path: f.Path, Why: why})
		}
	}
	for i := range back {
		for _, made := range change.MadeFolders(&b.Dialog.Sections[i]) {
			tools.NewPutBack(b.Env, change.Step{Path: made}, 0).RemoveEmpty(ctx) // what holds files stays
		}
	}
	return done
}

// removalsFirst orders files whose paths differ only in case, such as both of a renaming to
// other capitals: on a disk that folds names they are one, which must be gone under the new
// name before it comes back under the old one.
func removalsFirst(files []change.FileUndo) []change.FileUndo {
	files = slices.Clone(files)
	removes := func(f change.FileUndo) bool { return len(f.Steps) > 0 && f.Steps[len(f.Steps)-1].Before == "" }
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
// known. back reports whether any change was taken back; is describes the file then, and
// why is what kept the rest.
func (b *Putter) file(ctx context.Context, f change.FileUndo) (is change.UndoneFile, back bool, why string) {
	is.Path = f.Path
	if f.Why != "" {
		return is, false, f.Why
	}
	if why := f.Steps[0].Unknown; why != "" {
		return is, false, why
	}
	left := fs.FileMode(change.PermAfter(f.Steps))
	place := tools.NewPutBack(b.Env, f.Steps[0], left)
	now, err := place.Look(ctx)
	if err != nil {
		return is, false, place.Why(err)
	}
	is.SHA256 = now.SHA256
	if now.SHA256 != f.Steps[0].After {
		if is, ok := b.bringBack(ctx, f, now); ok {
			return is, true, ""
		}
		return is, false, b.changedSince(f.Steps, now.SHA256)
	}
	to, before, taken, why := b.back(f.Steps, now.SHA256, now.Content)
	perm := fs.FileMode(change.PermBefore(f.Steps[:taken]))
	if now.SHA256 != "" && left != 0 && now.Perm != left && now.Perm != perm {
		perm = 0 // somebody gave it others since, which stay
		if to == now.SHA256 && taken > 0 {
			return is, false, "its permissions were changed since"
		}
	}
	switch {
	case to == now.SHA256 && (to == "" || perm == 0 || perm == now.Perm):
	case to == now.SHA256:
		err = place.Chmod(ctx, to, perm)
	case to == "":
		if err = place.Remove(ctx, now.SHA256); !change.NewPerm(uint32(now.Perm)) {
			is.ReplacedMode = change.Octal(uint32(now.Perm))
		}
	default:
		err = place.Write(ctx, now.SHA256, before, perm)
	}
	if err != nil {
		return change.UndoneFile{Path: f.Path, SHA256: now.SHA256}, false, place.Why(err)
	}
	is.SHA256 = to
	return is, taken > 0, why
}

// back follows steps from what the file is now, as far as they lead. It returns the hash
// and the bytes of the farthest state whose bytes are known, and how many steps it is away.
func (b *Putter) back(steps []change.Step, now string, content []byte) (to string, before []byte, taken int, why string) {
	to = now
	at := now
	for i, s := range steps {
		if why = s.Unknown; why != "" {
			break
		}
		if s.After != at {
			why = "before " + steps[i-1].ID + ", " + b.changedSince(steps[i:], at)
			break
		}
		at = s.Before
		var known bool
		if content, known = b.before(s, content); known && !s.Passed {
			to, before, taken = at, content, i+1
		}
	}
	if taken < len(steps) && why == "" {
		why = "what stood there before is not kept any more: it was too large, or newer changes took its place"
	}
	return to, before, taken, why
}

// before returns what the file held before a change: nothing, what is kept, or what
// follows from the call's own text and what it left, which is nil if that is not known.
func (b *Putter) before(s change.Step, after []byte) (content []byte, known bool) {
	if s.Before == "" {
		return nil, true
	}
	if kept, err := b.Project.Kept(s.Before); err == nil {
		return kept, true
	}
	if s.Before == s.After {
		return after, after != nil // only its permissions changed
	}
	if s.Tool != "" {
		if content, ok := tools.Reverse(s.Tool, b.input(s), after); ok && dialog.SHA256(string(content)) == s.Before {
			return content, true
		}
		return nil, false
	}
	took := b.Changes.Took(s)
	for i := len(took) - 1; i >= 0; i-- {
		var ok bool
		if after, ok = tools.Repeat(took[i].Tool, b.input(took[i]), after); !ok || dialog.SHA256(string(after)) != took[i].After {
			return nil, false
		}
	}
	return after, dialog.SHA256(string(after)) == s.Before
}

// input is the text of the call that made a change.
func (b *Putter) input(s change.Step) string {
	d := b.Dialog
	if i := d.Find(dialog.ToolRequest, s.ID); i >= 0 {
		return d.Sections[i].Text()
	}
	return ""
}

// changedSince names what changed a file since the last change, the first of steps, left
// it.
func (b *Putter) changedSince(steps []change.Step, sha string) string {
	if by := WhoLeft(b.Project, b.ID, b.Dialog, steps[0].Path, sha, steps[0].Section); by != "" {
		return "it was changed since: " + by
	}
	if slices.ContainsFunc(steps, func(s change.Step) bool { return s.Unknown == "" && s.Before == sha }) {
		return "it is already as it was before; somebody put it back, or an undo that was cut off"
	}
	return "a human or a command changed it since"
}

// bringBack undoes the undo of a hunk in a file that was changed since, but not in the lines
// that the undo put back. ok is false where that is not so.
func (b *Putter) bringBack(ctx context.Context, f change.FileUndo, now tools.Found) (is change.UndoneFile, ok bool) {
	s := f.Steps[0]
	if len(f.Steps) != 1 || s.Part == nil || s.Before == "" || s.After == "" {
		return is, false
	}
	x, ok := b.hunkSides(s, now)
	hunks := change.Hunks(x.Before, x.After)
	if !ok || len(hunks) != 1 {
		return is, false
	}
	is, why := b.Part(ctx, s, hunks[0], x, now)
	return is, why == ""
}

// hunkSides returns the texts before and behind the undo s of a hunk. The latter follows from
// the former, if another program wrote over it.
func (b *Putter) hunkSides(s change.Step, now tools.Found) (x Sides, ok bool) {
	if x, why := b.Sides(s, now); why == "" {
		return x, true
	}
	before, known := b.kept(s.Before)
	made := b.Changes.Made(b.Dialog.Sections[s.Section].Meta.Get("Parent"), false)
	at := slices.IndexFunc(made, func(m change.Step) bool { return m.Path == s.Path })
	if !known || at < 0 {
		return x, false
	}
	call, why := b.Sides(made[at], now)
	h, found := change.FindHunk(call.Before, call.After, *s.Part)
	if why != "" || !found {
		return x, false
	}
	after, ok := h.TakeBack(call.Before, call.After, string(before))
	return Sides{string(before), after}, ok && dialog.SHA256(after) == s.After
}
