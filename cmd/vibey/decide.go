package main

import (
	"bufio"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/provider/acp"
	"vibey/server/hub"
	"vibey/server/turn"
	"vibey/server/view"
	"vibey/tools"
)

// deciding is what approve and deny share. They work on the files, as the server does,
// under the dialog's lock.
type deciding struct {
	programFlags
	jsonFlag
	Dialog string   `arg:"" help:"The dialog: its file, PROJECT/ID, or its id."`
	ID     []string `arg:"" help:"The calls to decide."`
}

type approveCmd struct {
	deciding
	SHA256 string `help:"Approve only the input with this hash." placeholder:"HEX"`
	Effect string `help:"Of a command that was tried: put what it did into the deed, if it has this hash." placeholder:"HEX"`
	Yes    bool   `short:"y" help:"On a terminal too, do not ask."`
}

type denyCmd struct{ deciding }

// Run approves, and follows the turn.
func (c *approveCmd) Run(to streams) error {
	if c.SHA256 != "" && len(c.ID) > 1 {
		return unable{errors.New("--sha256 is the hash of one input: approve one call with it")}
	}
	if c.Effect != "" && len(c.ID) > 1 {
		return unable{errors.New("--effect is the hash of what one command did: approve one call with it")}
	}
	return c.decide(to, func(call hub.Pending) (string, error) {
		if err := c.checkEffect(call); err != nil {
			return "", err
		}
		if c.SHA256 != "" && !strings.EqualFold(c.SHA256, call.SHA256) {
			return "", fmt.Errorf("%s has another input than the one you name. Nothing was decided", call.ID)
		}
		if !c.Yes && !c.JSON && isTerminal(to.in) && !asked(to, "Approve exactly this? [y/N] ") {
			return "", errors.New("nothing was decided")
		}
		return grant.Line{ID: call.ID, Verb: grant.Approve, SHA256: call.SHA256, Target: call.Target.Word(), Path: call.Target.Place(), Effect: call.Effect.Word()}.String(), nil
	})
}

// checkEffect refuses what would approve another effect than the one that was named.
func (c *approveCmd) checkEffect(call hub.Pending) error {
	is := call.Effect.Word()
	switch {
	case strings.EqualFold(c.Effect, is):
		return nil
	case is == "":
		return fmt.Errorf("%s has not run, so it has no effect to approve. Nothing was decided", call.ID)
	case c.Effect == "":
		return unable{fmt.Errorf("nothing was decided. To put exactly this into the deed, type:\n  vibey approve%s %s %s --effect %s", c.given(c.stateFlag)+c.givenProviders(), c.Dialog, call.ID, is)}
	}
	return fmt.Errorf("%s did something else than the effect that you name. Nothing was decided", call.ID)
}

// Run denies, and follows the turn.
func (c *denyCmd) Run(to streams) error {
	return c.decide(to, func(call hub.Pending) (string, error) { return call.ID + " deny", nil })
}

// asked writes a question to the terminal, and reports whether the answer is yes.
func asked(to streams, question string) bool {
	fmt.Fprint(to.err, question)
	answer, _ := bufio.NewReader(to.in).ReadString('\n') // its end is a no
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true
	}
	return false
}

// decide shows each call, makes a control line of it, and sends them as one.
func (c *deciding) decide(to streams, line func(hub.Pending) (string, error)) error {
	name, id, err := c.namedDialog(c.Dialog) // before anything is made
	if err != nil {
		return err
	}
	h, err := wire("approve", c.programFlags, to.err, slog.LevelWarn)
	if err != nil {
		return err
	}
	defer h.end()
	p, err := c.namedProject(h.store, name)
	if err != nil {
		return err
	}
	v, err := h.runner.View(p, id)
	if err != nil {
		return unable{err}
	}
	told := to.out
	if c.JSON {
		told = to.err
	}
	if err := h.canGoOn(v.Dialog); err != nil {
		return err
	}
	grants := grant.Of(v.Dialog, grant.Authority{Key: h.key, Project: name, DialogID: id, InFiles: c.ApproveInFiles})
	show := &teller{w: told, project: name}
	var lines []string
	for _, want := range c.ID {
		call, err := pendingCall(v, want)
		if err != nil {
			return err
		}
		show.around = aroundCommands(h.sandbox.Level(), grants.Network, tools.WantsNetwork(call.Tool, call.InputText))
		show.call(call)
		l, err := line(call)
		if err != nil {
			return err
		}
		lines = append(lines, l)
	}
	control := strings.Join(lines, "\n")
	ctx, stop := untilStopped()
	defer stop()
	_, sub, err := h.runner.Put(ctx, turn.Input{Project: p, DialogID: id, Control: &control, Seen: lastID(v.Dialog)})
	if err != nil {
		return err
	}
	if sub == nil { // other calls stay undecided: what was decided ran already
		if sub, err = h.runner.Join(ctx, p, id, end(v.Dialog)); err != nil {
			return err
		}
	}
	return h.attend(ctx, sub, p, c.teller(&teller{w: to.out, project: name, flags: c.given(c.stateFlag) + c.givenProviders()}))
}

// canGoOn refuses a decision behind which nothing would answer: the provider of the dialog
// may be known to a server by its flags, and not to this process.
func (h *program) canGoOn(d *dialog.Dialog) error {
	name, _ := d.Model()
	if _, ok := h.providers.Provider(name); ok || name == acp.API {
		return nil
	}
	return unable{fmt.Errorf("the provider %q of this dialog is not known here, so nothing would answer behind the decision. Nothing was decided. Name it as the server's start does, with --provider %s=API,BASE_URL or in the state dir's file providers, or decide in the window", name, name)}
}

// pendingCall finds the call that is to be decided.
func pendingCall(v view.View, id string) (hub.Pending, error) {
	var open []string
	for _, p := range v.Pending {
		if p.ID == id {
			return p, nil
		}
		open = append(open, p.ID)
	}
	switch {
	case v.Dialog.Find(dialog.ToolResult, id) >= 0:
		i := v.Dialog.Find(dialog.ToolResult, id)
		return hub.Pending{}, fmt.Errorf("%s was decided before: %s. Nothing was changed", id, v.Dialog.Sections[i].Meta.Get("Status"))
	case v.Dialog.Find(dialog.ToolRequest, id) >= 0:
		return hub.Pending{}, fmt.Errorf("%s does not wait for a decision. Nothing was changed", id)
	case len(open) == 0:
		return hub.Pending{}, fmt.Errorf("%s has no call %s, and none that waits. Nothing was changed", v.DialogID, id)
	}
	return hub.Pending{}, fmt.Errorf("%s has no call %s; these wait: %s. Nothing was changed", v.DialogID, id, strings.Join(open, ", "))
}

// end returns the position in the stream of a watcher that has seen all of d.
func end(d *dialog.Dialog) *hub.Pos {
	if n := len(d.Sections); n > 0 {
		return &hub.Pos{Whole: int64(d.End(n - 1))}
	}
	return nil
}

// lastID returns the id of the last section that has one: one written by hand may
// have none. Every call has an id, so that no call comes after it.
func lastID(d *dialog.Dialog) string {
	for i := len(d.Sections) - 1; i >= 0; i-- {
		if id := d.Sections[i].ID; id != "" {
			return id
		}
	}
	return ""
}
