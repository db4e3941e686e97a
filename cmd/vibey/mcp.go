package main

import (
	"context"

	"vibey/server/mcp"
	"vibey/tools"
)

type mcpCmd struct{ programFlags }

func (c *mcpCmd) Help() string {
	return `Another program starts this and speaks MCP with it over stdin and stdout. It reads, starts dialogs and sends prompts; what an agent asks permission for is decided by you, in the window or with vibey approve.
With --provider NAME alone, new dialogs ask that one.`
}

// Run answers one program.
func (c *mcpCmd) Run(to streams) error {
	_, picked := c.split()
	return c.serveStdio("mcp", to, func(ctx context.Context, h *program) error {
		return h.mcpServer(picked).Serve(ctx, to.in, to.out)
	})
}

// mcpServer is the program as the tools of another one. New dialogs ask the provider that was
// picked, or else the first one.
func (h *program) mcpServer(picked string) *mcp.Server {
	return mcp.New(mcp.Config{
		Store: h.store, Turns: h.runner, Version: version(), Log: h.log,
		First: func() string { return h.pick(picked) },
		Clean: func(text string) string { return tools.Masker(h.secrets())(text) },
	})
}

// pick returns the provider of a new dialog: picked, or else the first one that can be
// asked, an Ollama of this computer last; "" for none.
func (h *program) pick(picked string) string {
	if picked != "" {
		return picked
	}
	if h.providers.first() == "" {
		h.providers.lookForOllama()
	}
	return h.providers.first()
}
