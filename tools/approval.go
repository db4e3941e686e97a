package tools

import (
	"cmp"
	"fmt"
	"path"

	"vibey/dialog/change"
	"vibey/dialog/grant"
)

// Approval is what a human's approval of one call says of the file that the call
// writes, and what the project's dialogs say of that file.
type Approval struct {
	// Target is the hash of the file as the human was shown it, grant.NoFile
	// where there was none, "" where the approval does not say.
	Target string
	// Path is where the file lay in the project when the call was approved, if links led
	// the path of the call there; "" where it lay at that path itself.
	Path string
	// Left reports whether a call that was approved together with this one was the
	// last to write path, and left it with that hash: the human released both at
	// once, so the second need not be asked about anew.
	Left func(path, sha string) bool
	// Changed returns, as a sentence without its full stop, who left path with that
	// hash, or removed it for "". It may read the project's dialogs, so that it is
	// called without a lock.
	Changed func(path, sha string) string
}

// strays returns why a call that names given must not write the file name: links lead it
// elsewhere than its human allowed. "" is no reason.
func strays(env Env, given, name string) string {
	named := path.Clean(given)
	switch a := env.Approved; {
	case env.Unlinked && name != named:
		return fmt.Sprintf("a link leads '%s' to '%s', and what a human allowed is only about the folder that the path names. Send the call anew with the path '%s', and say why.", clip(given, 300), clip(name, 300), clip(name, 300))
	case a != nil && name != cmp.Or(a.Path, named):
		return fmt.Sprintf("'%s' leads to '%s' now, by a link, and the human approved this call when it led to '%s'. Nothing was written. Send the call anew with the path '%s', so that the human is asked about that.", clip(given, 300), clip(name, 300), clip(cmp.Or(a.Path, named), 300), clip(name, 300))
	}
	return ""
}

// moved is a file that is not the one for which a call was approved.
type moved struct {
	shown string // Approval.Target
	now   change.FileHash
}

func (m *moved) Error() string { return m.now.Path + " is not the file that was approved" }

// unlike compares the file with the one that the human was shown. It returns nil if
// the call may go on. A call that an allow line released has no such file; stale
// guards it.
func unlike(env Env, name string, old *content) *moved {
	a := env.Approved
	if a == nil || a.Target == old.sha || a.Target == grant.NoFile && old.info == nil {
		return nil
	}
	switch {
	case old.info == nil:
		if a.Target == "" {
			return nil // nothing is there that could be lost
		}
	case a.Target == "":
		// Given by an older version, or by hand: it is valid for a file that this
		// dialog was told of, which stale compares, and for no other.
		if env.Hash != nil {
			if seen, ok := env.Hash(name); ok && seen != "" {
				return nil
			}
		}
	case a.Left != nil && a.Left(name, old.sha):
		return nil
	}
	return &moved{shown: a.Target, now: change.FileHash{Path: name, SHA256: old.sha, Deleted: old.info == nil}}
}

// refusal is the result of a call whose file moved: what changed it, and what to do.
func (m *moved) refusal(env Env) Result {
	var what string
	switch name := m.now.Path; {
	case m.shown == "":
		what = fmt.Sprintf("%s stands there, and the approval of this call does not say that the human was shown it", name)
	case m.now.Deleted:
		what = name + " is gone since the human approved this call"
	case m.shown == grant.NoFile:
		what = name + " did not exist when the human approved this call, and does now"
	default:
		what = name + " is not as it was when the human approved this call"
	}
	if m.shown != "" && env.Approved.Changed != nil {
		what += ": " + env.Approved.Changed(m.now.Path, m.now.SHA256)
	}
	return Result{Failure: ExecError, body: &failure{
		Error:   what + ". Nothing was written. Read it again, then send the call anew, made for what stands there now, so that the human is asked about that.",
		Current: &m.now,
	}}
}
