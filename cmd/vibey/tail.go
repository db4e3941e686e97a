package main

type tailCmd struct {
	dirFlag
	stateFlag
	jsonFlag
	Dialog string `arg:"" help:"The dialog: its file, PROJECT/ID, or its id."`
}

// Run prints a dialog, and what is appended while it is active in any process.
func (c *tailCmd) Run(to streams) error {
	name, id, err := c.namedDialog(c.Dialog)
	if err != nil {
		return err
	}
	s, err := c.look(to.err)
	if err != nil {
		return err
	}
	h, err := reading(c.dirFlag, s, nil, nil)
	if err != nil {
		return err
	}
	defer h.store.Close()
	ctx, stop := untilStopped()
	defer stop()
	p, err := c.namedProject(h.store, name)
	if err != nil {
		return err
	}
	sub, err := h.runner.Join(ctx, p, id, nil)
	if err != nil {
		return unable{err}
	}
	defer sub.Close()
	sub.Each(ctx, c.teller(&teller{w: to.out, project: name, user: true, flags: c.given(c.stateFlag)}))
	if ctx.Err() != nil {
		return exit(exitStopped)
	}
	return nil
}
