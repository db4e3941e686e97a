package agent

import (
	"encoding/json"
	"testing"

	"vibey/provider/acp"
)

func TestApprovedRuns(t *testing.T) {
	const deed = "/d"
	for _, c := range []struct {
		payload string
		p       acp.TerminalParams
		want    bool
	}{
		{`{"rawInput":{"command":"npm test"}}`, acp.TerminalParams{Command: "npm", Args: []string{"test"}}, true},
		{`{"rawInput":{"command":"npm test"}}`, acp.TerminalParams{Command: "npm test", CWD: "/d"}, true},
		{`{"rawInput":{"command":"npm test"}}`, acp.TerminalParams{Command: "npm test", CWD: "/d/sub"}, false},
		{`{"rawInput":{"command":"npm test","workdir":"/d/sub"}}`, acp.TerminalParams{Command: "npm test", CWD: "/d/sub"}, true},
		{`{"rawInput":{"command":"npm test","cwd":"/d/sub"}}`, acp.TerminalParams{Command: "npm test"}, false},
		{`{"rawInput":{"command":"a","command":"npm test"}}`, acp.TerminalParams{Command: "npm test"}, false},
		{`{"rawInput":{"command":["npm","test"]}}`, acp.TerminalParams{Command: "npm test"}, false},
		{`{"rawInput":{"command":"echo $HOME"}}`, acp.TerminalParams{Command: "echo", Args: []string{"$HOME"}}, false},
		{`{"rawInput":null}`, acp.TerminalParams{Command: "x"}, false},
		{`{"rawInput":{"Command":"x"}}`, acp.TerminalParams{Command: "x"}, false},
	} {
		if got := (approved{c.payload}).showsCommand(&c.p, deed); got != c.want {
			b, _ := json.Marshal(c.p)
			t.Errorf("%s runs %s: %v", c.payload, b, got)
		}
	}
}
