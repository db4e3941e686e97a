package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

type tailCmd struct {
	dirFlag
	stateFlag
	jsonFlag
	Dialog string `arg:"" help:"The dialog: its file, PROJECT/ID, or its id."`
}

// Run prints a dialog, and what comes while it is active, whoever runs it.
func (c *tailCmd) Run(to streams) error {
	h, err := wire(c.dirFlag, c.stateFlag, modelFlags{}, quiet())
	if err != nil {
		return err
	}
	defer h.store.Close()
	name, id, err := target(h.store, c.Dir, c.Dialog)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	sub, err := h.runner.Join(ctx, name, id, nil)
	if err != nil {
		return unable{err}
	}
	defer sub.Close()
	tell := (&teller{w: to.out, project: name, user: true}).tell
	if c.JSON {
		tell = c.teller(to.out, name)
	}
	for {
		batch, ok := sub.Next(ctx)
		if !ok {
			break
		}
		for _, e := range batch {
			tell(e)
		}
	}
	if ctx.Err() != nil {
		return exit(exitStopped)
	}
	return nil
}
