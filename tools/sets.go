package tools

import (
	"slices"
	"strings"
	"sync"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/history"
)

// always are the four tools that every dialog has.
var always = sync.OnceValue(func() []Tool {
	return []Tool{
		define("run_command", dialog.Mutate, runCommand),
		define("write_file", dialog.Mutate, writeFile),
		define("edit_file", dialog.Mutate, editFile),
		define("launch_agent", dialog.Mutate, launchAgent),
	}
})

// sets are the tools that a dialog has by the name of their set.
var sets = sync.OnceValue(func() map[string][]Tool {
	return map[string][]Tool{
		"read": {
			define("read_file", dialog.Read, readFile),
			define("list_files", dialog.Read, listFiles),
			define("search_files", dialog.Read, searchFiles),
		},
		"server": {
			define("start_server", dialog.Verify, startServer),
			define("stop_server", dialog.Mutate, stopServer),
			define("server_logs", dialog.Read, serverLogs),
		},
		"browser": {
			define("browser_console", dialog.Verify, browserConsole),
			define("request_visual_qa", dialog.Verify, requestVisualQA),
		},
		"plan": {
			define("plan_get", dialog.Read, planGet),
			define("plan_decision_log", dialog.Mutate, planDecisionLog),
		},
		"mail": {
			define("list_agents", dialog.Read, listAgents),
			define("read_agent", dialog.Read, readAgent),
			define("message_agent", dialog.Mutate, messageAgent),
		},
		phased: {
			define("checkpoint", dialog.Read, checkpoint),
		},
	}
})

// Sets names the sets beyond the four that a rule of doc-main.md may name.
func Sets() []string { return []string{"read", "server", "browser", "plan", "mail"} }

// Known are the names that a project's leading page may use, where a human has named
// these MCP servers.
func Known(servers []string) grant.Known {
	known := grant.Known{Sets: Sets(), Tools: knownTools()}
	for _, name := range servers {
		known.Sets = append(known.Sets, serverSet+name)
	}
	return known
}

// knownTools are the names of our own tools, of all sets.
var knownTools = sync.OnceValue(func() []string {
	var names []string
	for _, t := range slices.Concat(always(), beyond(AllSets())) {
		names = append(names, t.Name)
	}
	return slices.Clip(names)
})

// serverSet begins what a rule calls the tools of an MCP server: mcp:NAME.
const serverSet = "mcp:"

// Servers names the MCP servers whose tools a project's rules give each new dialog.
func Servers(r grant.Rules) (names []string) {
	for _, set := range r.Tools {
		if name, ok := strings.CutPrefix(set, serverSet); ok {
			names = append(names, name)
		}
	}
	return names
}

// phased is the set of a project with "phases on"; no rule names it.
const phased = "phases"

// AllSets names the sets that NewSet knows, in the order of their tools.
func AllSets() []string { return append(Sets(), phased) }

// Declared names the sets that a project's rules give each new dialog, and the MCP
// servers, which NewSet passes over (see Servers).
func Declared(r grant.Rules) []string {
	if r.Phases {
		return append(slices.Clone(r.Tools), phased)
	}
	return r.Tools
}

// SetsIn names the sets whose tools are among specs.
func SetsIn(specs []history.ToolSpec) (names []string) {
	told := func(t Tool) bool {
		return slices.ContainsFunc(specs, func(s history.ToolSpec) bool { return s.Name == t.Name })
	}
	for _, name := range AllSets() {
		if slices.ContainsFunc(sets()[name], told) {
			names = append(names, name)
		}
	}
	return names
}

// beyond returns the tools of the named sets, in the order of AllSets.
func beyond(names []string) (tools []Tool) {
	for _, name := range AllSets() {
		if slices.Contains(names, name) {
			tools = append(tools, sets()[name]...)
		}
	}
	return tools
}
