package turn

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"vibey/dialog"
	"vibey/server/hub"
	"vibey/tools/commit"
	"vibey/tools/sandbox"
)

// commit commits what the turn changed in the deed, if the deed is a git work tree and
// the project's rules do not say otherwise. Why there is no commit is a Note, and no
// error: the turn is over either way.
func (t *turn) commit() error {
	rules, err := t.projectRules()
	if err != nil || !rules.Commit || !t.asked {
		return err
	}
	files, untold := t.changed()
	if len(files) == 0 && !untold {
		return nil
	}
	j, err := t.judged()
	if err != nil {
		return err
	}
	deed, err := t.in.Project.DeedDir()
	if err != nil {
		return nil // nothing can be committed in a deed that is not there
	}
	if !isRepository(filepath.Join(deed, ".git")) {
		return nil
	}
	if len(files) == 0 {
		return t.notCommitted(&commit.Error{Reason: commit.TooMany, Text: untoldFiles})
	}
	if untold {
		if err := t.note("commit", "human", "Not all is committed ("+string(commit.TooMany)+"): "+untoldFiles, dialog.Field{Key: "Reason", Value: string(commit.TooMany)}); err != nil {
			return err
		}
	}
	home, err := t.r.w.Home(t.in.Project.Name(), false)
	if err != nil {
		return err
	}
	done, err := commit.Commit(t.ctx, t.r.w.Sandbox, commit.Spec{
		Project: t.in.Project.Root().Name(), Deed: deed, Home: home, Files: files, Message: commit.Message(j.LastWords()), More: t.ledByOthers,
	})
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
		return t.notCommitted(&commit.Error{Reason: commit.Left, Text: "no file that this turn changed can be in a commit of its own." + leftOut(done.LeftOut)})
	}
	if err := t.note("commit", "model", "[COMMIT] What this turn changed was committed as "+done.SHA+"."+leftOut(done.LeftOut), dialog.Field{Key: "Sha", Value: done.SHA}); err != nil {
		return err
	}
	t.publish(hub.CommitEvent, commitEvent{done.SHA, false})
	return context.Cause(t.ctx)
}

// untoldFiles is why what a command changed in a large deed is in no commit.
const untoldFiles = "a command changed files, and the deed has too many to tell which. They are in the deed: look at them and commit them with your own git."

// FreeRepositories takes away the locks that commits left in deeds when their program was
// killed, so that a human's git can work there, too. root is the projects' folder.
func (r *Runner) FreeRepositories(root string) {
	names, err := r.w.Store.Projects()
	if err != nil {
		return // the first request says so
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

// isRepository reports whether git may keep a repository there. While a command runs,
// and after a kill, the sandbox has an empty folder in the place of one.
func isRepository(git string) bool {
	fi, err := os.Lstat(git)
	if err != nil || !fi.IsDir() {
		return err == nil
	}
	_, err = os.Lstat(filepath.Join(git, "HEAD"))
	return err == nil
}

// The data of the events that tell what became of the turn's changes.
type (
	commitEvent struct {
		SHA    string `json:"sha"`
		Pushed bool   `json:"pushed"`
	}
	noCommitEvent struct {
		Reason string `json:"reason"`
	}
)

func (t *turn) notCommitted(e *commit.Error) error {
	if e.Reason == commit.None {
		return nil
	}
	text := "Not committed (" + string(e.Reason) + "): " + e.Text
	if err := t.note("commit", "human", text, dialog.Field{Key: "Reason", Value: string(e.Reason)}); err != nil {
		return err
	}
	t.publish(hub.NoCommit, noCommitEvent{string(e.Reason)})
	return nil
}

// changed returns the files that this turn left as they are, as its results and the Notes
// of what a server changed meanwhile say. Of what
// a human took back since, only that is the turn's which an earlier call of it left.
// untold: calls changed files that their results do not name.
func (t *turn) changed() (all []commit.File, untold bool) {
	files := map[string]commit.File{}
	undone := map[string]string{} // the hash that the last undo of a file left
	d := t.dialog()
	i := len(d.Sections) - 1
	for ; i >= 0 && d.Sections[i].Role != dialog.User; i-- {
		s := &d.Sections[i]
		for _, f := range slices.Backward(s.Left()) {
			_, later := files[f.Path]
			sha, taken := undone[f.Path]
			undo := s.Role == dialog.Note && s.Kind() == dialog.UndoKind
			switch {
			case later:
			case undo && !taken:
				undone[f.Path] = f.SHA256
			case undo, taken && (sha != f.SHA256 || sha == "" && !f.Deleted):
			default:
				files[f.Path] = commit.File{Path: f.Path, SHA256: f.SHA256, Link: f.Link, Deleted: f.Deleted}
			}
		}
	}
	changes := dialog.ChangesOf(d)
	for path, f := range files {
		if from, known := changes.Leads(path, f.SHA256); known && (f.SHA256 != "" || f.Deleted) {
			f.From = from
			files[path] = f
		}
	}
	return slices.SortedFunc(maps.Values(files), func(a, b commit.File) int { return strings.Compare(a.Path, b.Path) }), changes.Untold(i)
}

// ledByOthers adds to the hashes that a file had before this dialog's changes those from
// which other dialogs' changes led to them.
func (t *turn) ledByOthers(path string, from []string) []string {
	for _, text := range t.others() {
		if !slices.ContainsFunc(from, func(sha string) bool { return sha != "" && strings.Contains(text, sha) }) {
			continue
		}
		if more, known := dialog.ChangesOf(dialog.Parse(text)).Leads(path, from...); known {
			from = more
		}
	}
	return from
}

// leftOut tells which files of the turn are not in its commit.
func leftOut(files []commit.LeftOut) string {
	const most = 10
	if len(files) == 0 {
		return ""
	}
	var told []string
	for _, f := range files[:min(len(files), most)] {
		told = append(told, f.Path+" ("+f.Why+")")
	}
	if more := len(files) - most; more > 0 {
		told = append(told, strconv.Itoa(more)+" more")
	}
	return " Not in it: " + strings.Join(told, ", ") + "."
}
