package brief

import (
	"strconv"
	"time"

	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/server/turn/record"
	"vibey/tools"
	"vibey/tools/mcp"
)

// Servers is what a dialog's text says of MCP servers: how often each has failed in it,
// and the list of its tools that a Note to the human named last, by its hash. It is a fold over
// the sections, extended as they come.
type Servers struct {
	seen   int
	faults map[string]int
	lists  map[string]string
}

// mcpKind is the Kind of Notes about an MCP server. `> Server:` names it, `> Fault:`
// counts its failures in the dialog, `> List:` is the hash of its tools.
const mcpKind = "mcp"

// faultsMost is how often a server may fail in a dialog: it is started again once.
const faultsMost = 2

func (s *Servers) extend(d *dialog.Dialog) {
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

// Off reports whether an MCP server is off for d, as its text says.
func (s *Servers) Off(d *dialog.Dialog, server string) bool {
	s.extend(d)
	return s.faults[server] >= faultsMost
}

// Notes are the Notes of what the call with that id showed of its MCP server: that it
// failed, and that it lists other tools than specs, those of d's System section. skip is
// how many Notes are made that d does not have yet.
func (s *Servers) Notes(d *dialog.Dialog, now time.Time, skip int, specs []history.ToolSpec, call string, seen *tools.Served) (secs []dialog.Section) {
	if seen == nil {
		return nil
	}
	add := func(key, value, text string) {
		secs = append(secs, record.Note(d, now, skip+len(secs), mcpKind, "human", text,
			dialog.Field{Key: "Parent", Value: call}, dialog.Field{Key: "Server", Value: seen.Server}, dialog.Field{Key: key, Value: value}))
	}
	s.extend(d)
	if seen.Fault != "" {
		n := s.faults[seen.Server] + 1
		text := "The MCP server `" + seen.Server + "` failed. It is started again for the next call of one of its tools."
		if n >= faultsMost {
			text = "The MCP server `" + seen.Server + "` failed again. It is off in this dialog: calls of its tools are answered with an error. A new dialog can use it."
		}
		add("Fault", strconv.Itoa(n), text+" What is known of it, partly in its own words:\n\n"+dialog.CodeBlock(seen.Fault))
	}
	if seen.Listed != nil {
		frozen := mcp.ListingOf(seen.Server, specs)
		list, last := seen.Listed.Hash(), s.lists[seen.Server]
		if last == "" {
			last = frozen.Hash()
		}
		if list != last {
			text := "The MCP server `" + seen.Server + "` lists the tools again that this dialog was told of."
			if changes := seen.Listed.Changes(frozen); changes != "" {
				text = "The MCP server `" + seen.Server + "` lists other tools than this dialog was told of: " + changes + ". They count from the next dialog."
			}
			add("List", list, text)
		}
	}
	return secs
}
