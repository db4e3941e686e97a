package turn

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vibey/dialog"
	"vibey/tools"
	"vibey/tools/mcp"
)

// served is what a dialog's text says of MCP servers: how often each has failed in it,
// and the list of its tools that humans were told of last, by its hash. It is a fold over
// the sections, extended as they come.
type served struct {
	seen   int
	faults map[string]int
	lists  map[string]string
}

// mcpKind is the Kind of Notes about an MCP server. `> Server:` names it, `> Fault:`
// counts its failures in the dialog, `> List:` is the hash of its tools.
const mcpKind = "mcp"

// faultsMost is how often a server may fail in a dialog: it is started again once.
const faultsMost = 2

func (s *served) extend(d *dialog.Dialog) {
	if s.faults == nil {
		s.faults, s.lists = map[string]int{}, map[string]string{}
	}
	for ; s.seen < len(d.Sections); s.seen++ {
		n := &d.Sections[s.seen]
		if n.Torn || n.Role != dialog.Note || n.Kind() != mcpKind {
			continue
		}
		server := n.Meta.Get("Server")
		if n.Meta.Has("Fault") {
			s.faults[server]++
		}
		if n.Meta.Has("List") {
			s.lists[server] = n.Meta.Get("List")
		}
	}
}

// off reports whether an MCP server is off for this dialog, as its text says.
func (t *turn) off(server string) bool {
	t.faults.extend(t.dialog())
	return t.faults.faults[server] >= faultsMost
}

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

// codeBlock is a text that a server has written a part of, as a block of code, which it
// can't end: it would be read as markdown, and as our words.
func codeBlock(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + text + "\n" + fence
}

// leftOut is the Note about tools of MCP servers that a new dialog lacks.
func (t *turn) leftOut(left []string) []dialog.Section {
	if len(left) == 0 {
		return nil
	}
	const most = 40
	var lines []string
	for _, why := range left[:min(len(left), most)] {
		lines = append(lines, strings.ReplaceAll(why, "\n", " "))
	}
	if more := len(left) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	text := "Of the MCP servers that doc-main.md names, this dialog lacks something. A new dialog asks them again.\n\n" + codeBlock(strings.Join(lines, "\n"))
	return []dialog.Section{t.newNote(0, "project", "human", text)}
}

// tellServed appends Notes of what a call showed of its MCP server: that it failed, and
// that it lists other tools than this dialog was told of.
func (t *turn) tellServed(c *dialog.Call, seen *tools.Served) error {
	if seen == nil {
		return nil
	}
	var secs []dialog.Section
	add := func(key, value, text string) {
		secs = append(secs, t.newNote(len(secs), mcpKind, "human", text,
			dialog.Field{Key: "Parent", Value: c.ID}, dialog.Field{Key: "Server", Value: seen.Server}, dialog.Field{Key: key, Value: value}))
	}
	t.faults.extend(t.dialog())
	if seen.Fault != "" {
		n := t.faults.faults[seen.Server] + 1
		text := "The MCP server `" + seen.Server + "` failed. It is started again for the next call of one of its tools."
		if n >= faultsMost {
			text = "The MCP server `" + seen.Server + "` failed again. It is off in this dialog: calls of its tools are answered with an error. A new dialog can use it."
		}
		add("Fault", strconv.Itoa(n), text+" What is known of it, partly in its own words:\n\n"+codeBlock(seen.Fault))
	}
	if seen.Listed != nil {
		frozen := mcp.ListingOf(seen.Server, t.set().Specs())
		now, last := seen.Listed.Hash(), t.faults.lists[seen.Server]
		if last == "" {
			last = frozen.Hash()
		}
		if now != last {
			text := "The MCP server `" + seen.Server + "` lists the tools again that this dialog was told of."
			if changes := seen.Listed.Changes(frozen); changes != "" {
				text = "The MCP server `" + seen.Server + "` lists other tools than this dialog was told of: " + changes + ". They count from the next dialog."
			}
			add("List", now, text)
		}
	}
	if len(secs) == 0 {
		return nil
	}
	return t.append(secs...)
}

// serverHome names the HOME that an MCP server of this project has for itself.
func (t *turn) serverHome(server string) (string, error) {
	if t.r.w.ServerHome == nil {
		return "", nil
	}
	return t.r.w.ServerHome(t.in.Project.Name(), server)
}
