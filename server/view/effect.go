package view

import (
	"fmt"
	"io/fs"
	"slices"

	"vibey/dialog"
	"vibey/dialog/effect"
	"vibey/dialog/grant"
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
	if at, ok := d.Tried(call); ok && at >= 0 && d.Find(dialog.ToolResult, call) < 0 {
		tried, _ := grant.TriedBy(&d.Sections[at])
		changes := tried.Effect.Changes
		if i := slices.IndexFunc(changes, func(c effect.Change) bool { return c.Path == path }); i >= 0 {
			return changes[i], tried.Held, nil
		}
	}
	return c, false, fmt.Errorf("%s as changed by call %s of %s: %w", path, call, id, fs.ErrNotExist)
}
