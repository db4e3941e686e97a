package turn

import (
	"cmp"
	"iter"
	"strings"

	"vibey/dialog"
	"vibey/tools"
)

// approval is what a call's own approval says of the file that it writes; nil
// for a call that an allow line released.
func (t *turn) approval(c *dialog.Call) *tools.Approval {
	if !c.Decided {
		return nil
	}
	return &tools.Approval{
		Target: c.Target, Path: c.Path,
		Left: func(path, sha string) bool { return t.leftTogether(c, path, sha) },
		Changed: func(path, sha string) string {
			return cmp.Or(t.whoLeft(path, sha, -1), "somebody outside of this dialog changed it")
		},
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

// left returns the hash that path has after a call, by the call's result, or after an
// undo: "" where it was removed, unread where its bytes were not read. ok is false for
// a section that does not say that it changed path.
func left(s *dialog.Section, path string) (sha string, ok bool) {
	for _, f := range s.Left() {
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

// lastLeft is the last call of d, or undo, behind section after that left path with that
// hash, as "call <id>"; "" for none.
func lastLeft(d *dialog.Dialog, path, sha string, after int) string {
	for i := len(d.Sections) - 1; i > after; i-- {
		s := &d.Sections[i]
		if now, ok := left(s, path); ok && now == sha {
			switch {
			case s.Kind() == dialog.EffectKind:
				return "a server, as note " + s.ID + " tells"
			case s.Role == dialog.Note:
				return "undo " + s.ID
			}
			return "call " + s.ID
		}
	}
	return ""
}

// othersAsked is how many other dialogs are searched for the call that changed a
// file: those that were written last.
const othersAsked = 50

// whoLeft names, in a sentence without its full stop, the call or undo that left a file
// with that hash ("": removed it), as far as the dialogs' texts tell; "" for none. In
// this dialog it stands behind section after.
func (t *turn) whoLeft(path, sha string, after int) string {
	if by := lastLeft(t.dialog(), path, sha, after); by != "" {
		return "the " + by + " of this dialog left it so"
	}
	for id, text := range t.others() {
		if !mayLeave(text, sha) {
			continue
		}
		if by := lastLeft(dialog.Parse(text), path, sha, -1); by != "" {
			return "the dialog " + id + " of this project left it so, with its " + by
		}
	}
	return ""
}

// others yields the ids and texts of the othersAsked other dialogs that were written last.
func (t *turn) others() iter.Seq2[string, string] {
	return func(yield func(id, text string) bool) {
		p := t.in.Project
		infos, err := p.Dialogs()
		if err != nil {
			return
		}
		for _, info := range infos[:min(len(infos), othersAsked)] {
			if info.ID == t.f.ID() {
				continue
			}
			if file, err := p.ReadDialog(info.ID); err == nil && !yield(info.ID, file.Text) {
				return
			}
		}
	}
}

// mayLeave reports whether a dialog's text holds what a result, or an undo, would say of a
// file that it left with that hash ("": removed). It need not be parsed where it does not.
func mayLeave(text, sha string) bool {
	if sha == "" {
		return strings.Contains(text, `"deleted":true`) || strings.Contains(text, `"sha256":""`)
	}
	return strings.Contains(text, sha)
}
