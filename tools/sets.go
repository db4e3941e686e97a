package tools

import (
	"slices"
	"sync"

	"vibey/dialog"
)

// sets makes the sets beyond the four tools, once.
var sets = sync.OnceValue(func() map[string][]Tool {
	return map[string][]Tool{
		"server": {
			define("start_server", startServerText, Verify, startServer).asking(),
			define("stop_server", stopServerText, Mutate, stopServer),
			define("server_logs", serverLogsText, Read, serverLogs),
		},
	}
})

// Sets names the sets that NewSet knows beyond the four.
func Sets() []string { return []string{"server"} }

// SetsIn names the sets whose tools are among specs.
func SetsIn(specs []dialog.ToolSpec) (names []string) {
	told := func(t Tool) bool {
		return slices.ContainsFunc(specs, func(s dialog.ToolSpec) bool { return s.Name == t.Name })
	}
	for _, name := range Sets() {
		if slices.ContainsFunc(sets()[name], told) {
			names = append(names, name)
		}
	}
	return names
}

// asking is the tool with a human asked first.
func (t Tool) asking() Tool {
	t.Asks = true
	return t
}

// beyond returns the tools of the named sets, in an order that does not depend
// on that of the names.
func beyond(names []string) (tools []Tool) {
	for _, name := range Sets() {
		if slices.Contains(names, name) {
			tools = append(tools, sets()[name]...)
		}
	}
	return tools
}
