package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"strings"

	"vibey/dialog/grant"
	"vibey/provider/acp"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/server/turn"
)

type runCmd struct {
	programFlags
	jsonFlag
	Project  string `short:"p" required:"" help:"The project." placeholder:"NAME"`
	New      bool   `help:"Make the project first."`
	Dialog   string `help:"Go on in this dialog instead of beginning one; without a prompt, continue it." placeholder:"ID"`
	Model    string `help:"The model; the provider's first one if left out."`
	Slug     string `help:"What the dialog is called."`
	Intent   string `help:"What kind of work it is, for the budget."`
	Try      bool   `help:"In this dialog commands run at once where nothing of them counts, and you are asked about what they changed."`
	Prompt   string `arg:"" optional:"" help:"What you want; - reads it from stdin."`
	provider string
}

func (c *runCmd) Help() string {
	return `With --provider NAME alone, that one is asked; with NAME=API,BASE_URL[,KEY_ENV] it is defined too.
Exit code: 0 the turn is at its end, 1 it broke off, 2 it could not begin, 3 a call waits for your decision.`
}

// Run runs one turn and tells of it.
func (c *runCmd) Run(to streams) error {
	if err := c.settle(to.in); err != nil {
		return err
	}
	if err := c.place(); err != nil { // before anything is made
		return err
	}
	h, err := wire("run", c.programFlags, to.err, slog.LevelWarn)
	if err != nil {
		return err
	}
	defer h.end()
	if c.Dialog == "" {
		if c.provider = h.pick(c.provider); c.provider == "" { // before a project is made
			return unable{errNoProvider}
		}
	}
	if c.New {
		err := h.store.Create(c.Project, "")
		if err == nil {
			c.Project = h.store.Listed(c.Project)
		} else if !errors.Is(err, fs.ErrExist) {
			return unable{err}
		}
	}
	ctx, stop := untilStopped()
	defer stop()
	p, err := c.namedProject(h.store, c.Project)
	if err != nil {
		return err
	}
	sub, err := c.begin(ctx, h, p)
	if err != nil {
		return unable{err}
	}
	return h.attend(ctx, sub, p, c.teller(&teller{w: to.out, project: c.Project, flags: c.given(c.stateFlag) + c.givenProviders(), ends: c.provider == acp.API}))
}

// place refuses a project that is not there and is not to be made.
func (c *runCmd) place() error {
	if c.New {
		if !project.ValidProject(c.Project) {
			return unable{fmt.Errorf("%q can't be a project's name: letters, digits, _, - and dots, 100 at most, no dot in front and no two in a row", c.Project)}
		}
		return nil
	}
	store, err := c.namedStore(project.Options{})
	if err != nil {
		return unable{fmt.Errorf("%w; --new makes it, and the project", err)}
	}
	defer store.Close()
	if _, err := c.namedProject(store, c.Project); err != nil {
		return unable{fmt.Errorf("%w; --new makes it", err)}
	}
	return nil
}

// settle reads the prompt, and picks the provider.
func (c *runCmd) settle(in io.Reader) error {
	if c.Prompt == "-" {
		b, err := io.ReadAll(in)
		if err != nil {
			return unable{fmt.Errorf("read the prompt: %w", err)}
		}
		c.Prompt = string(b)
	}
	if strings.TrimSpace(c.Prompt) == "" && c.Dialog == "" {
		return unable{errors.New(`there is no prompt: vibey run -p PROJECT "what you want"`)}
	}
	defined, picked := c.split()
	if picked == "" && len(defined) > 0 {
		picked, _, _ = strings.Cut(defined[len(defined)-1], "=")
	}
	c.provider = picked
	return nil
}

// errNoProvider is a new dialog without a model to ask.
var errNoProvider = errors.New("no provider is there: put a key into ANTHROPIC_API_KEY or OPENAI_API_KEY, or say --provider ollama=chat,http://127.0.0.1:11434/v1")

// begin starts the turn.
func (c *runCmd) begin(ctx context.Context, h *program, p *project.Project) (*hub.Sub, error) {
	in := turn.Input{
		Project: p, Provider: c.provider, Model: c.Model, Slug: c.Slug, Intent: c.Intent,
		Prompt: &turn.Prompt{Text: c.Prompt},
	}
	if c.Try {
		try := grant.Line{Verb: grant.Try, Tool: "run_command"}.String()
		in.Control = &try
	}
	if c.Dialog == "" {
		return h.runner.Start(ctx, in)
	}
	_, id, err := c.namedDialog(c.Project + "/" + c.Dialog)
	if err != nil {
		return nil, err
	}
	in.DialogID, in.Slug = id, ""
	if c.Prompt == "" {
		in = turn.Input{Project: p, DialogID: id, Continue: true, Control: in.Control}
	}
	st, sub, err := h.runner.Put(ctx, in)
	if err == nil && sub == nil {
		err = fmt.Errorf("nothing runs: %s needs %s", st.DialogID, st.Needs)
	}
	return sub, err
}

// attend writes a turn's events until it ends, and waits for the agents that it
// launched, since they run in this process. When ctx ends, all of them are closed in
// their files as interrupted.
func (h *program) attend(ctx context.Context, sub *hub.Sub, p *project.Project, tell func(hub.Event)) error {
	defer sub.Close()
	last := sub.Each(ctx, tell)
	if ctx.Err() == nil {
		h.runner.Wait(ctx, p)
	}
	closing, cancel := context.WithTimeout(context.Background(), closeTurns)
	defer cancel()
	if err := h.runner.Shutdown(closing); err != nil && !errors.Is(err, turn.ErrLate) { // the exit code tells how the turn ended
		return err
	}
	switch {
	case ctx.Err() != nil:
		sub.Each(closing, tell)
		return exit(exitStopped)
	case last.Type == hub.ToolEvent:
		return exit(exitWaits)
	case last.Type == hub.ErrorEvent:
		return exit(1)
	}
	return nil
}
