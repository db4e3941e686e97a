package tools

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/dialog/grant"
	"vibey/tools/disk"
)

// maxFile is the most that a file tool reads to edit, or writes: 10 MiB.
const maxFile = 10 << 20

// written is the evidence of a file tool.
type written struct {
	Success  bool   `json:"success"`
	Path     string `json:"path"`
	Bytes    int    `json:"bytes"`
	SHA256   string `json:"sha256"`
	MTime    string `json:"mtime"`
	Preview  string `json:"preview" mask:"text"` // the first 200 characters
	Replaced string `json:"replaced,omitempty"`  // SHA-256 of what stood there before

	Problems []dialog.LineProblem `json:"problems,omitempty" mask:"text"` // lines of the leading page that do not hold
}

// problems are the first lines of the leading page that do not hold: what is told of
// them stays in the dialog.
func problems(page []byte, known grant.Known) []dialog.LineProblem {
	_, found := grant.ParseRules(string(page), known)
	const most = 20
	return dialog.FirstProblems(found, most)
}

// errEnded is the error of an edit that ends in a result before anything is written.
type errEnded struct{ Result }

func (errEnded) Error() string { return "nothing was written" }

// rewrite finds a file, calls edit with its present bytes (nil for a missing file)
// and replaces it by what edit returns, whole or not at all for a reader, a crash
// and a full disk. Of two calls, and of a call and a human's save, the second gets
// what the first wrote.
func rewrite(ctx context.Context, env Env, given string, create bool, edit func(old []byte, fi fs.FileInfo) ([]byte, error)) Result {
	if name, err := leads(env, given); err == nil { // before a folder is made there
		if why := strays(env, given, name); why != "" {
			return notRun(Permission, "%s", why)
		}
	}
	p, err := find(env, given, create)
	if err != nil {
		return fileFailure(given, err)
	}
	defer p.close()
	if why := strays(env, given, p.name); why != "" {
		return notRun(Permission, "%s", why)
	}
	if err := p.notOfGit(ctx, env, given); err != nil {
		return fileFailure(given, err)
	}
	w := &written{Success: true, Path: p.name}
	var page []byte // the leading page as it was written
	info, err := env.Write(p.dir, p.base, func(f *os.File) ([]byte, error) {
		if ctx.Err() != nil {
			return nil, errEnded{interrupted()}
		}
		old, err := read(p.name, f, !create)
		if err != nil {
			return nil, err
		}
		content, err := p.content(env, old, edit)
		if err == nil {
			w.Bytes, w.SHA256, w.Preview, w.Replaced = len(content), dialog.SHA256(content), preview(content), old.sha
			if p.name == mainDoc {
				page = content
			}
		}
		return content, err
	})
	if m, ok := errors.AsType[*moved](err); ok {
		return m.refusal(env) // here and not within Write: it reads other dialogs
	}
	if err != nil {
		return fileFailure(p.name, err)
	}
	w.Path = path.Join(path.Dir(p.name), spelled(p.dir, p.base)) // some disks keep another spelling
	w.MTime = info.ModTime().UTC().Format(time.RFC3339)
	w.Problems = problems(page, env.Known) // and not within Write: others wait for its lock
	return Result{Success: true, body: w}
}

// content returns the file's new bytes, if the file is the one that the human was
// shown and the dialog was told of.
func (p *place) content(env Env, old *content, edit func(old []byte, fi fs.FileInfo) ([]byte, error)) ([]byte, error) {
	if m := unlike(env, p.name, old); m != nil {
		return nil, m
	}
	if f := stale(env, p.name, old); f != nil {
		return nil, errEnded{*f}
	}
	if old.info != nil && old.info.Mode()&0o200 == 0 {
		return nil, refuse("'%s' is write-protected (mode %04o), and nothing was changed. Ask the human, who may have meant it.", p.name, old.info.Mode().Perm())
	}
	new, err := edit(old.content, old.info)
	if err != nil {
		return nil, err
	}
	if len(new) > maxFile {
		return nil, errEnded{failed(ExecError, "%s would have %d bytes; these tools write at most %d. Split it into several files.", p.name, len(new), maxFile)}
	}
	if env.Bringing != nil && !strings.HasPrefix(p.name, "deed/") {
		err = env.Bringing(p.name, old.content, new)
	}
	return new, err
}

// stale refuses a file whose hash is not the last one that a result of the dialog
// named, or that is gone since. The refusal names what stands there, with which the next
// call is not stale.
func stale(env Env, name string, old *content) *Result {
	if !env.outdated(name, old.sha) {
		return nil
	}
	now := change.FileHash{Path: name, SHA256: old.sha, Deleted: old.info == nil}
	text := name + " has changed since you last saw it, and nothing was written. Read it again, then send the call anew, made for what stands there now."
	if now.Deleted {
		text = name + " was deleted since you last saw it, and nothing was written. Find out whether it is still wanted; if it is, send the call anew."
	}
	return &Result{Failure: ExecError, body: &failure{Error: text, Current: &now}}
}

// outdated reports whether a file with the hash sha, "" for none, is not the one that the
// dialog was told of last.
func (env Env) outdated(name, sha string) bool {
	if env.Hash == nil {
		return false
	}
	seen, ok := env.Hash(name)
	return ok && seen != "" && seen != sha
}

// preview is the first 200 characters of content, as valid text.
func preview(content []byte) string {
	head := string(content[:min(len(content), 200*utf8.UTFMax)])
	return strings.ToValidUTF8(firstOf(head, 200), "\uFFFD")
}

// fileFailure is the result of a write that failed, in words for the model.
func fileFailure(name string, err error) Result {
	name = clip(name, 300)
	var ended errEnded
	var r *refusal
	var other *disk.NotFileError
	switch {
	case errors.As(err, &ended):
		return ended.Result
	case errors.As(err, &r):
		return failed(Permission, "%s", r.text)
	case errors.As(err, &other):
		return failed(Permission, "'%s' is %s, not a file. Choose another path.", name, other.Kind())
	case errors.Is(err, disk.ErrChanged):
		return failed(ExecError, "%s: %v, and nothing was changed here. Read it again, then try again.", name, disk.ErrChanged)
	case errors.Is(err, disk.ErrNotSynced):
		return failed(ExecError, "'%s' was written, but the disk reports a fault: after a power cut it may be as it was. Tell the human.", name)
	case errors.Is(err, fs.ErrExist):
		return failed(ExecError, "'%s' was not made: %v. The names of docs must differ in more than capitals. Write the one that is there, or choose another name.", name, err)
	case errors.Is(err, fs.ErrNotExist):
		return failed(ExecError, "there is no file '%s'. Look with ls, or make it with write_file.", name)
	case errors.Is(err, fs.ErrPermission):
		return failed(Permission, "the system does not let this server write '%s'; nothing was changed. Ask the human.", name)
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		return failed(ExecError, "the disk is full: '%s' is as it was. Tell the human before you go on.", name)
	case errors.Is(err, syscall.ENAMETOOLONG):
		return failed(ExecError, "a name in '%s' is too long for this disk. Choose a shorter one.", name)
	default:
		return failed(ExecError, "'%s' was not written, it is as it was: %v.", name, disk.Cause(err))
	}
}
