package main

import (
	"context"

	"vibey/server/acp"
)

type acpCmd struct {
	programFlags
	Project string `short:"p" help:"The project of all sessions (default: the one whose deed is the folder that the editor has open; where there is none, a new one)." placeholder:"NAME"`
	Model   string `help:"The model of new sessions; the provider's first one if left out."`
}

func (c *acpCmd) Help() string {
	return `An editor such as Zed starts this and speaks ACP with it over stdin and stdout. A session is a dialog; the editor asks you for permissions, and the window can go on with it.
With --provider NAME alone, new sessions ask that one.`
}

// Run serves one editor.
func (c *acpCmd) Run(to streams) error {
	_, picked := c.split()
	return c.serveStdio("acp", to, func(ctx context.Context, h *program) error {
		if c.Project != "" {
			if _, err := c.namedProject(h.store, c.Project); err != nil {
				return err
			}
		}
		return acp.New(acp.Config{
			Store: h.store, Turns: h.runner, Providers: h.providers.Names, Provider: h.providers.Provider,
			First: func() string { return h.pick(picked) }, Model: c.Model, Project: c.Project,
			Drawn: drawn, Version: version(), Log: h.log,
		}).Serve(ctx, to.in, to.out)
	})
}
