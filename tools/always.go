package tools

import "sync"

// always makes the four tools that every dialog has, once.
var always = sync.OnceValue(func() []Tool {
	return []Tool{
		define("run_command", runCommandText, Mutate, runCommand),
		define("write_file", writeFileText, Mutate, writeFile),
		define("edit_file", editFileText, Mutate, editFile),
		define("launch_agent", launchAgentText, Mutate, launchAgent),
	}
})
