package undo

import (
	"context"
	"io/fs"
	"strings"
	"unicode/utf8"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/tools"
)

// Sides are the texts of a file before and behind a call. Either is "" where there was no
// file.
type Sides struct{ Before, After string }

// NoText is why a file has no hunks.
const NoText = "it is no text, so that it has no lines"

// Sides returns them for a change of a call. now is what stands in the file's place. why
// says within a sentence that they are not known, or that lines are nothing that they have.
func (b *Putter) Sides(s change.Step, now tools.Found) (x Sides, why string) {
	if s.Unknown != "" {
		return x, s.Unknown
	}
	after, known := now.Content, now.SHA256 == s.After && (now.Content != nil || s.After == "")
	if !known {
		after, known = b.kept(s.After)
	}
	before, told := b.before(s, after)
	if !known && told {
		after, known = tools.Repeat(s.Tool, b.input(s), before)
		known = known && dialog.SHA256(string(after)) == s.After
	}
	switch {
	case !told, !known:
		return x, "the bytes that it had before or behind the call are not kept any more: they were too large, or newer changes took their place"
	case !isText(before), !isText(after):
		return x, NoText
	}
	return Sides{string(before), string(after)}, ""
}

// kept returns the bytes of that hash: none for "".
func (b *Putter) kept(sha string) (content []byte, known bool) {
	if sha == "" {
		return nil, true
	}
	content, err := b.Project.Kept(sha)
	return content, err == nil
}

// isText reports whether bytes are text.
func isText(b []byte) bool { return utf8.Valid(b) && !strings.Contains(string(b), "\x00") }

// Now returns what stands in the place of a change's file.
func (b *Putter) Now(ctx context.Context, s change.Step) (now tools.Found, why string) {
	place := b.place(s)
	now, err := place.Look(ctx)
	if err != nil {
		return now, place.Why(err)
	}
	return now, ""
}

func (b *Putter) place(s change.Step) *tools.PutBack {
	return tools.NewPutBack(b.Env, s, fs.FileMode(change.PermAfter([]change.Step{s})))
}

// Part takes back one hunk of a change of a call, of which x are the sides, and now is what
// stands there. All else in the file stays. why is set where nothing was done.
func (b *Putter) Part(ctx context.Context, s change.Step, h change.Hunk, x Sides, now tools.Found) (is change.UndoneFile, why string) {
	place := b.place(s)
	if now.SHA256 != "" && now.Content == nil {
		return is, "it is too large by now"
	}
	text, ok := h.TakeBack(x.Before, x.After, string(now.Content))
	switch {
	case ok:
	case h.Stands(x.Before, string(now.Content)):
		return is, "these lines are already as they were before; somebody put them back, or an undo that was cut off"
	default:
		why = "these lines were changed since"
		if by := WhoLeft(b.Project, b.ID, b.Dialog, s.Path, now.SHA256, s.Section); by != "" {
			why += "; " + by
		}
		return is, why
	}
	is = change.UndoneFile{Path: s.Path, SHA256: dialog.SHA256(text), Replaced: &now.SHA256}
	var err error
	if text == "" && s.Before == "" {
		is.SHA256 = ""
		if err = place.Remove(ctx, now.SHA256); !change.NewPerm(uint32(now.Perm)) {
			is.ReplacedMode = change.Octal(uint32(now.Perm))
		}
	} else {
		perm := fs.FileMode(0)
		if now.SHA256 == "" { // it comes back
			perm = fs.FileMode(s.BeforePerm)
		}
		err = place.Write(ctx, now.SHA256, []byte(text), perm)
	}
	if err != nil {
		return is, place.Why(err)
	}
	return is, ""
}
