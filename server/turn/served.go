package turn

import (
	"context"
	"slices"

	"vibey/dialog"
	"vibey/tools"
)

// serverOff reports whether an MCP server is off for this dialog.
func (t *turn) serverOff(server string) bool { return t.servers.Off(t.dialog(), server) }

// offer returns the tools that doc-main.md gives a new dialog, those of MCP servers as the
// servers list them now, and what is left out of these, in sentences. A turn that is
// stopped meanwhile does not begin: what it could not list would be missing for good.
func (t *turn) offer(rules dialog.Rules, doc string) (specs []dialog.ToolSpec, left []string, err error) {
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

// wishesNetwork reports whether a confirmed wish is about to allow the network to this
// dialog.
func (t *turn) wishesNetwork(doc string) bool {
	auth, ok := t.wished(doc)
	if !ok {
		return false
	}
	lines, _ := dialog.ParseControl(auth.Text())
	return dialog.AllowsNetwork(lines)
}

// serverHome names the HOME that an MCP server of this project has for itself.
func (t *turn) serverHome(server string) (string, error) {
	if t.r.w.ServerHome == nil {
		return "", nil
	}
	return t.r.w.ServerHome(t.in.Project.Name(), server)
}
