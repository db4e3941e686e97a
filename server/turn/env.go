package turn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/history"
	"vibey/dialog/plan"
	"vibey/server/project"
	"vibey/server/turn/family"
	"vibey/server/turn/undo"
	"vibey/tools"
)

// surroundings returns the Env in which a call runs, or an MCP server that lists its tools.
func (t *turn) surroundings(network bool) (tools.Env, error) {
	p := t.in.Project
	if err := t.findDeed(); err != nil {
		return tools.Env{}, err
	}
	home, err := t.r.w.Home(p.Name(), network)
	if err != nil {
		return tools.Env{}, err
	}
	env := t.deedEnv()
	env.Sandbox, env.Home, env.ServerHome, env.Network, env.Mask, env.MCP = t.r.w.Sandbox, home, t.serverHome, network, t.masked(p), t.r.w.MCP
	return env, nil
}

// deedEnv is enough of an Env to look at the deed, once findDeed has found it.
func (t *turn) deedEnv() tools.Env {
	p := t.in.Project
	return tools.Env{Project: p.Root(), ProjectDir: p.Root().Name(), DeedDir: t.deed}
}

// findDeed finds the folder that deed leads to, once a turn: if a command makes it lead
// elsewhere, no write moves. It makes the folder if there is none.
func (t *turn) findDeed() (err error) {
	if t.deed != "" {
		return nil
	}
	p := t.in.Project
	if t.deed, err = p.DeedDir(); errors.Is(err, fs.ErrNotExist) {
		if err = p.MakeDeed(); err == nil {
			t.deed, err = p.DeedDir()
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("deed/ of this project is a link that leads to no folder; ask the human to mount or make what it leads to, or to put a folder in its place (%w)", err)
	}
	return err
}

// serverHome names the HOME that an MCP server of this project has for itself.
func (t *turn) serverHome(server string) (string, error) {
	if t.r.w.ServerHome == nil {
		return "", nil
	}
	return t.r.w.ServerHome(t.in.Project.Name(), server)
}

// masked returns the func that lists the secrets which no result may hold: the
// keys, and the marks of confirmed wishes in doc-main.md, now and when the call
// began.
func (t *turn) masked(p *project.Project) func() []string {
	before := p.Marks()
	return func() []string { return slices.Concat(t.r.w.Secrets(), before, p.Marks()) }
}

// voidsMark returns the func that a file tool calls before it writes a doc
// (tools.Env.Bringing). If the doc would gain a confirmation that it did not
// have, the project gets another id first: that mark is void then, with all made
// before it, and what was approved is written to the byte all the same.
func (t *turn) voidsMark(p *project.Project) func(doc string, old, new []byte) error {
	return func(_ string, old, new []byte) error {
		id, err := p.ID()
		if err != nil || id == "" {
			return err
		}
		a := grant.Authority{Key: t.r.w.Key, Project: p.Name(), ProjectID: id}
		if !a.Brings(project.Readable(string(old)), project.Readable(string(new))) {
			return nil
		}
		return p.RenewID()
	}
}

// serverOff reports whether an MCP server is off for this dialog.
func (t *turn) serverOff(server string) bool { return t.servers.Off(t.dialog(), server) }

// offer returns the tools that doc-main.md gives a new dialog, those of MCP servers as the
// servers list them now, and what is left out of these, in sentences. A turn that is
// stopped meanwhile does not begin: what it could not list would be missing for good.
func (t *turn) offer(rules grant.Rules, doc string) (specs []history.ToolSpec, left []string, err error) {
	specs = tools.NewSet(tools.Declared(rules)...).Specs()
	servers := tools.Servers(rules)
	if len(servers) == 0 {
		return specs, nil, nil
	}
	env, err := t.surroundings(t.gr.Extend(t.dialog()).Network || t.wishesNetwork(doc))
	if err != nil {
		return specs, []string{"all tools of MCP servers are left out: " + err.Error()}, nil
	}
	more, left := tools.ListServers(t.ctx, env, servers)
	return slices.Concat(specs, more), left, context.Cause(t.ctx)
}

// env is the world of one call.
func (t *turn) env(c *grant.Call) (tools.Env, error) {
	p := t.in.Project
	network := !c.Tried && (t.gr.Extend(t.dialog()).Network || tools.WantsNetwork(c.Tool, c.Input))
	env, err := t.surroundings(network)
	if err != nil {
		return tools.Env{}, err
	}
	j, err := t.judged()
	if err != nil {
		return tools.Env{}, err
	}
	rules, err := t.projectRules()
	if err != nil {
		return tools.Env{}, err
	}
	t.led.Extend(t.dialog())
	env.Limit, env.ReadOnly = time.Duration(rules.Limit)*time.Second, j.Restrains() && !t.ofBefore(c) && !c.Tried
	env.Hash, env.Noted = t.partner.Hash(c, t.led.Hash), t.led.Noted
	env.Launch, env.Write, env.Bringing = t.launch, p.Change, t.voidsMark(p)
	env.Approved, env.Blanket, env.Unlinked = t.approval(c), c.Blanket, c.Unlinked
	env.DialogID, env.Known, env.Off = t.f.ID(), t.r.Names(), t.serverOff
	env.Said = func(it plan.Item, words string) (bool, string) { return plan.Cited(t.dialog(), it, words) }
	env.Message, env.Agents, env.Agent = t.message(c.ID),
		func() ([]tools.Agent, error) { return family.List(p, t.f.ID()) },
		func(id string) (*dialog.Dialog, dialog.Status, error) { return family.Read(p, id) }
	env.Apply, env.Tried = t.apply(c), c.Tried
	return env, nil
}

// approval returns what a call's own approval covers of the file that it writes; nil
// for a call that an allow line released.
func (t *turn) approval(c *grant.Call) *tools.Approval {
	if !c.Decided {
		return nil
	}
	return &tools.Approval{
		Target: c.Target, Path: c.Path,
		Left: func(path, sha string) bool { return t.leftTogether(c, path, sha) },
		Changed: func(path, sha string) string {
			return cmp.Or(undo.WhoLeft(t.in.Project, t.f.ID(), t.dialog(), path, sha, -1), "somebody outside of this dialog changed it")
		},
	}
}

// leftTogether reports whether path was last written by a file tool's call that
// the same Authorization decided as c, and was left with that hash. A command
// does not count: what it would write could not be seen when it was approved.
func (t *turn) leftTogether(c *grant.Call, path, sha string) bool {
	d := t.dialog()
	decisions := t.gr.Extend(d).Decisions
	for i := len(d.Sections) - 1; i >= 0; i-- {
		s := &d.Sections[i]
		now, ok := undo.Left(s, path)
		if !ok {
			continue
		}
		if now != sha {
			return false
		}
		l := decisions[s.ID]
		if l.Verb == grant.Approve && l.By != "" && l.By == c.By && dialog.WritesFile(s.Tool()) {
			return true
		}
	}
	return false
}

// Bounds of mail. Two dialogs that answer each other end by their budgets, since mail
// gives no fresh one, and by the ceilings of their family.
const (
	mailTurn = 16              // messages of one turn
	mailWait = 2 * time.Minute // for a receiver whose model answers
)

// message returns the func of message_agent for one call, whose id makes the message the
// one that it is.
func (t *turn) message(call string) func(ctx context.Context, to, text string) (tools.Delivery, error) {
	return func(ctx context.Context, to, text string) (tools.Delivery, error) {
		if to == t.f.ID() {
			return tools.Delivery{}, errors.New("that is this dialog itself; list_agents names the others")
		}
		if n := t.dialog().Sent("message_agent"); n >= mailTurn {
			return tools.Delivery{}, fmt.Errorf("this turn has sent %d messages, the most it may: say what is left to the human", n)
		}
		ctx, cancel := context.WithTimeoutCause(ctx, mailWait, family.ErrAnswers)
		defer cancel()
		of, _ := family.Ancestry(t.dialog().Header, t.f.ID())
		m := dialog.Mail{From: t.f.ID(), Mark: call, Text: text}
		asleep, err := t.r.deliver(ctx, t.in.Project, to, of, m, true)
		if err != nil {
			return tools.Delivery{}, errors.New(family.Undelivered(to, err))
		}
		return tools.Delivery{Note: m.ID(), Asleep: asleep}, nil
	}
}
