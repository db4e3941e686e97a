package turn

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/dialog/grant"
	"vibey/server/turn/record"
	"vibey/server/turn/undo"
	"vibey/tools"
)

// sight is what changes in the deed between the calls of one turn. It is kept while the turn
// waits for a human, since servers of the project go on.
type sight struct {
	last  tools.Sight     // nil before the first look
	paths map[string]bool // in the deed, of what changed since the last Note; nil if no server ran
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
	b, _ := json.Marshal(change.Effect{Changed: files, More: more}) // it always can be
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
