package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"time"
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
	Preview  string `json:"preview"`            // the first 200 characters
	Replaced string `json:"replaced,omitempty"` // SHA-256 of what stood there before
}

func (w *written) mask(m func(string) string) { w.Preview = m(w.Preview) }

// change finds a file, hands its present bytes to edit (nil: none yet) and puts
// what edit returns in its place, in one step that a reader, a crash or a full
// disk sees whole or not at all.
func change(ctx context.Context, env Env, given string, create bool, edit func(old []byte, fi fs.FileInfo) ([]byte, error)) Result {
	p, err := find(env, given, create)
	if err != nil {
		return fileFailure(given, err)
	}
	defer p.close()
	if err := p.notOfGit(ctx, env, given); err != nil {
		return fileFailure(given, err)
	}
	r, m := p.change(ctx, env, !create, edit)
	if m != nil {
		return m.refusal(env) // without the lock: it reads other dialogs
	}
	return r
}

// change is the part that holds the lock: of two calls, and of a call and a
// human's save, the second sees what the first wrote. keep: edit wants the
// present bytes.
func (p *place) change(ctx context.Context, env Env, keep bool, edit func(old []byte, fi fs.FileInfo) ([]byte, error)) (Result, *moved) {
	if env.Lock != nil {
		unlock, err := env.Lock()
		if err != nil {
			return fileFailure(p.name, err), nil
		}
		defer unlock()
	}
	if ctx.Err() != nil {
		return interrupted(), nil
	}
	old, err := p.load(keep)
	if err != nil {
		return fileFailure(p.name, err), nil
	}
	if m := unlike(env, p.name, old); m != nil {
		return Result{}, m
	}
	if f := stale(env, p.name, old); f != nil {
		return *f, nil
	}
	if f := p.twin(env, old); f != nil {
		return *f, nil
	}
	content, err := edit(old.content, old.info)
	if err != nil {
		return fileFailure(p.name, err), nil
	}
	if len(content) > maxFile {
		return failed(ExecError, "%s would have %d bytes; these tools write at most %d. Split it into several files.", p.name, len(content), maxFile), nil
	}
	if env.Bringing != nil && !strings.HasPrefix(p.name, "deed/") {
		if err := env.Bringing(p.name, old.content, content); err != nil {
			return fileFailure(p.name, err), nil
		}
	}
	at, err := p.replace(content, old.info)
	if err != nil {
		return fileFailure(p.name, err), nil
	}
	sum := sha256.Sum256(content)
	w := &written{
		Success: true, Path: p.name, Bytes: len(content), SHA256: hex.EncodeToString(sum[:]),
		MTime: at.UTC().Format(time.RFC3339), Preview: preview(content), Replaced: old.sha,
	}
	return Result{Success: true, body: w, Files: []FileHash{{Path: w.Path, SHA256: w.SHA256}}}, nil
}

// twin refuses to make a doc whose name is another's in other capitals: no list
// tells the two apart on a disk that folds case, and our own import refuses them.
func (p *place) twin(env Env, old *content) *Result {
	if old.info != nil || env.Twin == nil || strings.HasPrefix(p.name, "deed/") {
		return nil
	}
	other, err := env.Twin(p.name)
	var r Result
	switch {
	case err != nil:
		r = fileFailure(p.name, err)
	case other != "":
		r = failed(ExecError, "'%s' is not there, but '%s' is: the names of docs must differ in more than capitals. Nothing was written. Write '%s', or choose another name.", p.name, other, other)
	default:
		return nil
	}
	return &r
}

// stale refuses to touch a file that is not what the dialog was last told of
// it. It tells the present hash: with it the model has been told.
func stale(env Env, name string, old *content) *Result {
	if env.Hash == nil || old.info == nil {
		return nil
	}
	seen, ok := env.Hash(name)
	if !ok || seen == "" || seen == old.sha {
		return nil
	}
	now := FileHash{Path: name, SHA256: old.sha}
	return &Result{Failure: ExecError, Files: []FileHash{now}, body: &failure{
		Error:   fmt.Sprintf("%s has changed since you last saw it, and nothing was written. Read it again, then send the call anew, made for what stands there now.", name),
		Current: &now,
	}}
}

// preview is the first 200 characters of content, as valid text.
func preview(content []byte) string {
	head := content[:min(len(content), 200*4)]
	count := 0
	for i := range string(head) {
		if count == 200 {
			head = head[:i]
			break
		}
		count++
	}
	return strings.ToValidUTF8(string(head), "\uFFFD")
}

// fileFailure tells the model why a file was not written, and what is safe.
func fileFailure(name string, err error) Result {
	name = clip(name, 300)
	var r *refusal
	switch {
	case errors.As(err, &r):
		return failed(Permission, "%s", r.text)
	case errors.Is(err, errNoMatch):
		return failed(ExecError, "%s", err)
	case errors.Is(err, errSwapped):
		return failed(ExecError, "%s: %s.", name, errSwapped)
	case errors.Is(err, fs.ErrNotExist):
		return failed(ExecError, "there is no file '%s'. Look with ls, or make it with write_file.", name)
	case errors.Is(err, fs.ErrPermission):
		return failed(Permission, "the system does not let this server write '%s'; nothing was changed. Ask the human.", name)
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		return failed(ExecError, "the disk is full: '%s' is as it was. Tell the human before you go on.", name)
	case errors.Is(err, syscall.ENAMETOOLONG):
		return failed(ExecError, "a name in '%s' is too long for this disk. Choose a shorter one.", name)
	default:
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err // the path in it is the one of the disk, not of the project
		}
		return failed(ExecError, "'%s' was not written, it is as it was: %v.", name, err)
	}
}
