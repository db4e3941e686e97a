package tools

import (
	"context"
	"io"
	"unicode/utf8"

	"vibey/tools/disk"
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

// ReadWhole returns the text of a file of the project for an agent over ACP, without
// secrets. What it can't read is a Result that says why.
func ReadWhole(ctx context.Context, env Env, path string) (text string, refused *Result) {
	text, err := readWhole(ctx, env, path)
	if err != nil {
		r := readFailure(path, err)
		return "", &r
	}
	return env.masker()(text), nil
}

func readWhole(ctx context.Context, env Env, path string) (string, error) {
	p, err := findFile(env, path)
	if err != nil {
		return "", err
	}
	defer p.close()
	f, err := disk.Open(p.dir, p.base)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(&untilDone{ctx, f}, maxFile+1))
	switch {
	case err != nil:
		return "", err
	case len(b) > maxFile:
		return "", refuse("'%s' has more than %d bytes. Look at parts of it with a command: head, tail, grep.", clip(p.name, 300), maxFile)
	case !utf8.Valid(b):
		return "", refuse("'%s' is not text in UTF-8.", clip(p.name, 300))
	}
	return string(b), nil
}
