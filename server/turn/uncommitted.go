package turn

import (
	"encoding/json"
	"reflect"
	"slices"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/tools"
	"vibey/tools/commit"
)

// noteUncommitted appends which files of the deed differ from its last commit, and are as
// no result of this dialog left them, if a commit may follow: a command tells what it
// changed, and not whose lines stood there before. now is the deed right before the
// command. git is asked before the first command of a turn, and again where something else
// than this dialog changed the deed since the last one: two commands behind
// the walls, which asked tells. What is not known then is in no Note, and no error.
func (t *turn) noteUncommitted(env tools.Env, now *tools.Sight) (asked bool, err error) {
	rules, err := t.projectRules()
	if err != nil || !rules.Commit {
		return false, err
	}
	if last := t.looked(nil); last != nil && t.ownSince(env, now, last) {
		return false, nil
	}
	files, err := t.r.uncommitted(t.ctx, t.r.w.Sandbox, commit.Spec{Project: t.in.Project.Root().Name(), Deed: env.DeedDir, Home: env.Home})
	if t.ctx.Err() != nil {
		return true, nil // the command does not run, and git is asked before the next one
	}
	t.looked(now)
	if err != nil {
		t.r.w.Log.Warn("it is not known what stood uncommitted in a deed before a command", "project", t.in.Project.Name(), "err", err)
		return true, nil
	}
	changes := change.Of(t.dialog())
	var theirs []change.FileHash
	for _, f := range files {
		if !changes.Ends(f.Path, f.SHA256) {
			theirs = append(theirs, change.FileHash{Path: f.Path, SHA256: f.SHA256, Deleted: f.Deleted})
		}
	}
	if len(theirs) == 0 || reflect.DeepEqual(theirs, t.lastUncommitted()) {
		return true, nil
	}
	b, err := json.Marshal(map[string]any{"uncommitted": theirs})
	if err != nil {
		return true, err
	}
	n := t.newNote(0, dialog.CommitNote, "human", "Before a command ran, these files had changes that were not committed: "+namedFiles(theirs, 0)+". What a command changes in them is not committed either.")
	n.Payloads = append(n.Payloads, dialog.Payload{Type: dialog.NoteJSON, Text: string(b)})
	return true, t.append(n)
}

// ownSince reports whether all files that differ between two looks at the deed are as
// calls of this dialog left them.
func (t *turn) ownSince(env tools.Env, now, last *tools.Sight) bool {
	paths := now.Since(last)
	if len(paths) == 0 {
		return true
	}
	files, more := now.Hashes(t.ctx, env, paths)
	changes := change.Of(t.dialog())
	return more == 0 && !slices.ContainsFunc(files, func(f change.FileHash) bool {
		return f.Link != "" || f.SHA256 == "" && !f.Deleted || !changes.Ends(f.Path, f.SHA256)
	})
}

// looked keeps s, if it is not nil, as the deed behind the last command of this turn, or
// before the first one that did not end, and returns the one before; nil if there was none.
func (t *turn) looked(s *tools.Sight) (before *tools.Sight) {
	t.r.mu.Lock()
	defer t.r.mu.Unlock()
	before = t.r.looked[t.key()]
	if s != nil {
		t.r.looked[t.key()] = s
	}
	return before
}

// lastUncommitted is what the last such Note names.
func (t *turn) lastUncommitted() []change.FileHash {
	d := t.dialog()
	for i := len(d.Sections) - 1; i >= 0; i-- {
		if files := change.Uncommitted(&d.Sections[i]); len(files) > 0 {
			return files
		}
	}
	return nil
}
