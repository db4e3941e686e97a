package tools

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/dialog/plan"
	"vibey/tools/disk"
)

// PutBack is a file that an undo puts back: the file of a change of a dialog. No call
// of a model reaches it; the paths in results, which a hand may have written, are held
// to the same walls as those of calls.
type PutBack struct {
	env  Env
	path string
	plan bool // the plan's own tool changed it
	left fs.FileMode
}

// NewPutBack is the file that a change names. Of env it uses what a file tool does,
// ChangeAs, Chmod and Remove. left is the permissions that a command left it, 0 where
// they are not told: such a file may be write-protected.
func NewPutBack(env Env, c change.Step, left fs.FileMode) *PutBack {
	return &PutBack{env: env, path: c.Path, plan: c.Tool == dialog.PlanTool, left: left}
}

// place finds the file, at its very path: what a link has come to lead to is another file.
func (b *PutBack) place(ctx context.Context, create bool) (*place, error) {
	if b.plan && b.path == plan.File {
		return findDoc(b.env, b.path, b.path)
	}
	p, err := find(b.env, b.path, create)
	if err != nil {
		return nil, err
	}
	if p.linked && p.name != b.path {
		p.close()
		return nil, refuse("a link leads elsewhere now")
	}
	if err := p.notOfGit(ctx, b.env, b.path); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// Found is what stands in the place of a file: its SHA-256, "" where there is none, its
// bytes where it has at most 10 MiB, and its permissions.
type Found struct {
	SHA256  string
	Content []byte
	Perm    fs.FileMode
}

// Look returns what stands there. Errors are for Why.
func (b *PutBack) Look(ctx context.Context) (Found, error) {
	var fi fs.FileInfo
	p, err := b.place(ctx, false)
	if err == nil {
		defer p.close()
		fi, err = p.lstat()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return Found{}, nil // it is gone, or a folder on the way
	}
	if err != nil {
		return Found{}, err
	}
	now, err := p.load(fi.Size() <= maxFile)
	if err != nil {
		return Found{}, err
	}
	found := Found{SHA256: now.sha, Content: now.content}
	if now.info != nil {
		found.Perm = now.info.Mode().Perm()
	}
	return found, nil
}

// ErrOther reports that a file is not the one that was looked at; nothing was changed.
var ErrOther = errors.New("it is another file")

// errProtected is a file that its owner, or somebody, made read-only.
var errProtected = errors.New("it is write-protected")

// Write gives the file, which must still have the hash from, the bytes content and the
// permissions perm; 0 for those that it has, or that any new file has.
func (b *PutBack) Write(ctx context.Context, from string, content []byte, perm fs.FileMode) error {
	p, err := b.place(ctx, true)
	if err != nil {
		return err
	}
	defer p.close()
	_, err = b.env.ChangeAs(p.dir, p.base, perm, func(f *os.File) ([]byte, error) {
		old, err := b.still(p, f, from)
		if err == nil && b.env.Bringing != nil && !strings.HasPrefix(p.name, "deed/") {
			err = b.env.Bringing(p.name, old, content)
		}
		return content, err
	})
	return err
}

// Remove removes the file, which must still have the hash from.
func (b *PutBack) Remove(ctx context.Context, from string) error {
	p, err := b.place(ctx, false)
	if err != nil {
		return err
	}
	defer p.close()
	return b.env.Remove(p.dir, p.base, func(f *os.File) error {
		_, err := b.still(p, f, from)
		return err
	})
}

// RemoveEmpty removes the folder that stands there, and those in it, if they hold nothing else.
func (b *PutBack) RemoveEmpty(ctx context.Context) error {
	p, err := b.place(ctx, false)
	if err != nil {
		return err
	}
	defer p.close()
	return b.env.RemoveEmpty(p.dir, p.base)
}

// Chmod gives the file, which must still have the hash from, the permissions perm.
func (b *PutBack) Chmod(ctx context.Context, from string, perm fs.FileMode) error {
	p, err := b.place(ctx, false)
	if err != nil {
		return err
	}
	defer p.close()
	return b.env.Chmod(p.dir, p.base, perm, func(f *os.File) error {
		_, err := b.still(p, f, from)
		return err
	})
}

// still returns the bytes of the file f at p, nil for none and for a large one, if it has
// the hash from.
func (b *PutBack) still(p *place, f *os.File, from string) ([]byte, error) {
	keep := false
	if f != nil {
		fi, err := f.Stat()
		if err != nil {
			return nil, err
		}
		if fi.Mode()&0o200 == 0 && fi.Mode().Perm() != b.left {
			return nil, errProtected
		}
		keep = fi.Size() <= maxFile
	}
	now, err := read(p.name, f, keep)
	if err == nil && now.sha != from {
		err = ErrOther
	}
	if err != nil {
		return nil, err
	}
	return now.content, nil
}

// Why says within a sentence, for people, why a file was not put back.
func (b *PutBack) Why(err error) string {
	var r *refusal
	var other *disk.NotFileError
	switch {
	case errors.As(err, &r) && strings.HasPrefix(r.text, "PATH_OUTSIDE_PROJECT"):
		return "its path leads out of the project"
	case errors.As(err, &r):
		return "no call may write it: " + strings.TrimSuffix(r.text, ".")
	case errors.As(err, &other):
		return other.Kind() + " stands in its place"
	case errors.Is(err, ErrOther), errors.Is(err, disk.ErrChanged):
		return "it was being changed at the same moment; try again"
	case errors.Is(err, disk.ErrNotSynced):
		return "it was put back, but the disk reports a fault: after a power cut it may be as it was"
	case errors.Is(err, fs.ErrPermission):
		return "the server may not write it"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "the disk is full"
	}
	return disk.Cause(err).Error()
}

// Reverse returns what a file held before a call, by the call's own text and what the
// file holds after it: an edit_file is put back where new_string stands once. The caller
// compares the hash.
func Reverse(tool, args string, after []byte) (before []byte, ok bool) {
	in, wrong := decode[editFileInput](args)
	if tool != "edit_file" || wrong != "" || in.NewString == "" || !once(after, in.NewString) {
		return nil, false
	}
	return bytes.Replace(after, []byte(in.NewString), []byte(in.OldString), 1), true
}

// Repeat is Reverse the other way: what a file held after a call.
func Repeat(tool, args string, before []byte) (after []byte, ok bool) {
	if tool == "write_file" {
		in, wrong := decode[writeFileInput](args)
		return []byte(in.Content), wrong == ""
	}
	in, wrong := decode[editFileInput](args)
	if tool != "edit_file" || wrong != "" || !once(before, in.OldString) {
		return nil, false
	}
	return bytes.Replace(before, []byte(in.OldString), []byte(in.NewString), 1), true
}

// once reports whether part stands in text exactly once, overlaps included.
func once(text []byte, part string) bool {
	at := bytes.Index(text, []byte(part))
	return at >= 0 && !bytes.Contains(text[at+1:], []byte(part))
}
