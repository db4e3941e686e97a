package turn

import (
	"strings"

	"vibey/dialog"
	"vibey/server/project"
	"vibey/tools"
)

// approval is what a call's own approval says of the file that it writes; nil
// for a call that an allow line released.
func (t *turn) approval(c *dialog.Call) *tools.Approval {
	if !c.Decided {
		return nil
	}
	return &tools.Approval{
		Target:  c.Target,
		Left:    func(path, sha string) bool { return t.leftTogether(c, path, sha) },
		Changed: t.whoLeft,
	}
}

// leftTogether reports whether path was last written by a file tool's call that
// the same Authorization decided as c, and was left with that hash. A command
// does not count: what it would write could not be seen when it was approved.
func (t *turn) leftTogether(c *dialog.Call, path, sha string) bool {
	d := t.dialog()
	decisions := t.gr.Extend(d).Decisions
	for i := len(d.Sections) - 1; i >= 0; i-- {
		s := &d.Sections[i]
		now, ok := left(s, path)
		if !ok {
			continue
		}
		if now != sha {
			return false
		}
		l := decisions[s.ID]
		if l.Verb == dialog.Approve && l.By != "" && l.By == c.By && dialog.WritesFile(s.Tool()) {
			return true
		}
	}
	return false
}

// left returns the hash that path has after a call, by the call's result: "" where
// it was removed, unread where its bytes were not read. ok is false for a result
// that does not name path, and for a section that is no result.
func left(s *dialog.Section, path string) (sha string, ok bool) {
	if s.Role != dialog.ToolResult || s.Torn {
		return "", false
	}
	for _, f := range dialog.Wrote(s.Tool(), s.Text()) {
		switch {
		case f.Path != path:
		case f.SHA256 == "" && !f.Deleted:
			return unread, true
		default:
			return f.SHA256, true
		}
	}
	return "", false
}

const unread = "unread"

// lastLeft is the id of the last call of d that left path with that hash.
func lastLeft(d *dialog.Dialog, path, sha string) string {
	for i := len(d.Sections) - 1; i >= 0; i-- {
		if now, ok := left(&d.Sections[i], path); ok && now == sha {
			return d.Sections[i].ID
		}
	}
	return ""
}

// othersAsked is how many other dialogs are searched for the call that changed a
// file: those that were written last.
const othersAsked = 50

// whoLeft names, in a sentence without its full stop, the call that left a file
// with that hash ("": removed it), as far as the dialogs' texts tell.
func (t *turn) whoLeft(path, sha string) string {
	if id := lastLeft(t.dialog(), path, sha); id != "" {
		return "the call " + id + " of this dialog left it so"
	}
	const unknown = "somebody outside of this dialog changed it"
	p := t.in.Project
	infos, err := p.Dialogs()
	if err != nil {
		return unknown
	}
	for _, info := range infos[:min(len(infos), othersAsked)] {
		if call := t.otherLeft(p, info.ID, path, sha); call != "" {
			return "the dialog " + info.ID + " of this project left it so, with its call " + call
		}
	}
	return unknown
}

// otherLeft is lastLeft in another dialog, which is parsed only where its text
// holds what a result would say.
func (t *turn) otherLeft(p *project.Project, id, path, sha string) string {
	if id == t.f.ID() {
		return ""
	}
	file, err := p.ReadDialog(id)
	if err != nil {
		return ""
	}
	sign := sha
	if sha == "" {
		sign = `"deleted":true`
	}
	if !strings.Contains(file.Text, sign) {
		return ""
	}
	return lastLeft(dialog.Parse(file.Text), path, sha)
}
