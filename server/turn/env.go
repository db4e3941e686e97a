package turn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"vibey/dialog/grant"
	"vibey/dialog/history"
	"vibey/server/project"
	"vibey/tools"
)

// surroundings are where a call runs, or a server that is asked for its tools.
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

// findDeed finds where deed leads, once a turn: a command that makes it lead elsewhere
// moves no write. It makes the folder where there is none.
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
// (tools.Env.Bringing). Where the doc would gain a confirmation that it did not
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
