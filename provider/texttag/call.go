package texttag

import (
	"encoding/json"
	"strings"

	"vibey/dialog/jsontext"
	"vibey/provider"
)

// terminal is the tag that holds a command as it is, and shell the tool that it
// stands for. All other tags have their tool's name.
const (
	terminal = "terminal"
	shell    = "run_command"
)

// newCall is what a tag asks for. It has no id: the caller makes one that is free
// in its dialog.
func newCall(name, payload string) *provider.Call {
	payload = strings.TrimSpace(payload)
	if name == terminal {
		return &provider.Call{Name: shell, Args: commandArgs(payload)}
	}
	return &provider.Call{Name: name, Args: payload}
}

func commandArgs(command string) string {
	return string(append(jsontext.AppendString([]byte(`{"command":`), command), '}'))
}

// render is the tag of a call, as a model would have written it.
func render(tool, args string) string {
	name, payload := tool, args
	if command, ok := plainCommand(tool, args); ok {
		name, payload = terminal, command
	}
	return "<mcp:" + name + ">" + payload + "</mcp:" + name + ">"
}

// plainCommand returns the command of a call that the tag terminal gives back to the
// byte.
func plainCommand(tool, args string) (command string, ok bool) {
	var in struct{ Command string }
	if tool != shell || json.Unmarshal([]byte(args), &in) != nil {
		return "", false
	}
	plain := strings.TrimSpace(in.Command) == in.Command && !strings.Contains(in.Command, "</mcp:"+terminal+">")
	return in.Command, plain && commandArgs(in.Command) == args
}
