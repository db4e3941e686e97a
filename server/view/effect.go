package view

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"

	"vibey/dialog"
	"vibey/dialog/effect"
	"vibey/server/project"
)

// WaitingChange returns one path of the effect that a tried call waits with. held reports
// whether its bytes lie in the call's layer and not in .kept. The error is fs.ErrNotExist if
// there is no such dialog or call, if nothing of it waits, and if it did not change that path.
func WaitingChange(p *project.Project, id, call, path string) (c effect.Change, held bool, err error) {
	file, err := p.ReadDialog(id)
	if err != nil {
		return c, false, err
	}
	d := dialog.Parse(file.Text)
	if d.Find(dialog.ToolRequest, call) >= 0 && d.Find(dialog.ToolResult, call) < 0 {
		changes, held := triedOf(d, call)
		if i := slices.IndexFunc(changes, func(c effect.Change) bool { return c.Path == path }); i >= 0 {
			return changes[i], held, nil
		}
	}
	return c, false, fmt.Errorf("%s as changed by call %s of %s: %w", path, call, id, fs.ErrNotExist)
}

// triedOf reads what a tried call changed from its Note.
func triedOf(d *dialog.Dialog, call string) (changes []effect.Change, held bool) {
	for _, s := range d.Backward() {
		if s.Role != dialog.Note || s.Torn || s.Kind() != dialog.EffectNote || s.Meta.Get("Parent") != call {
			continue
		}
		var note struct {
			Effect effect.Effect `json:"effect"`
			Held   bool          `json:"held"`
		}
		if json.Unmarshal([]byte(s.Payload(dialog.NoteJSON)), &note) == nil && effect.Sum(note.Effect.Changes) == note.Effect.SHA256 {
			return note.Effect.Changes, note.Held
		}
	}
	return nil, false
}
