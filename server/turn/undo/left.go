package undo

import (
	"iter"
	"strings"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/server/project"
)

// Left returns the hash that path has after a call, by the call's result, or after an
// undo: "" if it was removed, unread if its bytes were not read. ok is false for
// a section that did not change path.
func Left(s *dialog.Section, path string) (sha string, ok bool) {
	for _, f := range change.Left(s) {
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
		if now, ok := Left(s, path); ok && now == sha {
			switch {
			case s.Kind() == dialog.EffectNote:
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

// WhoLeft names, in a sentence without its full stop, the call or undo that left a file
// with that hash ("": removed it), by the texts of the dialogs of p; "" for
// none. In d, which is the dialog id, it stands behind section after.
func WhoLeft(p *project.Project, id string, d *dialog.Dialog, path, sha string, after int) string {
	if by := lastLeft(d, path, sha, after); by != "" {
		return "the " + by + " of this dialog left it so"
	}
	for other, text := range Others(p, id) {
		if !MayLeave(text, sha) {
			continue
		}
		if by := lastLeft(dialog.Parse(text), path, sha, -1); by != "" {
			return "the dialog " + other + " of this project left it so, with its " + by
		}
	}
	return ""
}

// Others yields the ids and texts of the othersAsked dialogs of p other than id that were
// written last.
func Others(p *project.Project, id string) iter.Seq2[string, string] {
	return func(yield func(id, text string) bool) {
		infos, err := p.Dialogs()
		if err != nil {
			return
		}
		for _, info := range infos[:min(len(infos), othersAsked)] {
			if info.ID == id {
				continue
			}
			if file, err := p.ReadDialog(info.ID); err == nil && !yield(info.ID, file.Text) {
				return
			}
		}
	}
}

// MayLeave reports whether a dialog's text holds what a result, or an undo, has of a file
// that it left with that hash ("": removed). A text without it need not be parsed.
func MayLeave(text, sha string) bool {
	if sha == "" {
		return strings.Contains(text, `"deleted":true`) || strings.Contains(text, `"sha256":""`)
	}
	return strings.Contains(text, sha)
}
