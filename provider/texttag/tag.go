package texttag

import (
	"bytes"
	"encoding/json"
	"strings"

	"vibey/dialog"
	"vibey/dialog/jsontext"
	"vibey/provider"
)

// readTag reads the tag that b begins with, up to its ">"; begin is "<mcp:" or "</mcp:".
// n is its length, 0 for none; more is true where b ends too early to tell. Any
// characters of a line are a name, so that a tag which names no tool ends the answer like
// every other.
func readTag(b []byte, begin string) (name string, n int, more bool) {
	if len(b) <= len(begin) {
		return "", 0, bytes.HasPrefix([]byte(begin), b)
	}
	if !bytes.HasPrefix(b, []byte(begin)) {
		return "", 0, false
	}
	for i := len(begin); i < len(b) && i <= len(begin)+maxName; i++ {
		switch c := b[i]; {
		case c == '>' && i > len(begin):
			return string(b[len(begin):i]), i + 1, false
		case c == '>' || c == '<' || c == '\n' || c == '\r':
			return "", 0, false
		}
	}
	return "", 0, len(b) <= len(begin)+maxName
}

// maxName is how many bytes of a name are read. No tool has a name as long, but a
// model may write one, with attributes even, and is then told that there is no such
// tool. Up to a name's end nothing can be shown.
const maxName = 200

// closedBy returns the names by which o's closing tag may be known: that name again, or
// its first word where the rest looks like attributes.
func (o *opening) closedBy() [2]string {
	word, _, _ := strings.Cut(strings.TrimSpace(o.name), " ")
	return [2]string{o.name, word}
}

// isName reports whether a tool may have that name at any provider.
func isName(s string) bool { return len(s) <= 64 && dialog.IsMadeOf(s, "_-") }

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
