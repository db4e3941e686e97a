package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"vibey/server/acp"
)

type acpCmd struct {
	dirFlag
	stateFlag
	modelFlags
	logFlag
	Project string `short:"p" help:"The project of all sessions (default: the one whose deed is the folder that the editor has open; where there is none, a new one)." placeholder:"NAME"`
	Model   string `help:"The model of new sessions; the provider's first one if left out."`
}

func (c *acpCmd) Help() string {
	return `An editor such as Zed starts this and speaks ACP with it over stdin and stdout. A session is a dialog; the editor asks you for permissions, and the window can go on with it.
With --provider NAME alone, new sessions ask that one.`
}

// Run serves one editor until its stdin ends, or until it is told to stop. Turns that
// still run then are closed in their files as interrupted.
func (c *acpCmd) Run(to streams) error {
	stopped, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	h, err := wire("acp", c.dirFlag, c.stateFlag, c.modelFlags, c.logger(to.err, slog.LevelWarn))
	if err != nil {
		return err
	}
	defer h.end()
	if c.Project != "" {
		if _, err := c.namedProject(h.store, c.Project); err != nil {
			return err
		}
	}
	_, picked := c.split()
	err = acp.New(acp.Config{
		Store: h.store, Turns: h.runner, Providers: offered{h.providers}.Names, Provider: h.providers.Provider,
		First: func() string { return h.pick(picked) }, Model: c.Model, Project: c.Project,
		Drawn: drawn, Version: version(), Log: h.log,
	}).Serve(stopped, to.in, to.out)
	h.closeTurns()
	return err
}
