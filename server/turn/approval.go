package turn

import (
	"cmp"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/server/turn/undo"
	"vibey/tools"
)

// approval is what a call's own approval says of the file that it writes; nil
// for a call that an allow line released.
func (t *turn) approval(c *grant.Call) *tools.Approval {
	if !c.Decided {
		return nil
	}
	return &tools.Approval{
		Target: c.Target, Path: c.Path,
		Left: func(path, sha string) bool { return t.leftTogether(c, path, sha) },
		Changed: func(path, sha string) string {
			return cmp.Or(undo.WhoLeft(t.in.Project, t.f.ID(), t.dialog(), path, sha, -1), "somebody outside of this dialog changed it")
		},
	}
}

// leftTogether reports whether path was last written by a file tool's call that
// the same Authorization decided as c, and was left with that hash. A command
// does not count: what it would write could not be seen when it was approved.
func (t *turn) leftTogether(c *grant.Call, path, sha string) bool {
	d := t.dialog()
	decisions := t.gr.Extend(d).Decisions
	for i := len(d.Sections) - 1; i >= 0; i-- {
		s := &d.Sections[i]
		now, ok := undo.Left(s, path)
		if !ok {
			continue
		}
		if now != sha {
			return false
		}
		l := decisions[s.ID]
		if l.Verb == grant.Approve && l.By != "" && l.By == c.By && dialog.WritesFile(s.Tool()) {
			return true
		}
	}
	return false
}
