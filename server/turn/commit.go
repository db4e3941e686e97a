package turn

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/dialog/governor"
	"vibey/provider"
	"vibey/server/hub"
	"vibey/server/turn/brief"
	"vibey/server/turn/record"
	"vibey/server/turn/undo"
	"vibey/tools/commit"
	"vibey/tools/sandbox"
)

// commit commits what the turn changed in the deed, if the deed is a git work tree and
// the project's rules allow it. If there is no commit, a Note has the reason. That is no
// error: the turn is over either way.
func (t *turn) commit() error {
	rules, err := t.projectRules()
	if err != nil || !rules.Commit || !t.asked {
		return err
	}
	files, unnamed := undo.Changed(t.dialog())
	if len(files) == 0 && !unnamed {
		return nil
	}
	j, err := t.judged()
	if err != nil {
		return err
	}
	deed, err := t.in.Project.DeedDir()
	if err != nil || !undo.IsRepository(deed) {
		return nil // nothing can be committed there
	}
	if len(files) == 0 {
		return t.notCommitted(&commit.Error{Reason: commit.TooMany, Text: unnamedFiles})
	}
	if unnamed {
		if err := t.note("commit", "human", "Not all is committed ("+string(commit.TooMany)+"): "+unnamedFiles, dialog.Field{Key: "Reason", Value: string(commit.TooMany)}); err != nil {
			return err
		}
	}
	home, err := t.r.w.Home(t.in.Project.Name(), false)
	if err != nil {
		return err
	}
	spec := commit.Spec{
		Project: t.in.Project.Root().Name(), Deed: deed, Home: home, Files: files, Message: commit.Message(j.LastWords()), More: func(path string, from []string) []string { return undo.LedByOthers(t.in.Project, t.f.ID(), path, from) },
	}
	var done commit.Done
	if spec.Theirs, err = t.theirs(spec); err == nil {
		done, err = commit.Commit(t.ctx, t.r.w.Sandbox, spec)
	}
	if stopped := context.Cause(t.ctx); stopped != nil && done.SHA == "" {
		return stopped
	}
	if e, ok := errors.AsType[*commit.Error](err); ok {
		return t.notCommitted(e)
	}
	if err != nil {
		return err
	}
	if done.SHA == "" {
		if len(done.LeftOut) == 0 {
			return nil
		}
		return t.notCommitted(&commit.Error{Reason: commit.Left, Text: "no file that this turn changed can be in a commit of its own." + undo.LeftOut(done.LeftOut)})
	}
	if err := t.note("commit", "model", "[COMMIT] What this turn changed was committed as "+done.SHA+"."+undo.LeftOut(done.LeftOut), dialog.Field{Key: "Sha", Value: done.SHA}); err != nil {
		return err
	}
	t.publish(hub.CommitEvent, struct {
		SHA    string `json:"sha"`
		Pushed bool   `json:"pushed"`
	}{done.SHA, false})
	return context.Cause(t.ctx)
}

// theirs is Spec.Theirs where a command ran in the turn: what differs from the last
// commit now, and what calls removed that was in none.
func (t *turn) theirs(s commit.Spec) (map[string]bool, error) {
	d := t.dialog()
	i := len(d.Sections) - 1
	for i >= 0 && d.Sections[i].Role != dialog.User && (d.Sections[i].Role != dialog.ToolResult || d.Sections[i].Tool() != "run_command" && !dialog.ServerTool(d.Sections[i].Tool())) {
		i--
	}
	if i < 0 || d.Sections[i].Role == dialog.User {
		return nil, nil
	}
	stands, err := commit.Uncommitted(t.ctx, t.r.w.Sandbox, s)
	if err != nil {
		return nil, err
	}
	changes, theirs := change.Of(d), map[string]bool{}
	add := func(path, sha string) {
		if !changes.Ends(path, sha) {
			theirs[sha] = true
		}
	}
	for _, f := range stands {
		add(f.Path, f.SHA256)
	}
	for _, f := range s.Files {
		if f.Deleted && !slices.ContainsFunc(stands, func(o commit.File) bool { return o.Path == f.Path }) {
			for _, sha := range f.From {
				add(f.Path, sha)
			}
		}
	}
	return theirs, nil
}

// unnamedFiles is the reason if a command changed files of a deed that has too many to list.
const unnamedFiles = "a command changed files, and the deed has too many to tell which. They are in the deed: look at them and commit them with your own git."

// FreeRepositories takes away the locks that commits left in deeds when their program was
// killed, so that a human's git can work there, too. root is the projects' folder.
func (r *Runner) FreeRepositories(root string) {
	names, err := r.w.Store.Projects()
	if err != nil {
		return // the first request fails with it
	}
	for _, name := range names {
		deed := filepath.Join(root, name, "deed")
		if !commit.Unfinished(deed) {
			continue
		}
		if err := commit.Recover(deed, r.w.Sandbox.Level() == sandbox.Bwrap); err != nil {
			r.w.Log.Warn("the locks of a commit that was cut off are still in deed/.git", "project", name, "err", err)
		}
	}
}

func (t *turn) notCommitted(e *commit.Error) error {
	if e.Reason == commit.None {
		return nil
	}
	text := "Not committed (" + string(e.Reason) + "): " + e.Text
	if err := t.note("commit", "human", text, dialog.Field{Key: "Reason", Value: string(e.Reason)}); err != nil {
		return err
	}
	t.publish(hub.NoCommit, map[string]commit.Reason{"reason": e.Reason})
	return nil
}

// keepChanges commits what the turn changed, and adds its decisions to the plan. Both end
// if the turn is stopped.
func (t *turn) keepChanges() error {
	if err := t.appendEffect(); err != nil {
		return err
	}
	t.dropSight()
	if err := t.guard("the commit of a turn", t.commit); err != nil || t.held() {
		return err
	}
	return t.guard("what a turn brought for the plan", t.extract)
}

// extract asks the dialog's own model, once and without tools, what the turn brought
// for the plan, and writes it there as tentative. It is a conversation of its own: the
// dialog's history stays as it is. A Note names to the human what was added.
func (t *turn) extract() error {
	rules, err := t.projectRules()
	if err != nil || !t.asked || !slices.Contains(rules.Tools, "plan") {
		return err
	}
	turnText, ok := governor.LastTurn(t.dialog())
	if !ok {
		return nil
	}
	name, model := t.dialog().Model()
	p, known := t.r.w.Provider(name)
	if !known || p.API() == "replay" {
		return nil // a recording answers nothing that was not asked when it was made
	}
	start := t.r.w.Now()
	text, spent, err := brief.Extract(t.ctx, p, provider.Request{Provider: name, Model: model}, turnText, t.in.Project, t.f.ID())
	if err != nil || text == "" {
		return err
	}
	n := t.newNote("plan", "human", text)
	spent.MS, spent.Tools = record.Since(start, t.r.w.Now()), 0
	n.Resources = spent
	return t.append(n)
}
