package turn

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/dialog/grant"
	"vibey/server/turn/record"
	"vibey/server/turn/undo"
	"vibey/tools"
	"vibey/tools/commit"
)

// sight is what changes in the deed between the calls of one turn. It is kept while the turn
// waits for a human, since servers of the project go on.
type sight struct {
	last    *tools.Sight    // nil before the first look
	paths   map[string]bool // in the deed, of what changed since the last Note; nil if no server ran
	command *tools.Sight    // behind the last command, or before the first one that did not end; nil before
}

// sight returns that of this dialog's turn. starts reports that a server is about to run.
func (t *turn) sight(starts bool) *sight {
	r, box := t.r, t.r.w.Sandbox
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.sights[t.key()]
	if s == nil {
		s = &sight{}
		r.sights[t.key()] = s
	}
	if s.paths == nil && (starts || box != nil && len(box.Servers(t.in.Project.Root().Name())) > 0) {
		s.paths = map[string]bool{}
	}
	return s
}

// look adds to s what changed in the deed since the last look, if a server ran.
func (t *turn) look(s *sight) {
	if s.paths == nil {
		return
	}
	now := tools.See(t.deedEnv())
	if s.last != nil {
		for _, p := range now.Since(s.last) {
			s.paths[p] = true
		}
	}
	s.last = now
}

// lookBehind is look behind a call of that tool. What a command changed, or a server
// meanwhile, and the files that another call wrote, are named by its result.
func (t *turn) lookBehind(s *sight, tool string, res tools.Result) {
	if s.paths == nil {
		return
	}
	if tool == "run_command" || dialog.ServerTool(tool) {
		s.last = nil
	}
	t.look(s)
	for _, f := range change.Wrote(tool, res.JSON) {
		delete(s.paths, strings.TrimPrefix(f.Path, "deed/"))
	}
}

// effect returns the Note of what servers changed since the last one, if they did.
func (t *turn) effect() (note []dialog.Section) {
	s := t.sight(false)
	if len(s.paths) == 0 {
		return nil
	}
	files, more := s.last.Hashes(t.ctx, t.deedEnv(), slices.Sorted(maps.Keys(s.paths)))
	clear(s.paths)
	if files = t.notOthers(files); len(files)+more == 0 {
		return nil
	}
	b, err := json.Marshal(change.Effect{Changed: files, More: more})
	if err != nil {
		return nil
	}
	n := t.newNote(dialog.EffectNote, "human", fmt.Sprintf("While a server ran, files of the deed changed between two calls: %s.", namedFiles(files, more)))
	n.Payloads = append(n.Payloads, dialog.Payload{Type: dialog.NoteJSON, Text: string(b)})
	return []dialog.Section{n}
}

// namedMost is how many files the words of a Note name.
const namedMost = 10

// namedFiles lists files for the words of a Note; more counts those that are not among files.
func namedFiles(files []change.FileHash, more int) string {
	var names []string
	for _, f := range files[:min(len(files), namedMost)] {
		names = append(names, dialog.Clean(f.Path, record.MetaMost))
	}
	if more += len(files) - len(names); more > 0 {
		names = append(names, strconv.Itoa(more)+" more")
	}
	return strings.Join(names, ", ")
}

// notOthers returns those of files that no call of another dialog left as they are: what
// one changes beside a server is that dialog's to verify and to commit.
func (t *turn) notOthers(files []change.FileHash) []change.FileHash {
	for _, text := range undo.Others(t.in.Project, t.f.ID()) {
		var d *dialog.Dialog
		files = slices.DeleteFunc(files, func(f change.FileHash) bool {
			if !undo.MayLeave(text, f.SHA256) {
				return false
			}
			if d == nil {
				d = dialog.Parse(text)
			}
			return slices.ContainsFunc(d.Sections, func(s dialog.Section) bool {
				sha, ok := undo.Left(&s, f.Path)
				return ok && sha == f.SHA256 && s.Kind() != dialog.EffectNote
			})
		})
		if len(files) == 0 {
			break
		}
	}
	return files
}

// effectBefore returns the Note of what servers had changed before a call that succeeded
// and verifies what was changed: it stands before the result.
func (t *turn) effectBefore(c *grant.Call, res tools.Result) ([]dialog.Section, error) {
	s := t.sight(false)
	if len(s.paths) == 0 || !res.Success {
		return nil, nil
	}
	j, err := t.judged()
	if err != nil || !j.Verifies(c.Tool, c.Input) {
		return nil, err
	}
	return t.effect(), nil
}

// appendEffect looks at the deed once more if a server ran in this turn, and appends what
// changed there since the last call.
func (t *turn) appendEffect() error {
	s := t.sight(false)
	if s.last == nil || t.findDeed() != nil {
		return nil // if the deed can't be found, the next call fails with it
	}
	t.look(s)
	return t.append(t.effect()...)
}

// noteUncommitted appends a Note of the files of the deed that differ from its last commit
// and are not as a result of this dialog left them, if a commit may follow: the result of a
// command names what it changed, but not whose lines stood there before. now is the deed
// right before the command. git is asked before the first command of a turn, and again if
// something else than this dialog changed the deed since the last one. asked reports that
// it was, which takes two commands behind the walls. A failure of git is logged, and is no
// error.
func (t *turn) noteUncommitted(env tools.Env, now *tools.Sight) (asked bool, err error) {
	rules, err := t.projectRules()
	if err != nil || !rules.Commit {
		return false, err
	}
	s := t.sight(false)
	if s.command != nil && t.ownSince(env, now, s.command) {
		return false, nil
	}
	files, err := t.r.uncommitted(t.ctx, t.r.w.Sandbox, commit.Spec{Project: t.in.Project.Root().Name(), Deed: env.DeedDir, Home: env.Home})
	if t.ctx.Err() != nil {
		return true, nil // the command does not run, and git is asked before the next one
	}
	s.command = now
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
	n := t.newNote(dialog.CommitNote, "human", "Before a command ran, these files had changes that were not committed: "+namedFiles(theirs, 0)+". What a command changes in them is not committed either.")
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
