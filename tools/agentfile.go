package tools

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"unicode/utf8"

	"vibey/dialog"
)

// Unwritable returns the refusal that a file tool would give for a path whatever it is
// to write there, nil where it may. An agent over ACP has its answer so at once, and no
// human is asked about what can't be.
func Unwritable(env Env, path string) *Result {
	if _, err := cleanPath(env, path); err != nil {
		r := fileFailure(path, err)
		r.NotRun = true
		return &r
	}
	return nil
}

// Whole is a file as it was read: its path as results name it, its text without secrets,
// and the SHA-256 of its bytes; or one that is Missing.
type Whole struct {
	Path, Text, SHA256 string
	Missing            bool
}

// ReadWhole returns the text of a file of the project for an agent over ACP, without
// secrets. What it can't read is a Result that says why.
func ReadWhole(ctx context.Context, env Env, path string) (w Whole, refused *Result) {
	w, err := readWhole(ctx, env, path)
	if err != nil {
		r := readFailure(path, err)
		return Whole{Missing: errors.Is(err, fs.ErrNotExist)}, &r
	}
	w.Text = env.masker()(w.Text)
	return w, nil
}

func readWhole(ctx context.Context, env Env, path string) (w Whole, err error) {
	p, err := findFile(env, path)
	if err != nil {
		return w, err
	}
	defer p.close()
	f, err := p.file()
	if err != nil {
		return w, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(&untilDone{ctx, f}, maxFile+1))
	switch {
	case err != nil:
		return w, err
	case len(b) > maxFile:
		return w, refuse("'%s' has more than %d bytes. Look at parts of it with a command: head, tail, grep.", clip(p.name, 300), maxFile)
	case !utf8.Valid(b):
		return w, refuse("'%s' is not text in UTF-8.", clip(p.name, 300))
	}
	return Whole{Path: p.name, Text: string(b), SHA256: dialog.SHA256(b)}, nil
}
