package turn

import (
	"context"
	"encoding/json"
	"path/filepath"
	"reflect"

	"vibey/dialog"
	"vibey/tools/commit"
)

// tellUncommitted appends which files of the deed differ from its last commit, and are as
// no result of this dialog left them, if a commit may follow: a command tells what it
// changed, and not whose lines stood there before. It looks before the first command of a
// run alone. What is not known then is in no Note, and no error.
func (t *turn) tellUncommitted(tool string) error {
	if t.looked || tool != "run_command" && tool != "start_server" && !dialog.ServerTool(tool) {
		return nil
	}
	t.looked = true
	rules, err := t.projectRules()
	if err != nil || !rules.Commit {
		return err
	}
	deed, err := t.in.Project.DeedDir()
	if err != nil || !isRepository(filepath.Join(deed, ".git")) {
		return nil // no commit follows
	}
	home, err := t.r.w.Home(t.in.Project.Name(), false)
	if err != nil {
		return err
	}
	files, err := commit.Uncommitted(t.ctx, t.r.w.Sandbox, commit.Spec{Project: t.in.Project.Root().Name(), Deed: deed, Home: home})
	if stopped := context.Cause(t.ctx); stopped != nil {
		return stopped
	}
	if err != nil {
		t.r.w.Log.Warn("it is not known what stood uncommitted in a deed before a command", "project", t.in.Project.Name(), "err", err)
		return nil
	}
	changes := dialog.ChangesOf(t.dialog())
	var theirs []dialog.FileHash
	for _, f := range files {
		if !changes.Ends(f.Path, f.SHA256) {
			theirs = append(theirs, dialog.FileHash{Path: f.Path, SHA256: f.SHA256, Deleted: f.Deleted})
		}
	}
	if len(theirs) == 0 || reflect.DeepEqual(theirs, t.lastUncommitted()) {
		return nil
	}
	b, err := json.Marshal(map[string]any{"uncommitted": theirs})
	if err != nil {
		return err
	}
	n := t.newNote(0, dialog.CommitKind, "human", "Before a command ran, these files had changes that were not committed: "+namedFiles(theirs, 0)+". What a command changes in them is not committed either.")
	n.Payloads = append(n.Payloads, dialog.Payload{Type: dialog.NoteJSON, Text: string(b)})
	return t.append(n)
}

// lastUncommitted is what the last such Note names.
func (t *turn) lastUncommitted() []dialog.FileHash {
	d := t.dialog()
	for i := len(d.Sections) - 1; i >= 0; i-- {
		if files := d.Sections[i].Uncommitted(); len(files) > 0 {
			return files
		}
	}
	return nil
}
