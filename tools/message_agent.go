package tools

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"

	"vibey/dialog"
)

type messageAgentInput struct {
	DialogID    string `json:"dialogId" jsonschema:"minLength=1"`
	Text        string `json:"text" jsonschema:"minLength=1"`
	Description string `json:"description,omitempty"`
}

// Delivery is what became of a message.
type Delivery struct {
	Note   string // the id of its Note in the dialog that got it
	Asleep string // why nobody reads it now, "" where somebody does
}

// delivered is the body of the result of message_agent.
type delivered struct {
	Success   bool   `json:"success"`
	Delivered string `json:"delivered"`
	Note      string `json:"note,omitempty"`
}

// messageAgent puts a message into another dialog of the project.
func messageAgent(ctx context.Context, env Env, in messageAgentInput) Result {
	switch {
	case !dialog.ValidID(in.DialogID):
		return notRun(Schema, "'%s' is not the id of a dialog, such as 20260216-201100-read-vibey. list_agents names them.", clip(in.DialogID, 100))
	case strings.TrimSpace(in.Text) == "":
		return notRun(Schema, "the text is blank. Write what the other agent is to know or to do.")
	case len(in.Text) > dialog.MailMost:
		return notRun(Schema, "the text has %d bytes; a message has at most %d. Write what is long into a doc or a file of the deed, and name it in the message.", len(in.Text), dialog.MailMost)
	}
	d, err := env.Message(ctx, in.DialogID, in.Text)
	if err != nil {
		if ctx.Err() != nil {
			return interrupted()
		}
		return failed(ExecError, "nothing was delivered: %v", err)
	}
	r := &delivered{Success: true, Delivered: d.Note}
	if d.Asleep != "" {
		r.Note = "The message stands there. It woke nobody, and is read with what comes next in that dialog: " + d.Asleep + "."
	}
	return Result{Success: true, body: r}
}

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
